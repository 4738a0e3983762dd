// The smallest event loop that works.
//
// You say: when this socket is ready, call this function. The loop sleeps until one is,
// and calls. What stages 1 and 2 run on is common/simple_crawl/event_loop.h; what it adds
// to this one is told in book/03 (an event loop with callbacks).
#pragma once

#include "common/system/selector.h"

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace first {

// [event-loop]
class EventLoop {
  public:
    using Callback = std::function<void()>;

    /// Calls `callback`, once, when `fd` is ready for `events`.
    void when_ready(int fd, common::Events events, Callback callback) {
        selector_->register_fd(fd, events, 0);
        callbacks_[fd] = std::move(callback);
    }

    /// Waits and calls back, until somebody has called `stop`.
    void run() {
        while (!stopped_) {
            for (const common::Ready& event : selector_->select(std::nullopt))
                call_back(event.fd);
        }
    }

    void stop() { stopped_ = true; }

  private:
    void call_back(int fd) {
        selector_->unregister_fd(fd);
        const auto entry = callbacks_.extract(fd); // out of the table before it runs
        entry.mapped()();
    }

    std::unique_ptr<common::Selector> selector_ = common::make_selector();
    std::unordered_map<int, Callback> callbacks_; // by descriptor
    bool stopped_ = false;
};
// [/event-loop]

} // namespace first
