#include "stage3_queue_crawler/runtime/loop/callback.h"

#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <exception>
#include <utility>

namespace stage3 {

void Callback::run() noexcept {
    const Ref<Callback> self(std::move(queued_)); // lives until this returns
    has_timer_ = false;
    if (!cancelled_) {
        running_ = true;
        try {
            const common::Tracer::CallbackRuns runs(loop_.tracer(), name_, at_, fd_,
                                                    this);
            call();
        } catch (...) {
            loop_.report("an exception has left a callback", std::current_exception());
        }
        running_ = false;
    }
    // An object may hold the handle to a callback that holds the object. This breaks the
    // cycle.
    if (times_ == Times::once || cancelled_)
        forget();
}

void Callback::drop() noexcept {
    const Ref<Callback> self(this);
    queued_ = {};
    has_timer_ = false;
    forget();
}

void Callback::trace_ready(common::Tracer& tracer) const {
    if (has_timer_)
        tracer.timer_due(this);
    else if (fd_ < 0 && !name_.empty()) // a ready descriptor is traced already
        tracer.schedule_call(this, name_, at_);
}

void Callback::cancel() {
    const Ref<Callback> self(this); // what it holds may hold the last handle to it
    // As long as it is in a queue or among the timers, its loop exists.
    if (has_timer_ && !cancelled_)
        loop_.tracer().timer_cancel(this);
    else if (queued_ && !cancelled_)
        loop_.tracer().schedule_cancel(this);
    cancelled_ = true;
    if (!running_) // a function must not be destroyed while it runs
        forget();
}

} // namespace stage3
