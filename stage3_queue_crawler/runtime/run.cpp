#include "stage3_queue_crawler/runtime/run.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace stage3 {

void cancel_all_tasks(EventLoop& loop) {
    const auto tasks = all_tasks(loop);
    std::size_t left = tasks.size();
    std::vector<std::unique_ptr<CancelAtExit>> callbacks;
    for (const auto& task : tasks) {
        callbacks.push_back(std::make_unique<CancelAtExit>(task->add_done_callback(
            [&] {
                if (--left == 0)
                    loop.stop();
            },
            std::source_location::current())));
        task->cancel({});
    }
    while (left > 0)
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
