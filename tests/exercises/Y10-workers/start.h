// Workers that share a queue, and end together.
#pragma once

#include "coroutine.h"
#include "future.h"
#include "loop.h"
#include "queue.h"
#include "task.h"

#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <utility>

namespace yours {

/// Makes `number` workers (1 or more), which share `queue` and run at the same time. Each
/// is a task that runs `work()`: a coroutine that takes an item, deals with it, calls
/// task_done, and starts over, forever; it may put in more. `queue`, and everything that
/// `work` uses, outlives this.
///
/// It comes to an end when the first of these happens:
///
/// - Every item in the queue is dealt with, or there was none.
/// - A worker throws.
/// - The caller is cancelled.
///
/// Then all workers are asked to end. When all of them *have* ended, however long that
/// takes, this ends, too: it returns, or throws what that worker threw, or throws
/// Cancelled. If another worker throws after that, its exception is dropped. If the
/// caller is cancelled after that, the workers aren't asked again, because they may be
/// cleaning up; Cancelled is then thrown at the end if there is nothing else to throw. A
/// worker that returns has ended, and the others continue.
template <class T>
Coroutine<> run_workers(Loop& loop, Queue<T>& queue, std::size_t number,
                        std::function<Coroutine<>()> work) {
    (void)loop; // yours
    (void)queue;
    (void)number;
    (void)work;
    co_return;
}

} // namespace yours
