// A crawl by this process alone, with its frontier in memory.
#pragma once

#include "stage3_queue_crawler/program/options.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

namespace stage3 {

/// Crawls, and writes the results. Returns the exit status. Throws
/// common::UsageError if they can't be written where the options say.
Coroutine<int> crawl_alone(Options options);

} // namespace stage3
