// hint: a sentinel is left in the queue
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
            queue.put_nowait(std::nullopt); // for the next one
            queue.task_done();
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
    queue.put_nowait(std::nullopt);
    auto handled = co_await stage3::gather(std::move(tasks));
    co_return handled;
}
