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

/// Ends everything when what is in `queue` is dealt with.
template <class T>
Coroutine<> wait_until_empty(Queue<T>& queue, Future& over) {
    co_await queue.join();
    over.set_result();
}

/// Runs `work`; if that throws, everything ends.
inline Coroutine<> work_or_fail(std::function<Coroutine<>()> work, Future& over) {
    try {
        co_await work();
    } catch (...) { // Cancelled, too: `over` is done by then
        over.set_exception(std::current_exception());
    }
}

/// Is asked to end only by `ask_to_end`. A request from a task that waits for it is only
/// noted, so that a worker that is cleaning up isn't disturbed.
class Worker : public Task {
  public:
    using Task::Task;

    void ask_to_end() { Task::cancel(); }

    bool cancel() override {
        noted_ = true;
        return true;
    }

    bool noted() const { return noted_; }

  private:
    bool noted_ = false;
};

/// Waits until `worker` has ended, in whatever way.
inline Coroutine<> end_of(Worker& worker) {
    try {
        co_await worker;
    } catch (const Cancelled&) { // as it was asked to
    }
}

/// Has `number` workers run `work()` at the same time until everything in `queue` is
/// dealt with. Then, or when one of them throws, or when this is cancelled, asks all of
/// them to end, and waits until they have. Throws what a worker threw; or Cancelled, even
/// if the request comes while they end.
template <class T>
Coroutine<> run_workers(Loop& loop, Queue<T>& queue, std::size_t number,
                        std::function<Coroutine<>()> work) {
    Future over(loop);
    std::list<Worker> workers;
    workers.emplace_back(
        loop, work_or_fail([&] { return wait_until_empty(queue, over); }, over));
    for (std::size_t i = 0; i < number; ++i)
        workers.emplace_back(loop, work_or_fail(work, over));
    std::exception_ptr error;
    try {
        co_await over;
    } catch (...) {
        error = std::current_exception();
    }
    for (Worker& worker : workers)
        worker.ask_to_end();
    for (Worker& worker : workers) {
        co_await end_of(worker);
        if (worker.noted() && !error)
            error = std::make_exception_ptr(Cancelled());
    }
    if (error)
        std::rethrow_exception(error);
}

} // namespace yours
