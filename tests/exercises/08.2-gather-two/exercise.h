// Waits for two coroutines at the same time.
#pragma once

#include "stage2_coroutines/future.h"
#include "stage2_coroutines/task.h"

#include <string>
#include <utility>

/// Runs both coroutines at the same time, and returns their results when both have ended:
/// a's result first, whichever ended first. Each of them may also end at once. Remember
/// that in stage 2 a coroutine that awaits a future which is done never resumes, so look
/// at `done()` before you wait. `tasks` is for the tasks that you will need: a task must
/// not be destroyed while it runs, so they belong in a list that outlives this coroutine.
/// Defined in yours.cpp.
stage2::Coroutine<std::pair<std::string, std::string>>
gather(stage2::Coroutine<std::string> a, stage2::Coroutine<std::string> b,
       stage2::TaskList* tasks);
