#include "stage3_queue_crawler/runtime/callback.h"

#include "stage3_queue_crawler/runtime/event_loop.h"

#include <exception>
#include <utility>

namespace stage3 {

void Callback::run() noexcept {
    const Ref<Callback> self(std::move(queued_)); // lives until this returns
    if (!cancelled_) {
        loop_.tracer().callback_begin(name_, at_);
        running_ = true;
        try {
            call();
        } catch (...) {
            loop_.report({.message = "an exception has left a callback",
                          .exception = std::current_exception(),
                          .chain = {}});
        }
        running_ = false;
        loop_.tracer().callback_end(name_, at_);
    }
}

void Callback::cancel() {
    cancelled_ = true;
    if (!running_) // a function must not be destroyed while it runs
        forget();
}

} // namespace stage3
