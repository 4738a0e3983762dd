#include "stage3_queue_crawler/runtime/task/task.h"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string_view>

namespace stage3 {

namespace {
thread_local TaskBase* stepping_here = nullptr;
} // namespace

TaskBase* current_task() noexcept { return stepping_here; }

// ---- Called by promises ----

void await_child(PromiseBase& parent, Frame& owner) {
    PromiseBase* const child = owner.promise();
    if (child == nullptr || child->task != nullptr)
        throw std::logic_error(
            "this coroutine was moved away, or has been awaited before");
    child->task = parent.task;
    child->caller = &parent;
    child->awaited_in = &owner;
    parent.task->go_on_with(child);
}

void PromiseBase::Ended::await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {
    promise_.task->go_on_with(promise_.caller);
}

void PromiseBase::unhandled_exception() noexcept {
    exception = std::current_exception();
    task->exception_leaves(*this);
}

void TaskBase::exception_leaves(const PromiseBase& promise) noexcept {
    // An exception's path ends where it's caught and another one is thrown.
    if (travelling_ != promise.exception) {
        travelling_ = promise.exception;
        way_.clear();
    }
    constexpr std::size_t enough = 100; // the innermost ones: no one reads more
    try {
        if (way_.size() < enough)
            way_.push_back(promise.place);
    } catch (const std::bad_alloc&) {
        return; // out of memory: the path is known only this far
    }
}

void TaskBase::exception_comes(std::exception_ptr exception,
                               const std::vector<common::Place>& way) noexcept {
    travelling_ = std::move(exception);
    try {
        way_ = way;
    } catch (const std::bad_alloc&) {
        way_.clear(); // out of memory: the path is known only from here on
    }
}

// ---- Steps ----

TaskBase::TaskBase(EventLoop& loop, Frame coroutine, std::string name)
    : loop_(loop), coroutine_(std::move(coroutine)), innermost_(coroutine_.promise()),
      name_(std::move(name)) {
    if (innermost_ == nullptr)
        throw std::logic_error(
            "this coroutine was moved away, or has been awaited before");
    innermost_->task = this;
}

void TaskBase::start(Ref<FutureBase> self) {
    keep_ = std::move(self);
    trace("new");
    loop_.make_ready(*this);
}

void TaskBase::run() noexcept {
    const auto self = keep_; // may become the last handle to this task
    waits_for_ = nullptr;
    trace("step");
    if (must_cancel_ && !started_) {
        finish(); // none of it has run, and none will
        return;
    }
    started_ = true;
    suspended_ = false;
    TaskBase* const before = std::exchange(stepping_here, this);
    // A coroutine waits, awaits another or ends; each time, control returns here.
    while (innermost_ != nullptr && !suspended_)
        innermost_->frame.resume();
    stepping_here = before;
    if (innermost_ == nullptr)
        finish();
}

void TaskBase::finish() noexcept {
    keep_ = {};
    // If it was asked to end, but ended by itself before Cancelled could be thrown, its
    // result is dropped. An error is not.
    if (must_cancel_ && (!started_ || !coroutine_.promise()->exception)) {
        future().complete_cancelled(std::move(cancel_message_));
    } else {
        try {
            complete_with_result();
        } catch (const Cancelled& cancelled) {
            Cancelled ours(cancelled); // which doesn't throw, unlike copying the message
            future().complete_cancelled(std::move(ours.message));
        } catch (...) {
            future().complete_with_exception(std::current_exception());
        }
    }
    trace("done");
    destroy_coroutine();
}

void TaskBase::wait_for(FutureBase& future) {
    trace("suspend", &future);
    waits_for_ = &future;
    suspended_ = true;
    future.add_waiter(*this);
    // It was asked to end before it got here.
    if (must_cancel_ && future.cancel(std::exchange(cancel_message_, {})))
        must_cancel_ = false;
}

void TaskBase::wait_for_next_turn() {
    suspended_ = true;
    trace("suspend");
    loop_.make_ready(*this);
}

void TaskBase::cancel_at_next_wait(Cancelled cancelled) {
    must_cancel_ = true;
    cancel_message_ = std::move(cancelled.message);
}

void TaskBase::throw_if_cancelled() {
    if (std::exchange(must_cancel_, false))
        throw Cancelled{std::exchange(cancel_message_, {})};
}

bool TaskBase::waits_for(const TaskBase& other) const {
    for (const TaskBase* task = this; task != nullptr;) {
        if (task == &other)
            return true;
        task = task->waits_for_ != nullptr ? task->waits_for_->as_task() : nullptr;
    }
    return false;
}

bool TaskBase::request_cancel(std::string message) noexcept {
    if (future().done() || future().loop() == nullptr) { // too late, in any case
        future().mark_retrieved();
        return false;
    }
    // A task that waits for a task passes the request on: only the innermost one is
    // asked. The tasks that wait for it see what becomes of it.
    TaskBase* task = this;
    ++task->cancelling_;
    while (TaskBase* const next = task->awaited_task()) {
        task = next;
        ++task->cancelling_;
    }
    trace("cancel");
    task->cancel_wait(std::move(message));
    return true;
}

void TaskBase::request_cancel_with_all() noexcept {
    ++cancelling_;
    trace("cancel");
    if (awaited_task() == nullptr)
        cancel_wait({});
}

TaskBase* TaskBase::awaited_task() const {
    TaskBase* const task = waits_for_ != nullptr ? waits_for_->as_task() : nullptr;
    return task != nullptr && !task->future().done() ? task : nullptr;
}

void TaskBase::cancel_wait(std::string message) noexcept {
    // Cancels the future that it waits for, and so affects all its waiters.
    if (waits_for_ != nullptr && waits_for_->as_task() == nullptr
        && !waits_for_->done()) {
        waits_for_->cancel(std::move(message));
        return;
    }
    must_cancel_ = true;
    cancel_message_ = std::move(message);
}

int TaskBase::uncancel() {
    if (cancelling_ == 0)
        return 0;
    --cancelling_;
    if (cancelling_ == 0) {
        must_cancel_ = false;
        cancel_message_.clear();
    }
    return cancelling_;
}

std::vector<common::Place> TaskBase::chain() const {
    std::vector<common::Place> places;
    for (const auto* one = innermost_; one != nullptr; one = one->caller)
        places.push_back(one->place);
    std::ranges::reverse(places);
    return places;
}

// ---- The end ----

void TaskBase::destroy_coroutine() noexcept {
    // The innermost first. The other way round, each frame's destruction would destroy
    // the next one from inside, and a long chain would overflow the stack.
    while (innermost_ != nullptr && innermost_->caller != nullptr) {
        PromiseBase* const one = std::exchange(innermost_, innermost_->caller);
        one->awaited_in->release();
        one->frame.destroy();
    }
    innermost_ = nullptr;
    coroutine_ = Frame(nullptr);
}

void TaskBase::abandon(EventLoop& loop) noexcept {
    const auto self = std::exchange(keep_, {});
    if (!self)
        return; // it is done
    try {
        loop.report({.message = fmt::format(
                         "the task '{}' was destroyed before it was done", name_),
                     .exception = nullptr,
                     .chain = chain()});
    } catch (const std::bad_alloc&) {
        loop.report({.message = "no memory", .exception = nullptr, .chain = {}});
    }
    trace("destroyed");
    // It is one of that future's waiters, and must not be one for longer than it lives.
    if (FutureBase* const awaited = std::exchange(waits_for_, nullptr))
        awaited->drop_waiters();
    destroy_coroutine();
}

std::vector<Ref<FutureBase>> all_tasks(EventLoop& loop) {
    std::vector<Ref<FutureBase>> tasks;
    for (auto* member = loop.first_member(); member != nullptr;
         member = EventLoop::next(*member)) {
        auto* const future = dynamic_cast<FutureBase*>(member);
        if (future != nullptr && future->as_task() != nullptr && !future->done())
            tasks.emplace_back(future);
    }
    std::ranges::reverse(tasks);
    return tasks;
}

// ---- Tracing ----

void TaskBase::trace_ready(common::Tracer& tracer) const {
    tracer.schedule_task(keep_.get()); // this task, since it is not done
}

void TaskBase::write_trace(std::string_view phase, const FutureBase* awaited) {
    common::Tracer& tracer = loop_.tracer();
    const FutureBase* const self = &future();
    if (phase == "new")
        tracer.task_new(self, name_, innermost_->place);
    else if (phase == "step")
        tracer.task_step(self);
    else if (phase == "suspend")
        tracer.task_suspend(self, awaited, chain());
    else if (phase == "cancel")
        tracer.task_cancel(self);
    else if (phase == "destroyed" || self->cancelled())
        tracer.task_done(self, phase == "destroyed" ? phase : "cancelled");
    else
        tracer.task_done(self, self->has_failed() ? "threw" : "returned");
}

void TaskBase::trace_way_to(const PromiseBase* next) noexcept {
    common::Tracer& tracer = loop_.tracer();
    if (next != nullptr && next->caller == innermost_)
        tracer.coroutine_call(&future(), innermost_->place, next->place);
    else if (next != nullptr)
        tracer.coroutine_return(&future(), next->place, innermost_->place);
}

} // namespace stage3
