// When nothing is left to do, there is a sentinel for each worker.
#include "exercise.h"

#include <cstddef>
#include <optional>
#include <vector>

using namespace stage3::small;

/// Handles one item after the other, and counts them, until it is sent home.
static Coroutine<> work_on(WorkQueue& queue, Work& work, int& handled) {
    while (true) {
        const std::optional<int> item = co_await queue.get();
        if (!item)
            break;
        co_await work.handle(*item);
        ++handled;
        queue.task_done();
    }
    co_await work.farewell();
}

Coroutine<std::vector<int>> run_workers(Loop& loop, WorkQueue& queue, int workers,
                                        Work& work) {
    std::vector<int> handled(static_cast<std::size_t>(workers));
    Group group(loop);
    for (int& number : handled)
        group.start(work_on(queue, work, number));
    co_await queue.join(); // first: until then, items may bring new ones
    for (int i = 0; i < workers; ++i)
        queue.put(std::nullopt);
    co_await group.wait();
    co_return handled;
}
