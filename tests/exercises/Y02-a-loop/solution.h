// The smallest event loop with a queue of what is ready.
//
// The book has it as stage3_queue_crawler/first/event_loop.h and run_queue.h. The real
// one is runtime/loop/event_loop.h; page 10 explains what it adds.
#pragma once

#include "common/system/selector.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace yours {

/// Something that can run, such as a task to be resumed. It holds its own link, so it can
/// be in only one queue at a time, and being there costs nothing.
class Runnable {
  public:
    virtual void run() = 0;

    Runnable() = default;
    Runnable(const Runnable&) = delete;
    Runnable& operator=(const Runnable&) = delete;

  protected:
    ~Runnable() = default;

  private:
    friend class RunQueue;
    Runnable* next_ = nullptr; // follows this one in its queue
};

/// First in, first out. Owns nothing.
class RunQueue {
  public:
    bool empty() const { return first_ == nullptr; }

    void push(Runnable& one) {
        (empty() ? first_ : last_->next_) = &one;
        last_ = &one;
    }

    /// Moves everything in `other` to the end, in one step however long it is.
    void append(RunQueue& other) {
        if (other.empty())
            return;
        (empty() ? first_ : last_->next_) = std::exchange(other.first_, nullptr);
        last_ = other.last_;
    }

    Runnable& pop() {
        Runnable& one = *first_;
        first_ = std::exchange(one.next_, nullptr);
        return one;
    }

  private:
    Runnable* first_ = nullptr;
    Runnable* last_ = nullptr; // meaningful only if there is a first
};

class EventLoop {
  public:
    void make_ready(Runnable& one) { ready_.push(one); }
    void make_ready(RunQueue& several) { ready_.append(several); }

    /// From now on calls `callback` whenever `fd` is ready for `events`.
    void watch(int fd, common::Events events, std::function<void()> callback) {
        selector_->register_fd(fd, events, 0);
        callbacks_[fd] = std::move(callback);
    }
    void unwatch(int fd) {
        selector_->unregister_fd(fd);
        callbacks_.erase(fd);
    }

    /// One turn: asks the selector, sleeping for at most `timeout` if nothing is ready,
    /// then runs what is ready.
    void turn(std::optional<common::Selector::Milliseconds> timeout = std::nullopt) {
        if (!ready_.empty())
            timeout = common::Selector::Milliseconds(0);
        for (const common::Ready& event : selector_->select(timeout))
            call_back(event.fd);
        RunQueue now;
        now.append(ready_);
        while (!now.empty())
            now.pop().run();
    }

  private:
    void call_back(int fd) {
        const auto found = callbacks_.find(fd);
        if (found == callbacks_.end()) // an earlier callback has unwatched it
            return;
        const auto callback = found->second; // a copy, since it may unwatch itself
        callback();
    }

    std::unique_ptr<common::Selector> selector_ = common::make_selector();
    std::unordered_map<int, std::function<void()>> callbacks_; // by descriptor
    RunQueue ready_;
};

} // namespace yours
