// The smallest task that can be cancelled: it drives a coroutine, and is the future of
// its end.
//
// The real one is runtime/task/task.h; page 11 explains what it adds.
#pragma once

#include "stage3_queue_crawler/first/coroutine.h"
#include "stage3_queue_crawler/first/event_loop.h"
#include "stage3_queue_crawler/first/future.h"

namespace stage3::first {

// [task]
/// It must live until it's done.
class Task : public Future, private Runnable {
  public:
    /// Begins in the loop's next turn.
    Task(EventLoop& loop, Coroutine<> coroutine);

    /// Asks the coroutine to end: Cancelled is thrown where it waits.
    bool cancel() override;

    // For promises and awaiters.

    /// `promise` goes on next; nullptr: the outermost one has ended.
    void go_on_with(PromiseBase* promise) { innermost_ = promise; }
    void wait_for(Future& future);
    void throw_if_cancelled();

  private:
    void run() override;

    Coroutine<> coroutine_;       // the outermost one
    PromiseBase* innermost_;      // goes on next
    Future* waits_for_ = nullptr; // nullptr: it runs, or has not begun
    bool must_cancel_ = false;    // Cancelled is to be thrown at the next wait
};
// [/task]

/// Lets the loop turn until `task` is done. Throws what that has thrown.
void run_until_complete(EventLoop& loop, Task& task);

} // namespace stage3::first
