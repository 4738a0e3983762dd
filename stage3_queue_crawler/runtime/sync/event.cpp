#include "stage3_queue_crawler/runtime/sync/event.h"

namespace stage3 {

void Event::set() {
    set_ = true;
    while (Waiter* const waiter = waiters_.next())
        waiter->future.set_result();
}

Coroutine<> Event::wait() {
    if (set_)
        co_return;
    const Waiter waiter(waiters_);
    co_await waiter.future;
}

} // namespace stage3
