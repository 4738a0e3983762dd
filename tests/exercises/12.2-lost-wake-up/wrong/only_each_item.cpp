// hint: was woken and then cancelled
#include "exercise.h"

using stage3::Cancelled;
using stage3::Coroutine;
using stage3::Future;

void SimpleQueue::put(int item) {
    items_.push_back(item);
    wake_one();
}

Coroutine<int> SimpleQueue::get() {
    while (items_.empty()) {
        const Future<> woken;
        waiters_.push_back(woken);
        co_await woken;
    }
    const int item = items_.front();
    items_.pop_front();
    co_return item;
}

/// Wakes the first who waits.
void SimpleQueue::wake_one() {
    while (!waiters_.empty()) {
        const Future<> first = waiters_.front();
        waiters_.pop_front();
        if (first.set_result_unless_done())
            return; // it has not been cancelled
    }
}
