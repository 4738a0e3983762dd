// The smallest task that can be cancelled: it drives a coroutine, and is a future that is
// done when the coroutine has ended.
//
// The book has it as stage3_queue_crawler/small/task.h and task.cpp. The real one is
// runtime/task/task.h.
#pragma once

#include "coroutine.h"
#include "event_loop.h"
#include "future.h"

#include <coroutine>
#include <exception>
#include <utility>

namespace yours {

// The same as in the book: stage3_queue_crawler/small/task.h, task

// The same as in the book: stage3_queue_crawler/small/task.cpp, chain

// The same as in the book: stage3_queue_crawler/small/task.cpp, run

// The same as in the book: stage3_queue_crawler/small/task.cpp, cancel

// The same as in the book: stage3_queue_crawler/small/task.cpp, run-until-complete

} // namespace yours
