// A task: it drives a coroutine that can be asked to end, and is the future of its end.
//
// Fill in the functions that do nothing yet, or not enough. Add whatever a task must
// remember.
#pragma once

#include "coroutine.h"
#include "event_loop.h"
#include "future.h"

#include <coroutine>
#include <exception>
#include <utility>

namespace yours {

/// Drives a coroutine and all those that it awaits. As a Future, it is done when the
/// outermost coroutine has ended, and has failed with what that threw, if anything. No
/// exception leaves the loop's turn. Must live until it's done.
class Task : public Future, private Runnable {
  public:
    /// The outermost coroutine begins in the loop's next turn. Its promise gets to know
    /// the task that drives it.
    Task(EventLoop& loop, Coroutine<> coroutine)
        : Future(loop), coroutine_(std::move(coroutine)),
          innermost_(&coroutine_.promise()) {}

    /// Asks it to end, and returns at once: none of it runs in here. Returns false if it
    /// is done; then nothing happens.
    ///
    /// - If it waits for a future, that is cancelled (for everything that waits for it).
    ///   So the task's co_await throws Cancelled in the loop's next turn.
    /// - If it waits for a task, that task is asked instead.
    /// - If what it waits for is done, but its turn hasn't come yet, that is asked as
    ///   well and returns false (its owner may want to know). Then the co_await throws
    ///   Cancelled when its turn comes, although the result is there.
    /// - If it runs, or has not begun, the next co_await in it that has to wait throws,
    ///   one turn later, as any cancelled wait does.
    ///
    /// In each case, Cancelled is thrown once, however often the task was asked. A
    /// coroutine may catch it and carry on as if nothing had happened.
    bool cancel() override {
        return false; // yours
    }

    // For promises and awaiters.

    /// `promise` is resumed next; nullptr: the outermost one has ended.
    void go_on_with(PromiseBase* promise) { innermost_ = promise; }

    /// A coroutine has been suspended because it waits for `future`, which isn't done.
    /// When that is done, the task runs again. If the task was asked to end before it
    /// came here, it asks `future`.
    void wait_for(Future& future) {
        (void)future; // yours
    }

    /// The wait is over, and the coroutine goes on. If the task was asked to end
    /// meanwhile, and has not passed that on, this throws Cancelled.
    void throw_if_cancelled() {
        // yours
    }

  private:
    /// One step: resumes the innermost coroutine, and then whichever is to be next,
    /// until one waits for a future or the outermost has ended. In that case the task is
    /// done: it has failed with what the outermost's promise has in `error`, if anything.
    void run() override {
        // yours
    }

    Coroutine<> coroutine_;                        // the outermost one
    PromiseBase* innermost_;                       // resumed next
    [[maybe_unused]] Future* waits_for_ = nullptr; // nullptr: it runs, or has not begun
};

/// `parent` awaits `child`: the child gets the same task, and knows its caller. The task
/// is to resume the child next. Nothing is resumed in here.
inline void await_child(PromiseBase& parent, PromiseBase& child) {
    (void)parent; // yours
    (void)child;
}

/// The coroutine has ended: its task is to resume the caller next, if there is one.
inline void
PromiseBase::Ended::await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {
    // yours
}

/// A coroutine goes on after `co_await future`. If it was suspended there, its task may
/// have been asked to end, which this throws. If the future has failed, it throws that.
inline void FutureAwaiter::await_resume() {
    // yours
}

/// Runs the loop until `task` is done. Throws what it has failed with.
inline void run_until_complete(EventLoop& loop, Task& task) {
    (void)loop; // yours
    (void)task;
}

} // namespace yours
