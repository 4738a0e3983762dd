// hint: before its workers had ended
#include "exercise.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

using stage3::Coroutine;
using stage3::Task;

using Count = std::shared_ptr<int>;

/// Handles one item after the other, until it is sent home.
static Coroutine<> work_on(WorkQueue& queue, Work& work, Count handled) {
    for (;;) {
        const std::optional<int> item = co_await queue.get();
        if (!item) {
            queue.task_done(); // it has come in like any other item, and is counted
            break;
        }
        co_await work.handle(*item);
        ++*handled;
        queue.task_done();
    }
    co_await work.farewell();
}

Coroutine<std::vector<int>> run_workers(WorkQueue& queue, int workers, Work& work) {
    std::vector<Task<>> tasks;
    std::vector<Count> counts;
    for (int i = 0; i < workers; ++i) {
        counts.push_back(std::make_shared<int>(0));
        tasks.push_back(stage3::create_task(work_on(queue, work, counts.back())));
    }
    co_await queue.join(); // first: until then, items may bring new ones
    for (int i = 0; i < workers; ++i)
        queue.put_nowait(std::nullopt);
    std::vector<int> handled;
    for (const Count& count : counts)
        handled.push_back(*count);
    co_return handled;
}
