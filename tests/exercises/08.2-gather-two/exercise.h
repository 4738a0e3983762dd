// Waits for two coroutines at the same time.
#pragma once

#include "stage2_coroutines/small/coroutine.h"
#include "stage2_coroutines/small/future.h"

#include <list>
#include <string>
#include <utility>

/// Coroutines that no other awaits, with their frames.
using Started = std::list<small::Coroutine<bool>>;

/// Runs both coroutines at the same time, and returns their results when both have ended:
/// a's result first, whichever ended first. Each of them may also end at once. `started`
/// is for the coroutines that you start on the way: none may be destroyed while it runs,
/// so they belong in a list that outlives this coroutine. Defined in yours.cpp.
small::Coroutine<std::pair<std::string, std::string>>
gather(small::Coroutine<std::string> a, small::Coroutine<std::string> b,
       Started* started);
