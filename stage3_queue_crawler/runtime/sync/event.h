// A flag that tasks can wait for.
#pragma once

#include "stage3_queue_crawler/runtime/sync/line.h"

namespace stage3 {

/// Must outlive the tasks that wait for it. Without memory, `wait` throws; `set` needs
/// none.
class Event {
  public:
    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() = default;

    bool is_set() const { return set_; }
    /// Wakes all waiters, in the order in which they came.
    void set();
    /// From now on, `wait` waits again. Tasks that were woken stay awake.
    void clear() { set_ = false; }
    /// Returns when it is set; at once if it is set now.
    Coroutine<> wait();

  private:
    struct Waiter : Waiting<Waiter, void> {
        explicit Waiter(Line<Waiter>& line) : Waiting(line) {}
    };

    bool set_ = false;
    Line<Waiter> waiters_;
};

} // namespace stage3
