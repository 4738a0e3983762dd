// The smallest event loop with a queue of what is ready.
//
// The real one is runtime/loop/event_loop.h. Page 10 of the book. A program that is
// compiled with ON_IO_URING has the loop of page 31 instead.
#pragma once

#ifdef ON_IO_URING
#include "stage3_queue_crawler/small/ring_loop.h"
#else

#include "common/system/selector.h"
#include "stage3_queue_crawler/small/run_queue.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace stage3::small {

// [event-loop]
class EventLoop {
  public:
    using Milliseconds = common::Selector::Milliseconds;

    /// With the selector of that name, or with the best one.
    explicit EventLoop(std::string_view selector = {})
        : selector_(common::make_selector(selector)) {}
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;
    virtual ~EventLoop() = default;

    void make_ready(Runnable& one) { ready_.push(one); }
    void make_ready(RunQueue& several) { ready_.append(several); }
    bool has_ready() const { return !ready_.empty(); }

    // [watch]
    /// From now on calls `callback` whenever `fd` is ready for `events`.
    void watch(int fd, common::Events events, std::function<void()> callback) {
        selector_->register_fd(fd, events, 0);
        callbacks_[fd] = std::move(callback);
    }
    void unwatch(int fd) {
        selector_->unregister_fd(fd);
        callbacks_.erase(fd);
    }
    // [/watch]

    /// One turn: asks the selector, sleeping for at most `timeout` if nothing is ready,
    /// then runs what is ready.
    virtual void turn(std::optional<Milliseconds> timeout = std::nullopt) {
        if (has_ready())
            timeout = Milliseconds(0);
        for (const common::Ready& event : selector_->select(timeout))
            call_back(event.fd);
        RunQueue now;
        now.append(ready_);
        while (!now.empty())
            now.pop().run();
    }

  private:
    // [call-back]
    void call_back(int fd) {
        const auto found = callbacks_.find(fd);
        if (found == callbacks_.end()) // an earlier callback has unwatched it
            return;
        const auto callback = found->second; // a copy, since it may unwatch itself
        callback();
    }
    // [/call-back]

    std::unique_ptr<common::Selector> selector_;
    std::unordered_map<int, std::function<void()>> callbacks_; // by descriptor
    RunQueue ready_;
};
// [/event-loop]

} // namespace stage3::small

#endif
