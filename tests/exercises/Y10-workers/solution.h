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

/// Ends all when what is in `queue` is dealt with.
template <class T>
Coroutine<> wait_until_empty(Queue<T>& queue, Future& over) {
    co_await queue.join();
    over.set_result();
}

/// Does `work`; if that throws, all is over.
inline Coroutine<> work_or_fail(std::function<Coroutine<>()> work, Future& over) {
    try {
        co_await work();
    } catch (...) { // also Cancelled: if all was over before, nothing changes
        over.set_exception(std::current_exception());
    }
}

/// Waits until `task` has ended, however it does.
inline Coroutine<> end_of(Task& task) {
    try {
        co_await task;
    } catch (const Cancelled&) { // as it was asked to
    }
}

/// Has `number` workers run `work()` at the same time, until all that is in `queue`
/// is dealt with. Then, or when one of them throws, or when this is cancelled, asks all
/// of them to end, and waits until they have. Throws what a worker has thrown.
template <class T>
Coroutine<> run_workers(Loop& loop, Queue<T>& queue, std::size_t number,
                        std::function<Coroutine<>()> work) {
    Future over(loop);
    std::list<Task> tasks;
    tasks.emplace_back(loop,
                       work_or_fail([&] { return wait_until_empty(queue, over); }, over));
    for (std::size_t i = 0; i < number; ++i)
        tasks.emplace_back(loop, work_or_fail(work, over));
    std::exception_ptr error;
    try {
        co_await over;
    } catch (...) {
        error = std::current_exception();
    }
    for (Task& task : tasks)
        task.cancel();
    for (Task& task : tasks)
        co_await end_of(task);
    if (error)
        std::rethrow_exception(error);
}

} // namespace yours
