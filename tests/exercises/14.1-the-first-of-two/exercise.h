// What first_of must do.
#pragma once

#include "stage3_queue_crawler/small/group.h"
#include "stage3_queue_crawler/small/task.h"

/// Runs both, until one of them has a result, and returns that result. The other one is
/// asked to end and waited for: when this returns, neither is running. Neither fails in
/// this exercise.
///
/// If the task that waits here is asked to end, both are asked to end and waited for, and
/// then Cancelled is thrown.
stage3::small::Coroutine<int> first_of(stage3::small::EventLoop& loop,
                                       stage3::small::Coroutine<int> one,
                                       stage3::small::Coroutine<int> other);
