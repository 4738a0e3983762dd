// The smallest scope for tasks: it doesn't end before they do.
//
// The real one is runtime/task/task_group.h.
#pragma once

#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/future.h"
#include "stage3_queue_crawler/small/task.h"

#include <cstddef>
#include <exception>
#include <list>
#include <optional>
#include <utility>

namespace stage3::small {

// NOLINTBEGIN(bugprone-empty-catch): see there
// [group]
/// Owns its children. Must live until `wait` has ended, which must not be cancelled.
class Group {
  public:
    explicit Group(EventLoop& loop) : loop_(loop) {}

    void start(Coroutine<> child) {
        ++running_;
        children_.emplace_back(loop_, run(std::move(child)));
    }

    /// Waits until every child has ended. Throws what the first one to fail threw.
    Coroutine<> wait() {
        while (running_ > 0)
            co_await all_have_ended_.emplace(loop_);
        if (error_)
            std::rethrow_exception(error_);
    }

  private:
    Coroutine<> run(Coroutine<> child) {
        try {
            co_await std::move(child);
        } catch (const Cancelled&) { // it was asked to end, which is no failure
        } catch (...) {
            if (!error_)
                error_ = std::current_exception();
            for (Task& one : children_)
                one.cancel();
        }
        if (--running_ == 0 && all_have_ended_)
            all_have_ended_->set_result();
    }

    EventLoop& loop_;
    std::list<Task> children_;
    std::size_t running_ = 0;
    std::optional<Future> all_have_ended_; // what `wait` waits for
    std::exception_ptr error_;             // of the first one to fail
};
// [/group]
// NOLINTEND(bugprone-empty-catch)

} // namespace stage3::small
