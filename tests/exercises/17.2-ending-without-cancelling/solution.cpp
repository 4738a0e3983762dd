// When nothing is left to do, there is a sentinel for each worker.
#include "exercise.h"

#include <optional>
#include <utility>
#include <vector>

using stage3::Coroutine;
using stage3::Future;

/// Handles one item after the other, until it is sent home.
static Coroutine<int> work_on(WorkQueue& queue, Work& work) {
    int handled = 0;
    for (;;) {
        const std::optional<int> item = co_await queue.get();
        if (!item) {
            queue.task_done(); // it has come in like any other item, and is counted
            break;
        }
        co_await work.handle(*item);
        ++handled;
        queue.task_done();
    }
    co_await work.farewell();
    co_return handled;
}

Coroutine<std::vector<int>> run_workers(WorkQueue& queue, int workers, Work& work) {
    std::vector<Future<int>> tasks;
    for (int i = 0; i < workers; ++i)
        tasks.push_back(stage3::create_task(work_on(queue, work)));
    co_await queue.join(); // first: until then, items may bring new ones
    for (int i = 0; i < workers; ++i)
        queue.put_nowait(std::nullopt);
    auto handled = co_await stage3::gather(std::move(tasks));
    co_return handled;
}
