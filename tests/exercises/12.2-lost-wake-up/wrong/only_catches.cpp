// hint: it does not get to a `catch`
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
        bool cancelled = false;
        try {
            co_await woken;
        } catch (const Cancelled&) {
            cancelled = true;
        }
        if (cancelled) {
            // it was woken for an item, and won't take one
            if (!woken.cancelled() && !items_.empty())
                wake_one();
            throw Cancelled{};
        }
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
