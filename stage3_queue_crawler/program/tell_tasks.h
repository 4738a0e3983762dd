// Ctrl-\: where is each task waiting?
#pragma once

#include "stage3_queue_crawler/program/console.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

namespace stage3 {

/// As long as it lives, SIGQUIT shows on the console where all tasks of the loop are, and
/// has no other effect. Both must outlive it. Page 21 of the book.
class TellTasksOnQuit {
  public:
    TellTasksOnQuit(EventLoop& loop, Console& console);
    TellTasksOnQuit(const TellTasksOnQuit&) = delete;
    TellTasksOnQuit& operator=(const TellTasksOnQuit&) = delete;
    /// SIGQUIT does again what it did before.
    ~TellTasksOnQuit();

  private:
    EventLoop& loop_;
};

} // namespace stage3
