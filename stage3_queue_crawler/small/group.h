// The smallest scope for tasks: it doesn't end before they do.
//
// The real one is runtime/task/task_group.h. Page 14 of the book.
#pragma once

#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/future.h"
#include "stage3_queue_crawler/small/task.h"

#include <exception>
#include <list>
#include <optional>
#include <utility>

namespace stage3::small {

// NOLINTBEGIN(bugprone-empty-catch): see there
// [group]
/// Owns its children. Must live until `wait` has ended.
class Group {
  public:
    explicit Group(EventLoop& loop) : loop_(loop) {}

    void start(Coroutine<> child) {
        ++running_;
        children_.emplace_back(loop_, run(std::move(child)));
        if (was_cancelled_)
            children_.back().cancel();
    }

    /// Asks all children to end, and those that are started later.
    void cancel() {
        was_cancelled_ = true;
        for (Task& child : children_)
            child.cancel();
    }

    // [wait]
    /// Waits until every child has ended. Throws what the first one to fail threw. If it
    /// is asked to end itself, it asks the children, and waits for them all the same.
    Coroutine<> wait() {
        bool was_asked = false;
        while (running_ > 0) {
            try {
                co_await all_have_ended_.emplace(loop_);
            } catch (const Cancelled&) {
                was_asked = true;
                cancel();
            }
        }
        if (error_)
            std::rethrow_exception(error_);
        if (was_asked)
            throw Cancelled();
    }
    // [/wait]

  private:
    // [run]
    Coroutine<> run(Coroutine<> child) {
        try {
            co_await std::move(child);
        } catch (const Cancelled&) { // it was asked to end, which is no failure
        } catch (...) {
            if (!error_)
                error_ = std::current_exception();
            cancel();
        }
        if (--running_ == 0 && all_have_ended_)
            all_have_ended_->set_result();
    }
    // [/run]

    EventLoop& loop_;
    std::list<Task> children_;
    std::size_t running_ = 0;
    bool was_cancelled_ = false;
    std::optional<Future> all_have_ended_; // what `wait` waits for
    std::exception_ptr error_;             // of the first one to fail
};
// [/group]
// NOLINTEND(bugprone-empty-catch)

} // namespace stage3::small
