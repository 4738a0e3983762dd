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
/// is a task that runs `work()`: a coroutine that takes an item, deals with it, says
/// task_done, and again, for ever; it may put in more. What this is given, `queue` and
/// all that `work` uses, lives longer.
///
/// All is over when the first of these happens:
///
/// - Every item in the queue is dealt with. (There may have been none.)
/// - A worker throws.
/// - Whoever waits here is cancelled.
///
/// Then all workers are asked to end. And when all of them *have* ended, however long
/// that takes them, this ends, too: it returns; or throws what that worker has thrown; or
/// Cancelled. If another worker throws after that, nobody hears of it. If whoever waits
/// here is cancelled after that, the workers aren't asked once more, for they may be
/// tidying up; and Cancelled is thrown, if there is nothing else to throw. (A worker that
/// returns has ended, and the others go on.)
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
