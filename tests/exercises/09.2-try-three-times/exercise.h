// A coroutine that doesn't give up at once.
#pragma once

#include "stage2_coroutines/small/coroutine.h"

#include <functional>
#include <string>

/// Makes a new attempt each time it is called.
using Attempt = std::function<small::Coroutine<std::string>()>;

/// Awaits an attempt, and returns its result. If the network fails, which is a
/// std::system_error, it makes another attempt, up to three in all. If the third attempt
/// throws, its exception comes out. Any exception of another kind comes out at once.
/// Defined in yours.cpp.
small::Coroutine<std::string> try_three_times(Attempt attempt);
