// Wakes a worker for each item, and passes a wake-up on if the worker is cancelled.
#include "exercise.h"

using stage3::small::Cancelled;
using stage3::small::Coroutine;
using stage3::small::Future;

void SimpleQueue::put(int item) {
    items_.push_back(item);
    wake_one();
}

Coroutine<int> SimpleQueue::get() {
    while (items_.empty()) {
        const auto woken = std::make_shared<Future>(loop_);
        waiters_.push_back(woken);
        try {
            co_await *woken;
        } catch (const Cancelled&) {
            if (!items_.empty())
                wake_one(); // it may have been woken for an item, and won't take one
            throw;
        }
    }
    const int item = items_.front();
    items_.pop_front();
    co_return item;
}

/// Wakes the first worker that waits.
void SimpleQueue::wake_one() {
    while (!waiters_.empty()) {
        const auto first = waiters_.front();
        waiters_.pop_front();
        if (!first->done()) {
            first->set_result();
            return;
        } // otherwise its worker has been cancelled
    }
}
