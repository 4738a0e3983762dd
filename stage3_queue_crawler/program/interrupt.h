// Ctrl-C: the first one asks the crawl to end, the second one doesn't ask.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/runtime/task/task.h"

namespace stage3 {

/// For the beginning of `main`. In a container, the kernel protects process 1 from every
/// signal that it doesn't catch. From now on, SIGINT and SIGTERM end it even before there
/// is a crawl, while it waits for a list of URLs, say.
void let_signals_end_process_1();

/// True once the first of them has come, even if the loop hasn't heard of it yet. May be
/// called from any thread.
bool is_interrupted();

/// For the end of `main`. If a signal has come, even one after the crawl's own end, the
/// program dies by the first, as if it had never been caught: so a shell ends the loop
/// that ran the program. Where that can't kill it (in a container, the kernel protects
/// process 1), it exits with 128 plus the signal's number, which is also the status that
/// a shell shows.
void die_if_interrupted();

/// From now on, SIGINT or SIGTERM cancels the task; the program dies by a second one at
/// once. Both work even if the program was started to ignore them (a shell's `&`).
void end_on_ctrl_c(EventLoop& loop, Task<Ending> crawl);

/// After `end_on_ctrl_c`. From now on, SIGHUP cancels the task, too: its terminal was
/// closed, or the connection to it. It often comes twice, so a second one changes
/// nothing; but Ctrl-C and SIGTERM end the program at once from then on. A process that
/// was told to ignore SIGHUP (`nohup`) still ignores it.
void end_on_hangup(EventLoop& loop, Task<Ending> crawl);

} // namespace stage3
