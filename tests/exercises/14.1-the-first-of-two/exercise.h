// What first_of must do.
#pragma once

#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

/// Waits until one of the two has a result, and returns that result. The other one is
/// cancelled and waited for: when this returns, neither is running. If both are done at
/// once, the first one's result counts. Neither fails in this exercise.
///
/// If the task that waits here is cancelled, both are cancelled and waited for, and
/// then Cancelled is rethrown. This holds even if the request comes while they clean up,
/// or comes a second time: the task keeps waiting.
///
/// However it ends, it leaves nothing behind: no running task, and no callback that
/// refers to its variables.
stage3::Coroutine<int> first_of(stage3::Task<int> one, stage3::Task<int> other);
