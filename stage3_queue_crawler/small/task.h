// The smallest task that can be cancelled: it drives a coroutine, and is a future that is
// done when the coroutine has ended.
//
// The real one is runtime/task/task.h. Page 11 of the book.
#pragma once

#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/future.h"

namespace stage3::small {

// [task]
/// Must live until it's done.
class Task : public Future, private Runnable {
  public:
    /// Begins in the loop's next turn.
    Task(EventLoop& loop, Coroutine<> coroutine);

    /// Asks the coroutine to end: Cancelled is thrown where it waits.
    bool cancel() override;

    // For promises and awaiters.

    /// `promise` is resumed next; nullptr: the outermost one has ended.
    void go_on_with(PromiseBase* promise) { innermost_ = promise; }
    void wait_for(Future& future);
    void throw_if_cancelled();

  private:
    void run() override;

    Coroutine<> coroutine_;       // the outermost one
    PromiseBase* innermost_;      // resumed next
    Future* waits_for_ = nullptr; // nullptr: it is running, or has not begun
    bool must_cancel_ = false;    // was asked to end, but hasn't heard of it yet
};
// [/task]

/// Runs the loop until `task` is done. Throws what the task has thrown.
void run_until_complete(EventLoop& loop, Task& task);

} // namespace stage3::small
