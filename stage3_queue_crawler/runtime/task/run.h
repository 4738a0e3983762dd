// From code outside coroutines into coroutines.
#pragma once

#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/task/task.h"

#include <utility>

namespace stage3 {

// [run-until-complete]
/// Runs the loop until `future` is done, and returns its result or throws its exception.
/// Throws LoopStopped if the loop is stopped first; `future` is then still alive.
template <class T>
T run_until_complete(EventLoop& loop, Future<T> future) {
    loop.check_can_run();
    const CancelAtExit stop(
        future.add_done_callback([&loop](const auto&) { loop.stop(); }));
    loop.run_forever();
    if (!future.done())
        throw LoopStopped();
    return static_cast<T>(std::move(future).take());
}
// [/run-until-complete]
/// The same for a coroutine, which becomes a task.
template <class T>
T run_until_complete(EventLoop& loop, Coroutine<T> coroutine) {
    loop.check_can_run();
    return run_until_complete<T>(loop, create_task(loop, std::move(coroutine)));
}

/// Asks all tasks of the loop to end, and runs it until they have. Errors that they throw
/// meanwhile are reported.
void cancel_all_tasks(EventLoop& loop);

// [run]
/// Runs `main` in a new loop, and returns its result or throws its exception. Tasks that
/// are still running then are cancelled and waited for. Throws std::logic_error if a loop
/// already runs in this thread.
template <class T>
T run(Coroutine<T> main, LoopOptions options = {}) {
    EventLoop loop(std::move(options));
    loop.check_can_run();
    const AtExit cancel_the_rest([&loop] {
        try {
            cancel_all_tasks(loop);
        } catch (...) {
            loop.report({.message = "the tasks that main has left can't be ended",
                         .exception = std::current_exception(),
                         .chain = {}});
        }
    });
    return run_until_complete<T>(loop, create_task(loop, std::move(main), "main"));
}
// [/run]

} // namespace stage3
