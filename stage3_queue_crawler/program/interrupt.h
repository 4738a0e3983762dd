// Ctrl-C: the first one asks the crawl to end, the second one doesn't ask.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/runtime/task/task.h"

namespace stage3 {

/// The exit status of a program that Ctrl-C has ended: as shells count, 128 and the
/// signal's number.
inline constexpr int interrupted_status = 130;

/// True since the first of them came, also if the loop has not heard of it yet. For any
/// thread.
bool is_interrupted();

/// From now on, SIGINT or SIGTERM cancels the task; a second one ends the program at
/// once.
void end_on_ctrl_c(EventLoop& loop, Task<Ending> crawl);

/// After `end_on_ctrl_c`. From now on, SIGHUP cancels the task, too: its terminal is
/// closed, or the connection to it. That often makes two, so a second one changes
/// nothing; but Ctrl-C and SIGTERM end the program at once from then on. A process that
/// was told to ignore it (`nohup`) goes on doing so.
void end_on_hangup(EventLoop& loop, Task<Ending> crawl);

} // namespace stage3
