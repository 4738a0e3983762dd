// The smallest future.
//
// Stage 2's own is stage2_coroutines/future.h. Page 07 of the book.
#pragma once

#include "common/small/event_loop.h"
#include "common/system/socket.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace small {

// [future]
/// A result that isn't there yet.
class Future {
  public:
    using Callback = std::function<void(const Future&)>;

    bool done() const { return done_; }
    const std::string& result() const { return result_; }

    /// Calls `callback` when the result arrives.
    void add_done_callback(Callback callback) {
        callbacks_.push_back(std::move(callback));
    }

    void set_result(std::string result) {
        result_ = std::move(result);
        done_ = true;
        for (const Callback& callback : std::exchange(callbacks_, {}))
            callback(*this);
    }

  private:
    bool done_ = false;
    std::string result_;
    std::vector<Callback> callbacks_;
};

using FuturePtr = std::shared_ptr<Future>;
// [/future]

// [ready]
/// A future that the loop resolves when `socket` is ready for `events`.
inline FuturePtr ready(EventLoop& loop, const common::Socket& socket,
                       common::Events events) {
    const auto future = std::make_shared<Future>();
    loop.when_ready(socket.fd(), events, [future] { future->set_result("ready"); });
    return future;
}
// [/ready]

} // namespace small
