#include "stage3_queue_crawler/runtime/sync/semaphore.h"

namespace stage3 {

Permit::~Permit() { // NOLINT(bugprone-exception-escape): it does not fail
    if (semaphore_ != nullptr)
        semaphore_->take_back();
}

// [acquire]
Coroutine<Permit> Semaphore::acquire() {
    if (free_ > 0) {
        --free_;
        co_return Permit(*this);
    }
    Waiter waiter(waiters_);
    co_await waiter.future;
    co_return std::move(waiter.future).take();
}

/// The next in line gets it. If that one is cancelled before it has its turn, the permit
/// dies with the future in which it lies, and so comes back here.
void Semaphore::take_back() {
    if (Waiter* const waiter = waiters_.next())
        waiter->future.set_result(Permit(*this));
    else
        ++free_;
}
// [/acquire]

} // namespace stage3
