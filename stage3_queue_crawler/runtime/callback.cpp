#include "stage3_queue_crawler/runtime/callback.h"

#include "stage3_queue_crawler/runtime/event_loop.h"

#include <exception>
#include <utility>

namespace stage3 {

void Callback::run() noexcept {
    const auto self = std::exchange(queued_, nullptr); // lives until this returns
    if (cancelled_)
        return;
    loop_.tracer().callback_begin(name_, at_);
    running_ = true;
    try {
        function_();
    } catch (...) {
        loop_.report({.message = "an exception has left a callback",
                      .exception = std::current_exception(),
                      .chain = {}});
    }
    running_ = false;
    loop_.tracer().callback_end(name_, at_);
}

void Callback::cancel() {
    cancelled_ = true;
    // What it holds may be a lot. But a function must not be destroyed while it runs.
    if (!running_)
        function_ = nullptr;
}

} // namespace stage3
