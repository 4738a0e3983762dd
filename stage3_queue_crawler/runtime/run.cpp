#include "stage3_queue_crawler/runtime/run.h"

#include <algorithm>

namespace stage3 {

void cancel_all_tasks(EventLoop& loop) {
    const auto tasks = all_tasks(loop);
    const auto all_done = [&tasks] {
        return std::ranges::all_of(tasks, [](const auto& task) { return task->done(); });
    };
    for (const auto& task : tasks) {
        task->cancel({});
        task->add_done_callback(
            [&] {
                if (all_done())
                    loop.stop();
            },
            std::source_location::current());
    }
    while (!all_done())
        loop.run_forever();
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
