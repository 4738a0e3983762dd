// Ctrl-C: the first one asks the crawl to end, the second one doesn't ask.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/runtime/task/task.h"

namespace stage3 {

/// The exit status of a program that was ended by Ctrl-C: 128 plus the signal's number,
/// as in shells.
inline constexpr int interrupted_status = 130;

/// True once the first of them has come, even if the loop hasn't heard of it yet. May be
/// called from any thread.
bool is_interrupted();

/// From now on, SIGINT or SIGTERM cancels the task; a second one ends the program at
/// once.
void end_on_ctrl_c(EventLoop& loop, Task<Ending> crawl);

/// After `end_on_ctrl_c`. From now on, SIGHUP cancels the task, too: its terminal was
/// closed, or the connection to it. It often comes twice, so a second one changes
/// nothing; but Ctrl-C and SIGTERM end the program at once from then on. A process that
/// was told to ignore SIGHUP (`nohup`) still ignores it.
void end_on_hangup(EventLoop& loop, Task<Ending> crawl);

} // namespace stage3
