#include "stage3_queue_crawler/runtime/task/future.h"

#include "stage3_queue_crawler/runtime/task/task.h"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace stage3 {

void FutureBase::check_pending() const {
    if (done())
        throw InvalidState(cancelled() ? "the future was cancelled already"
                                       : "the future has its result already");
}

void FutureBase::complete(State state) noexcept {
    state_ = state;
    if (loop() == nullptr || loop()->closed()) { // no waiter can run any more
        drop_waiters();
        return;
    }
    trace_end();
    // Callbacks are passed this future, so it must live until the last has been called.
    if (callbacks_ > 0)
        waiters_.for_each([](Runnable& one) { one.becomes_ready(); });
    // They all run in the next turn, never inside the call that completes the future.
    loop()->make_ready(std::move(waiters_));
}

void FutureBase::trace_end() {
    common::Tracer& tracer = loop()->tracer();
    if (!tracer.enabled()) [[likely]]
        return;
    const char* phase = "resolve";
    if (has_failed())
        phase = cancelled() ? "cancel" : "fail";
    std::size_t waiters = 0;
    waiters_.for_each([&](const Runnable& /*one*/) { ++waiters; });
    tracer.future_end(this, phase, waiters);
}

void FutureBase::complete_with_exception(std::exception_ptr exception) noexcept {
    failure_ = std::move(exception);
    complete(State::finished);
}

void FutureBase::complete_cancelled(std::exception_ptr cancelled) noexcept {
    failure_ = std::move(cancelled);
    complete(State::cancelled);
}

void FutureBase::complete_cancelled(std::string message) noexcept {
    // One for all that have no message: there may be a million, and no memory.
    static const std::exception_ptr without_message =
        std::make_exception_ptr(Cancelled());
    complete_cancelled(message.empty()
                           ? without_message
                           : std::make_exception_ptr(Cancelled(std::move(message))));
}

bool FutureBase::cancel(std::string message) {
    if (done()) {
        mark_retrieved(); // a caller that gives up on it doesn't care how it failed
        return false;
    }
    complete_cancelled(std::move(message));
    return true;
}

void FutureBase::set_exception(std::exception_ptr exception) {
    check_pending();
    if (!exception)
        throw std::invalid_argument("set_exception needs an exception");
    complete_with_exception(std::move(exception));
}

std::exception_ptr FutureBase::exception() {
    if (!done())
        throw InvalidState("the future is not done yet");
    if (cancelled())
        std::rethrow_exception(failure_);
    mark_retrieved();
    return failure_;
}

void FutureBase::throw_missing_result() { std::rethrow_exception(exception()); }

const std::vector<common::Place>& FutureBase::way_of_exception() {
    static const std::vector<common::Place> none;
    const TaskBase* const task = as_task();
    return task != nullptr ? task->way() : none;
}

void FutureBase::check_open() const {
    if (loop() == nullptr)
        throw LoopClosed();
}

Handle FutureBase::add(Handle callback) {
    // Cancelled callbacks are still in the queue, perhaps forever. A program that waits
    // for one thing again and again, each time briefly, would accumulate them.
    if (++callbacks_ >= sweep_at_) {
        callbacks_ = waiters_.drop_unwanted() + 1;
        sweep_at_ = std::max(16U, 2 * callbacks_);
    }
    callback->stand_in(waiters_);
    if (done())
        complete(state_); // once more, for this one
    return callback;
}

namespace {
// Takes the callbacks of futures that die while another's are being dropped.
thread_local RunQueue* dropped_here = nullptr;
} // namespace

FutureBase::~FutureBase() {
    report_unseen_exception(nullptr, {});
    if (waiters_.empty()) [[likely]]
        return;
    // A callback may hold the last handle to another future, whose callback holds the
    // last one to a third. If each died inside the one before, a long chain would
    // overflow the stack, so their callbacks wait in a queue instead. There are only
    // callbacks here: a task that waits for a future keeps it alive.
    if (dropped_here != nullptr) {
        dropped_here->append(std::move(waiters_));
        return;
    }
    dropped_here = &waiters_;
    waiters_.clear();
    dropped_here = nullptr;
}

void FutureBase::report_unseen_exception(const std::string* task,
                                         const std::vector<common::Place>& way) noexcept {
    if (!failure_ || cancelled() || !std::exchange(report_exception_, false))
        return;
    const auto report = [&](const Report& what) {
        if (loop() != nullptr)
            loop()->report(what);
        else
            print(what);
    };
    try {
        report({.message = fmt::format("{} has failed, and its exception was never "
                                       "retrieved",
                                       task != nullptr ? "the task '" + *task + "'"
                                                       : "a future"),
                .exception = failure_,
                .chain = {way.rbegin(), way.rend()}});
    } catch (const std::bad_alloc&) {
        report({.message = "no memory", .exception = failure_, .chain = {}});
    }
}

void FutureBase::on_close(EventLoop& /*loop*/) noexcept { drop_waiters(); }

void FutureBase::drop_waiters() noexcept {
    // A callback may hold the last handle to this future.
    const RunQueue gone(std::move(waiters_));
}

// ---- Awaiting ----

bool FutureAwaiter::suspend() {
    if (future_->done())
        return false; // it has failed: there is nothing to wait for
    // Does it wait for this task, perhaps by way of others? It can't if nothing waits
    // for this task.
    const TaskBase* const awaited = future_->as_task();
    if (awaited != nullptr && (awaited == task_ || task_->future().is_waited_for())
        && awaited->waits_for(*task_))
        refused_ =
            "a task can't await itself, nor one that waits for it: both would wait "
            "for ever";
    else if (future_->loop() != task_->future().loop())
        refused_ = "a future of another event loop can't be awaited";
    else
        task_->wait_for(*future_);
    waited_ = refused_ == nullptr;
    return waited_; // false: resume at once, and throw
}

void FutureAwaiter::resume() {
    if (task_ == nullptr)
        return; // it did not wait
    if (refused_ != nullptr)
        throw std::logic_error(refused_);
    if (future_->has_failed())
        future_->mark_retrieved(); // even if this task is cancelled, and never sees it
    if (waited_ && future_->cancelled())
        task_->forget_cancellation(); // one Cancelled is enough: the future's is thrown
    else if (waited_)
        task_->throw_if_cancelled();
    if (future_->has_failed() && !future_->cancelled())
        task_->exception_comes(future_->exception(), future_->way_of_exception());
}

} // namespace stage3
