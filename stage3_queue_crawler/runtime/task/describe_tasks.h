// Where is each task waiting?
//
// A program of tasks that hangs has one stack, and only the loop is on it: the coroutines
// that wait are in frames scattered over the heap. But the loop knows all its tasks, and
// each task its coroutines, so the program can report what no debugger sees. Nothing is
// recorded for that while it runs: the tasks hold all of it already. Page 21 of the
// book.
#pragma once

#include "stage3_queue_crawler/runtime/task/task.h"

#include <string>

namespace stage3 {

/// All tasks of the loop that are not done, for people to read: what each of them does,
/// where its coroutines are, and what they wait for. Tasks at the same place share one
/// entry, listed where the oldest belongs. After them comes what the loop waits for, or
/// that nothing will ever wake them.
///
/// Call it in the loop's thread, or while the loop isn't running. In names, ASCII control
/// characters become `?`; the rest stays as it is, whatever a terminal makes of it.
std::string describe_tasks(EventLoop& loop);

} // namespace stage3
