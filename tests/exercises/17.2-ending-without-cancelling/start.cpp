// Cancels its workers, and too early. exercise.h says what it should do.
//
// You may want: queue.join(), queue.put_nowait(std::nullopt), queue.task_done(), and
// stage3::gather(std::move(tasks)), which waits until all are done, and returns their
// results. It takes a std::vector<stage3::Future<int>>; a Task<int> is a Future<int>.
// Remember: no co_await in a condition or a handler.
#include "exercise.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::Task;

/// Handles one item after the other, forever.
static Coroutine<int> work_on(WorkQueue& queue, Work& work) {
    int handled = 0;
    for (;;) {
        const std::optional<int> item = co_await queue.get();
        co_await work.handle(item.value());
        ++handled;
        queue.task_done();
    }
    co_return handled; // never reached
}

Coroutine<std::vector<int>> run_workers(WorkQueue& queue, int workers, Work& work) {
    std::vector<Task<int>> tasks;
    for (int i = 0; i < workers; ++i)
        tasks.push_back(stage3::create_task(work_on(queue, work)));
    while (!queue.empty())
        co_await stage3::sleep(10ms); // is it empty now?
    for (auto& task : tasks)
        task.cancel();
    co_await stage3::wait(tasks);
    std::vector<int> handled; // who knows?
    co_return handled;
}
