// A queue that wakes waiting workers and lets them look for themselves.
#pragma once

#include "stage3_queue_crawler/runtime/task/task.h"

#include <deque>

/// Workers wait in `get` until there is an item. The queue need not be fair, but no
/// worker may sleep while there are items. A worker may leave while it waits: it can be
/// cancelled, or its frame destroyed, for instance because its event loop is closed.
class SimpleQueue {
  public:
    /// Puts an item in, and wakes a worker.
    void put(int item);
    /// Takes an item out; waits while there is none.
    stage3::Coroutine<int> get();

    bool empty() const { return items_.empty(); }

  private:
    struct Waiter; // yours, if you need one
    void wake_one();

    std::deque<int> items_;
    std::deque<stage3::Future<>> waiters_; // each worker waits for its own
};
