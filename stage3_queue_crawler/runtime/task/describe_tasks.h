// Where does everybody wait?
//
// A program of tasks that stands still has one stack, and on that there is only the loop:
// those who wait lie in their frames, anywhere. But the loop knows all its tasks, and
// each task its coroutines. So the program can tell what no debugger sees. Nothing is
// kept for that while it runs; all that is told stands in the tasks already. Page 21 of
// the book.
#pragma once

#include "stage3_queue_crawler/runtime/task/task.h"

#include <string>

namespace stage3 {

/// All tasks of the loop that are not done, as a person reads it: what each of them does,
/// where its coroutines stand, and what for. Tasks that stand in the same place are one
/// entry, at the place of the oldest. Behind them, what the loop waits for; and if nobody
/// will ever wake them, that.
///
/// In the loop's thread, or while nobody runs it. Names stand there as they are: whoever
/// takes them from outside must see to what a terminal makes of them.
std::string describe_tasks(EventLoop& loop);

} // namespace stage3
