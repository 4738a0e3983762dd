// Wakes a worker for each item, and passes a wake-up on if the worker goes away.
#include "exercise.h"

using stage3::Coroutine;
using stage3::Future;

/// Waits in the queue; lives in the frame of `get`. However the wait ends, by a wake-up,
/// by Cancelled, or because the frame is destroyed, its destructor runs.
struct SimpleQueue::Waiter {
    explicit Waiter(SimpleQueue& q) : queue(q) { queue.waiters_.push_back(woken); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() { // NOLINT(bugprone-exception-escape): only without memory
        if (!woken.done())
            woken.cancel(); // wake_one must not choose it
        else if (!had_turn && !woken.cancelled() && !queue.items_.empty())
            queue.wake_one(); // it was woken for an item, and won't take one
    }

    SimpleQueue& queue;
    Future<> woken;
    bool had_turn = false;
};

void SimpleQueue::put(int item) {
    items_.push_back(item);
    wake_one();
}

Coroutine<int> SimpleQueue::get() {
    while (items_.empty()) {
        Waiter waiter(*this);
        co_await waiter.woken;
        waiter.had_turn = true;
    }
    const int item = items_.front();
    items_.pop_front();
    co_return item;
}

/// Wakes the first worker that waits.
void SimpleQueue::wake_one() {
    while (!waiters_.empty()) {
        const Future<> first = waiters_.front();
        waiters_.pop_front();
        if (first.set_result_unless_done())
            return; // it was still waiting
    }
}
