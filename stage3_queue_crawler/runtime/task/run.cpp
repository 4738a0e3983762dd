#include "stage3_queue_crawler/runtime/task/run.h"

#include "stage3_queue_crawler/runtime/task/wait.h"

namespace stage3 {

void cancel_all_tasks(EventLoop& loop) {
    const auto tasks = all_tasks(loop);
    for (const auto& task : tasks)
        task->cancel({});
    const Task<bool> ended = create_task(loop, wait(tasks));
    while (!ended.done()) {
        try {
            run_until_complete<bool>(loop, ended);
        } catch (const LoopStopped&) {
            continue; // by one of them
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
