// A crawl in which other processes take part: `stage3 --frontier`. Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/program/options.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

namespace stage3 {

/// Takes part until the crawl is over, and perhaps writes the report; or, if that is what
/// the options ask for, only writes the report, or only removes the crawl. Returns the
/// exit status. Throws common::UsageError if it can't take part.
Coroutine<int> crawl_together(Options options);

} // namespace stage3
