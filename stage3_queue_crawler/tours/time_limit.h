// The smallest time limit. The real one is in runtime/task/wait.cpp.
#pragma once

#include "stage3_queue_crawler/runtime/loop/callback.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/future.h"
#include "stage3_queue_crawler/runtime/task/task.h"

namespace stage3::tours {

// [time-limit]
/// True if `task` ends within `limit`. If not, cancels it and waits until it has ended.
inline Coroutine<bool> ends_within(Task<> task, EventLoop::Duration limit) {
    Future<> woken; // when the task has ended, or the time is up
    const auto wake = [&woken] { woken.set_result_unless_done(); };
    const CancelAtExit end(task.add_done_callback([wake](const auto&) { wake(); }));
    const CancelAtExit timer(running_loop().call_later(limit, wake));
    co_await woken;
    if (task.done())
        co_return true;
    woken = Future<>();
    task.cancel();
    co_await woken; // until it has cleaned up
    co_return false;
}
// [/time-limit]

} // namespace stage3::tours
