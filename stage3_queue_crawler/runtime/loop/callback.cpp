#include "stage3_queue_crawler/runtime/loop/callback.h"

#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <exception>
#include <utility>

namespace stage3 {

void Callback::run() noexcept {
    const Ref<Callback> self(std::move(queued_)); // lives until this returns
    if (!cancelled_) {
        running_ = true;
        try {
            const common::Tracer::CallbackRuns runs(loop_.tracer(), name_, at_, fd_);
            call();
        } catch (...) {
            loop_.report({.message = "an exception has left a callback",
                          .exception = std::current_exception(),
                          .chain = {}});
        }
        running_ = false;
    }
    // An object may hold the handle of a callback that holds the object. Here that circle
    // ends.
    if (times_ == Times::once || cancelled_)
        forget();
}

void Callback::drop() noexcept {
    const Ref<Callback> self(this);
    queued_ = {};
    forget();
}

void Callback::cancel() {
    const Ref<Callback> self(this); // what it holds may hold the last handle to it
    cancelled_ = true;
    if (!running_) // a function must not be destroyed while it runs
        forget();
}

} // namespace stage3
