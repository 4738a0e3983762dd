// The smallest event loop that works.
//
// You register a function to be called when a socket is ready; the loop sleeps until one
// is, and calls its function. Stages 1 and 2 run on common/simple_crawl/event_loop.h, and
// page 03 of the book explains what that one adds.
#pragma once

#include "common/system/selector.h"

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace small {

// [event-loop]
class EventLoop {
  public:
    using Callback = std::function<void()>;

    /// Calls `callback`, once, when `fd` is ready for `events`.
    void when_ready(int fd, common::Events events, Callback callback) {
        selector_->register_fd(fd, events, 0);
        callbacks_[fd] = std::move(callback);
    }

    /// Waits and calls back until `stop` is called.
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

} // namespace small
