// The smallest fetch without callbacks, twice: driven by a Task, and as coroutines that
// await each other.
//
// Stage 2's own is stage2_coroutines/fetcher.h. Pages 07 and 08 of the book.
#pragma once

#include "common/small/event_loop.h"
#include "common/web/url.h"
#include "stage2_coroutines/small/coroutine.h"
#include "stage2_coroutines/small/task.h"

#include <string>

namespace small {

/// The whole response to a request for `url`. For a Task.
Waiting fetch_by_yielding(EventLoop& loop, common::Url url);

/// The same, for another coroutine to await.
Coroutine<std::string> fetch(EventLoop& loop, common::Url url);

} // namespace small
