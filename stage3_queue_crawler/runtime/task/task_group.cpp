#include "stage3_queue_crawler/runtime/task/task_group.h"

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
        note_failure(std::current_exception(), parent_->way()); // its path so far
    }
    body_has_ended_ = true;
    if (request || !failures_.empty())
        cancel();
    while (!children_.empty()) {
        last_has_ended_ = Future<>();
        try {
            co_await *last_has_ended_;
        } catch (const Cancelled& cancelled) {
            // Keep the first one, unless it was our own, which has no message.
            if (!request || (asked_parent_ && !cancelled.message.empty()))
                request = cancelled;
            cancel(); // and keep waiting: they use what is ours
        }
    }
    has_ended_ = true;
    if (!failures_.empty())
        throw_failure(request);
    if (request)
        throw Cancelled(*request);
}
// [/run]

void TaskGroup::cancel() {
    if (std::exchange(is_ending_, true))
        return;
    for (const Child& child : children_)
        child.task->cancel({});
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

// [child-has-ended]
void TaskGroup::child_has_ended(Position position) {
    const Ref<FutureBase> child = std::move(position->task);
    children_.erase(position);
    if (children_.empty() && last_has_ended_)
        last_has_ended_->set_result_unless_done();
    if (child->cancelled() || !child->exception())
        return;
    note_failure(child->exception(), child->way_of_exception());
    if (asked_parent_ || (is_ending_ && body_has_ended_))
        return;
    cancel();
    asked_parent_ = true; // it may wait anywhere in the body
    parent_->request_cancel({});
}
// [/child-has-ended]

/// If several children waited for one thing that failed, that is a single failure.
void TaskGroup::note_failure(std::exception_ptr exception,
                             std::vector<common::Place> way) {
    const auto is_it = [&](const Failure& one) { return one.exception == exception; };
    if (failures_.empty() || (!is_it(failures_.front()) && !is_it(failures_.back())))
        failures_.push_back({.exception = std::move(exception), .way = std::move(way)});
}

/// `request`: the one that reached us, if any did. It may have been our own.
void TaskGroup::throw_failure(const std::optional<Cancelled>& request) {
    if (asked_parent_)
        parent_->uncancel();
    if (parent_->cancelling() > 0) // others have asked, too
        parent_->cancel_at_next_wait(request.value_or(Cancelled()));
    for (std::size_t i = 1; i < failures_.size(); ++i) {
        const Failure& failure = failures_[i];
        running_loop().report({.message = "another task of the group has failed, too",
                               .exception = failure.exception,
                               .chain = {failure.way.rbegin(), failure.way.rend()}});
    }
    Failure& first = failures_.front();
    parent_->exception_comes(first.exception, std::move(first.way));
    std::rethrow_exception(first.exception);
}

} // namespace stage3
