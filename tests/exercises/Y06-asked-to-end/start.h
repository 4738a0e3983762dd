// A task: a chain of coroutines that can be asked to end, and the future of its end.
//
// Fill in the functions that do nothing yet, or not enough. Add whatever a task must
// remember.
#pragma once

#include "coroutine.h"
#include "future.h"
#include "loop.h"

#include <coroutine>
#include <exception>
#include <utility>

namespace yours {

/// A chain of coroutines that runs by itself. As a Future, it is done when the outermost
/// coroutine has ended, and has failed with what that threw, if anything. No exception
/// leaves the loop's turn. Must live until it's done.
class Task : public Future, private Chain {
  public:
    /// Begins in the loop's next turn.
    Task(EventLoop& loop, Coroutine<> coroutine)
        : Future(loop), Chain(loop, std::move(coroutine)) {}

    /// Asks it to end, and returns at once: none of it runs in here. Returns false if it
    /// is done; then nothing happens.
    ///
    /// - If it waits for a future, that is cancelled (for everything that waits for it).
    ///   So the task's co_await throws Cancelled in the loop's next turn.
    /// - If it waits for a task, that task is asked instead.
    /// - If what it waits for is done, but its turn hasn't come yet, that is asked as
    ///   well and returns false (its owner may want to know). Then the co_await throws
    ///   Cancelled when its turn comes, although the result is there.
    /// - If it has not begun, no line of it runs. When its turn comes, it ends, and has
    ///   failed with Cancelled.
    /// - If it runs, the next co_await in it that has to wait throws, one turn later, as
    ///   any cancelled wait does. If it returns before it comes to one, it has failed
    ///   with Cancelled. If it throws something, that is what it has failed with.
    ///
    /// In each case, Cancelled is thrown once, however often the task was asked. A
    /// coroutine may catch it and carry on as if nothing had happened.
    bool cancel() override {
        return false; // yours
    }

  private:
    // What a Chain calls.

    /// `innermost` begins to wait for `future`.
    void wait_for(Future& future, std::coroutine_handle<> innermost) override {
        Chain::wait_for(future, innermost); // and what else?
    }

    /// `innermost` resumes: what this throws, its co_await throws.
    void going_on() override {
        // yours
    }

    /// It's the task's turn to begin or to resume.
    void run() override {
        Chain::run(); // always?
    }

    /// The outermost has ended; `error` is what it threw, or nullptr.
    void ended(std::exception_ptr error) override {
        (void)error; // yours
    }
};

/// Runs the loop until `task` is done. Throws what it has failed with.
inline void run_until_complete(Loop& loop, Task& task) {
    (void)loop; // yours
    (void)task;
}

} // namespace yours
