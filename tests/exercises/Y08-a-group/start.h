// A scope for tasks: it doesn't end before they do.
//
// Fill in Group.
#pragma once

#include "coroutine.h"
#include "event_loop.h"
#include "future.h"
#include "task.h"

#include <exception>
#include <list>
#include <optional>
#include <utility>

namespace yours {

/// Tasks that belong together: they run at the same time, and end together. Owns them.
/// Must live until `wait` has ended.
class Group {
  public:
    explicit Group(EventLoop& loop) {
        (void)loop; // yours
    }

    /// Starts a child: a task that runs `child`, beginning in the loop's next turn. A
    /// child may start others. If the group was asked to end, so is the new child.
    void start(Coroutine<> child) {
        (void)child; // yours
    }

    /// Asks all children to end, and those that are started later. That they end is no
    /// failure.
    void cancel() {
        // yours
    }

    /// Waits until every child has ended, or returns at once if none is running.
    ///
    /// If a child fails, which means that it throws something other than Cancelled, then
    /// all others are asked to end. When they *have* ended, this throws what that child
    /// threw. Of several failures, the first counts.
    ///
    /// If the caller is asked to end, all children are asked. When they have ended,
    /// however long that takes, and however often the caller is asked, this throws
    /// Cancelled, or what a child threw that has failed.
    Coroutine<> wait() {
        co_return; // yours
    }

  private:
    // What do you keep, so that `wait` knows when the last child has ended, and how?
};

} // namespace yours
