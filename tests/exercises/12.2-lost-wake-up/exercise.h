// A queue that wakes the workers that wait, and lets them look for themselves.
#pragma once

#include "stage3_queue_crawler/runtime/task/task.h"

#include <deque>

/// Workers wait in `get` until there is an item. It need not be fair, but no worker may
/// sleep while there are items. A worker may go away while it waits: it can be cancelled,
/// and its frame can be destroyed, for instance when its event loop is closed.
class SimpleQueue {
  public:
    /// Puts an item in, and wakes a worker.
    void put(int item);
    /// Takes one out, and waits if there is none.
    stage3::Coroutine<int> get();

    bool empty() const { return items_.empty(); }

  private:
    struct Waiter; // yours, if you need one
    void wake_one();

    std::deque<int> items_;
    std::deque<stage3::Future<>> waiters_; // each worker waits for its own
};
