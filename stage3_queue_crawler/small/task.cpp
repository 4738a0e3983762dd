#include "stage3_queue_crawler/small/task.h"

#include <exception>
#include <utility>

namespace stage3::small {

// [chain]
void await_child(PromiseBase& parent, PromiseBase& child) {
    child.task = parent.task;
    child.caller = &parent;
    parent.task->go_on_with(&child);
}

void PromiseBase::Ended::await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {
    promise.task->go_on_with(promise.caller);
}
// [/chain]

// [run]
Task::Task(EventLoop& loop, Coroutine<> coroutine)
    : Future(loop), coroutine_(std::move(coroutine)), innermost_(&coroutine_.promise()) {
    innermost_->task = this;
    loop.make_ready(*this);
}

void Task::run() {
    waits_for_ = nullptr;
    while (innermost_ != nullptr && waits_for_ == nullptr)
        innermost_->frame.resume(); // until it waits, awaits another one or ends
    if (innermost_ != nullptr)
        return; // it waits
    if (const std::exception_ptr error = coroutine_.promise().error)
        fail(error);
    else
        set_result();
}

// [wait-for]
void Task::wait_for(Future& future) {
    waits_for_ = &future;
    future.add_waiter(*this);
    if (must_cancel_ && future.cancel()) // it was asked to end before it got here
        must_cancel_ = false;
}
// [/wait-for]
// [/run]

// [cancel]
bool Task::cancel() {
    if (done())
        return false;
    if (waits_for_ == nullptr || !waits_for_->cancel())
        must_cancel_ = true; // thrown as this wait ends, or else cancels the next one
    return true;
}

void FutureAwaiter::await_resume() {
    if (task_ != nullptr) // it was suspended here
        task_->throw_if_cancelled();
    future_.throw_if_failed();
}

void Task::throw_if_cancelled() {
    if (std::exchange(must_cancel_, false))
        throw Cancelled();
}
// [/cancel]

// [run-until-complete]
void run_until_complete(EventLoop& loop, Task& task) {
    while (!task.done())
        loop.turn();
    task.throw_if_failed();
}
// [/run-until-complete]

} // namespace stage3::small
