// A queue that wakes who waits, and lets them look for themselves.
#pragma once

#include "stage3_queue_crawler/runtime/task/task.h"

#include <deque>

/// Workers wait in `get` until there is an item. It need not be fair, but must not sleep
/// while there are items and somebody who wants them.
class SimpleQueue {
  public:
    /// Puts an item in, and wakes somebody.
    void put(int item);
    /// Takes one out; waits if there is none.
    stage3::Coroutine<int> get();

    bool empty() const { return items_.empty(); }

  private:
    void wake_one();

    std::deque<int> items_;
    std::deque<stage3::Future<>> waiters_; // each waits for its own
};
