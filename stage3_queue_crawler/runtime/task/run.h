// From code outside coroutines into coroutines.
#pragma once

#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/task/task.h"

#include <utility>

namespace stage3 {

/// Runs the loop until `future` is done. Throws LoopStopped if the loop is stopped first;
/// `future` is then still alive.
template <class T>
void run_until_done(EventLoop& loop, const Future<T>& future) {
    loop.check_can_run();
    const CancelAtExit stop(
        future.add_done_callback([&loop](const auto&) { loop.stop(); }));
    loop.run_forever();
    if (!future.done())
        throw LoopStopped();
}

/// The same, and returns its result or throws its exception.
template <class T>
T run_until_complete(EventLoop& loop, Future<T> future) {
    run_until_done(loop, future);
    return static_cast<T>(std::move(future).take());
}
/// The same for a coroutine, which becomes a task.
template <class T>
T run_until_complete(EventLoop& loop, Coroutine<T> coroutine) {
    loop.check_can_run();
    return run_until_complete<T>(loop, create_task(loop, std::move(coroutine)));
}

/// Asks all tasks of the loop to end, and runs it until they have. Errors that they throw
/// meanwhile are reported.
///
/// A task that is asked to end may start another one to clean up. That one is waited for,
/// too, but isn't asked to end: it is part of the end. So one that never ends by itself
/// keeps the loop running.
void cancel_all_tasks(EventLoop& loop);

/// The same, but what prevents it is reported, not thrown.
void end_all_tasks(EventLoop& loop) noexcept;

/// Runs `main` in a new loop, and returns its result or throws its exception. Tasks that
/// are still running then are cancelled and waited for: see cancel_all_tasks. Throws
/// std::logic_error if a loop already runs in this thread.
///
/// If `main` throws Cancelled, so does this, and `catch (const std::exception&)` doesn't
/// catch that.
template <class T>
T run(Coroutine<T> main, LoopOptions options = {}) {
    EventLoop loop(std::move(options));
    loop.check_can_run();
    Task<T> task = create_task(loop, std::move(main), "main");
    try {
        run_until_done(loop, task);
    } catch (...) { // the loop was stopped
        end_all_tasks(loop);
        throw;
    }
    end_all_tasks(loop); // before an exception of main's is thrown
    return static_cast<T>(std::move(task).take());
}

} // namespace stage3
