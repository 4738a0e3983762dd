// The smallest event loop with a queue of what is ready.
//
// The book has it as stage3_queue_crawler/small/event_loop.h and run_queue.h. The real
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

// The same as in the book: stage3_queue_crawler/small/run_queue.h, runnable

// The same as in the book: stage3_queue_crawler/small/run_queue.h, run-queue

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
