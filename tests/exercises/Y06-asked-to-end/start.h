// A task: a chain of coroutines that can be asked to end, and the future of its end.
//
// Fill in the functions that do nothing yet, or not enough. What a task must keep
// besides, add it.
#pragma once

#include "coroutine.h"
#include "future.h"
#include "loop.h"

#include <coroutine>
#include <exception>
#include <utility>

namespace yours {

/// A chain of coroutines that runs by itself. As a Future, it's done when the outermost
/// one has ended, and has failed with what that has thrown. Nothing of that leaves the
/// loop's turn. It must live until it's done.
class Task : public Future, private Chain {
  public:
    /// Begins in the loop's next turn.
    Task(EventLoop& loop, Coroutine<> coroutine)
        : Future(loop), Chain(loop, std::move(coroutine)) {}

    /// Asks it to end, and returns at once: nothing of it runs in here. False, if it is
    /// done; then nothing happens.
    ///
    /// - If it waits for a future, that is cancelled (for all who wait for it). So its
    ///   co_await throws Cancelled, in the loop's next turn.
    /// - If it waits for a task, that is asked in its place.
    /// - If what it waits for is done, and its turn hasn't come yet, that is asked, too,
    ///   and says false (whoever made it may want to know of it). Then the co_await
    ///   throws Cancelled when its turn comes, though the result is there.
    /// - If it has not begun: no line of it runs. When its turn comes, it ends, and has
    ///   failed with Cancelled.
    /// - If it runs: the next co_await of it that has to wait throws, a turn later, as
    ///   any wait that is cancelled. If it returns before it comes to one, it has failed
    ///   with Cancelled. If it throws something, that's what it has failed with.
    ///
    /// Each time, Cancelled is thrown once, however often it was asked. A coroutine may
    /// catch it and go on as if nothing had been.
    bool cancel() override {
        return false; // yours
    }

  private:
    // What a Chain calls.

    /// `innermost` begins to wait for `future`.
    void wait_for(Future& future, std::coroutine_handle<> innermost) override {
        Chain::wait_for(future, innermost); // and what else?
    }

    /// `innermost` goes on: what this throws, its co_await throws.
    void going_on() override {
        // yours
    }

    /// It's the task's turn: to begin, or to go on.
    void run() override {
        Chain::run(); // always?
    }

    /// The outermost has ended; `error` is what it has thrown, or nullptr.
    void ended(std::exception_ptr error) override {
        (void)error; // yours
    }
};

/// Lets the loop turn until `task` is done. Throws what that has failed with.
inline void run_until_complete(Loop& loop, Task& task) {
    (void)loop; // yours
    (void)task;
}

} // namespace yours
