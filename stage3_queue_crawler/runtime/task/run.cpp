#include "stage3_queue_crawler/runtime/task/run.h"

#include "stage3_queue_crawler/runtime/task/wait.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <vector>

namespace stage3 {

namespace {

using Tasks = std::vector<Ref<FutureBase>>;

void run_until_all_are_done(EventLoop& loop, const Tasks& tasks) {
    const auto all_done = [&] {
        return std::ranges::all_of(tasks, [](const auto& task) { return task->done(); });
    };
    std::optional<Task<bool>> ended; // one of them may cancel even this
    while (!all_done() || (ended && !ended->done())) {
        if (!ended || ended->done())
            ended = create_task(loop, wait(tasks), "the end of the others");
        try {
            run_until_complete<bool>(loop, *ended);
        } catch (const LoopStopped&) {
            continue; // one of them stopped it
        } catch (const Cancelled&) {
            continue;
        }
    }
}

void report_failures(EventLoop& loop, const Tasks& tasks) {
    for (const auto& task : tasks)
        if (!task->cancelled())
            if (const auto exception = task->exception())
                loop.report("a task was asked to end, since main had ended, and failed",
                            exception, task->as_task()->way());
}

} // namespace

void cancel_all_tasks(EventLoop& loop) {
    Tasks tasks = all_tasks(loop);
    for (const auto& task : tasks)
        task->as_task()->request_cancel_with_all();
    while (!tasks.empty()) {
        run_until_all_are_done(loop, tasks);
        report_failures(loop, tasks);
        tasks = all_tasks(loop); // what they have started meanwhile
    }
}

void end_all_tasks(EventLoop& loop) noexcept {
    try {
        cancel_all_tasks(loop);
    } catch (...) {
        loop.report("the tasks that main has left can't be ended",
                    std::current_exception());
    }
}

} // namespace stage3
