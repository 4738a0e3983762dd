// The smallest event loop with a queue of what is ready.
//
// The book has it as stage3_queue_crawler/small/event_loop.h and run_queue.h. The real
// one is runtime/loop/event_loop.h; page 10 explains what it adds.
#pragma once

#include "common/system/selector.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace yours {

// The same as in the book: stage3_queue_crawler/small/run_queue.h, runnable

// The same as in the book: stage3_queue_crawler/small/run_queue.h, run-queue

// The same as in the book: stage3_queue_crawler/small/event_loop.h, event-loop

} // namespace yours
