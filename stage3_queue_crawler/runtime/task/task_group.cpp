#include "stage3_queue_crawler/runtime/task/task_group.h"

#include "stage3_queue_crawler/runtime/task/wait.h"

#include <new>
#include <source_location>
#include <stdexcept>

namespace stage3 {

TaskGroup::~TaskGroup() {
    for (const Child& child : children_) // only if their loop was closed
        child.callback.cancel();
}

// [run]
Coroutine<> TaskGroup::run(Coroutine<> body) {
    if (parent_ != nullptr)
        throw std::logic_error("a task group runs only once");
    parent_ = current_task();
    std::optional<Cancelled> request; // to end, sent to us
    try {
        co_await std::move(body);
    } catch (const Cancelled& cancelled) {
        request = cancelled;
    } catch (...) {
        note_failure_of_body(std::current_exception());
    }
    if (request || has_failed())
        abort();
    while (!children_.empty()) {
        const auto last_has_ended = make_future_of_last();
        try {
            if (last_has_ended)
                co_await *last_has_ended;
            else
                co_await next_turn(); // no memory: look again in each turn
        } catch (const Cancelled& cancelled) {
            // Keep the first one, unless it was our own, which has no message.
            if (!request || (asked_parent_ && !cancelled.message.empty()))
                request = cancelled;
            abort(); // and keep waiting: they use what is ours
        }
    }
    has_ended_ = true;
    if (has_failed())
        throw_failure(request);
    if (request)
        throw Cancelled(*request);
}
// [/run]

/// Makes the future that the last child will resolve. None: there is no memory for it.
std::optional<Future<>> TaskGroup::make_future_of_last() noexcept {
    last_has_ended_.reset();
    try {
        last_has_ended_ = Future<>();
    } catch (const std::bad_alloc&) {
        return std::nullopt;
    }
    return last_has_ended_;
}

void TaskGroup::cancel() {
    if (std::exchange(is_ending_, true))
        return;
    for (const Child& child : children_)
        child.task->cancel({});
}

void TaskGroup::abort() {
    is_aborting_ = true;
    cancel();
}

void TaskGroup::check_runs() const {
    if (parent_ == nullptr || has_ended_)
        throw std::logic_error("a task group makes tasks only while it runs");
    if (parent_->future().loop() == nullptr)
        throw LoopClosed();
}

void TaskGroup::adopt(Ref<FutureBase> child) {
    auto position = children_.end();
    try {
        position = children_.insert(children_.end(), Child());
        position->callback =
            child->add_done_callback([this, position] { child_has_ended(position); },
                                     std::source_location::current());
    } catch (const std::bad_alloc&) {
        // Nothing would wait for it, so it must not begin.
        if (position != children_.end())
            children_.erase(position);
        child->cancel({});
        throw;
    }
    if (is_ending_)
        child->cancel({});
    position->task = std::move(child);
}

void TaskGroup::child_has_ended(Position position) {
    const Ref<FutureBase> child = position->task;
    const bool failed = !child->cancelled() && child->exception();
    if (failed && !is_noted(child->exception()))
        failed_.splice(failed_.end(), children_, position); // which needs no memory
    else
        children_.erase(position);
    if (children_.empty() && last_has_ended_)
        last_has_ended_->set_result_unless_done();
    if (!failed || asked_parent_ || is_aborting_)
        return;
    cancel();
    asked_parent_ = true; // it may wait anywhere in the body
    parent_->request_cancel({});
}

/// If several children waited for one thing that failed, that is a single failure.
bool TaskGroup::is_noted(const std::exception_ptr& exception) const {
    return exception == body_failure_
           || (!failed_.empty()
               && (exception == failed_.front().task->exception()
                   || exception == failed_.back().task->exception()));
}

void TaskGroup::note_failure_of_body(std::exception_ptr exception) noexcept {
    if (is_noted(exception))
        return;
    body_failure_ = std::move(exception);
    body_failed_first_ = failed_.empty();
    try {
        body_way_ = parent_->way(); // its path so far
    } catch (const std::bad_alloc&) {
        body_way_.clear();
    }
}

/// `request`: the one that reached us, if any did. It may have been our own.
void TaskGroup::throw_failure(const std::optional<Cancelled>& request) {
    if (asked_parent_)
        parent_->uncancel();
    if (parent_->cancelling() > 0) // others have asked, too
        parent_->cancel_at_next_wait(request.value_or(Cancelled()));
    const auto report_too = [](const std::exception_ptr& exception, const auto& way) {
        running_loop().report("another task of the group has failed, too", exception,
                              way);
    };
    if (body_failure_ && !body_failed_first_)
        report_too(body_failure_, body_way_);
    for (const Child& child : failed_)
        if (body_failed_first_ || &child != &failed_.front())
            report_too(child.task->exception(), child.task->way_of_exception());
    const Ref<FutureBase> first =
        body_failed_first_ ? Ref<FutureBase>() : failed_.front().task;
    const std::exception_ptr failure = first ? first->exception() : body_failure_;
    parent_->exception_comes(failure, first ? first->way_of_exception() : body_way_);
    std::rethrow_exception(failure);
}

} // namespace stage3
