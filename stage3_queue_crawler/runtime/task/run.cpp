#include "stage3_queue_crawler/runtime/task/run.h"

#include "stage3_queue_crawler/runtime/task/wait.h"

#include <algorithm>
#include <optional>

namespace stage3 {

void cancel_all_tasks(EventLoop& loop) {
    const auto tasks = all_tasks(loop);
    for (const auto& task : tasks)
        task->as_task()->request_cancel_with_all();
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
    for (const auto& task : tasks)
        if (!task->cancelled())
            if (const auto exception = task->exception())
                loop.report(
                    {.message =
                         "a task was asked to end, since main had ended, and failed",
                     .exception = exception,
                     .chain = task->as_task()->traceback()});
}

} // namespace stage3
