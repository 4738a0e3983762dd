// A queue that falls asleep. It has two mistakes; exercise.h says what it should do.
#include "exercise.h"

using stage3::Coroutine;
using stage3::Future;

void SimpleQueue::put(int item) {
    const bool was_empty = items_.empty();
    items_.push_back(item);
    if (was_empty) // otherwise a worker was woken before, and is on its way
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

/// Wakes the first worker that waits.
void SimpleQueue::wake_one() {
    while (!waiters_.empty()) {
        const Future<> first = waiters_.front();
        waiters_.pop_front();
        if (first.set_result_unless_done())
            return; // it was still waiting
    }
}
