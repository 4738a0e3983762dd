// A queue that wakes waiting workers and lets them look for themselves.
#pragma once

#include "stage3_queue_crawler/small/task.h"

#include <deque>
#include <memory>

/// Workers wait in `get` until there is an item. The queue need not be fair, but no
/// worker may sleep while there are items. A worker that waits can be cancelled.
class SimpleQueue {
  public:
    explicit SimpleQueue(stage3::small::EventLoop& loop) : loop_(loop) {}

    /// Puts an item in, and wakes a worker.
    void put(int item);
    /// Takes an item out; waits while there is none.
    stage3::small::Coroutine<int> get();

  private:
    struct Waiter; // yours, if you need one
    void wake_one();

    stage3::small::EventLoop& loop_;
    std::deque<int> items_;
    std::deque<std::shared_ptr<stage3::small::Future>> waiters_; // one for each worker
};
