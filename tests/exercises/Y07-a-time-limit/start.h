// Sleeping, and time limits.
//
// Fill in Timer, sleep and wait_for.
#pragma once

#include "coroutine.h"
#include "future.h"
#include "loop.h"
#include "task.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

namespace yours {

using Milliseconds = std::chrono::milliseconds;

/// Thrown by wait_for.
struct TimedOut : std::runtime_error {
    TimedOut() : std::runtime_error("it took too long") {}
};

/// A timer that is taken back when this dies.
class Timer {
  public:
    /// `callback` is called once, by the loop, when `delay` is over.
    Timer(Loop& loop, Milliseconds delay, std::function<void()> callback) {
        (void)loop; // yours
        (void)delay;
        (void)callback;
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() {
        // yours
    }
};

/// Waits for `delay`, and holds up nobody else; also if it's 0, all others have a turn.
/// If whoever sleeps is cancelled, nothing is left in the loop that would call something
/// later.
inline Coroutine<> sleep(Loop& loop, Milliseconds delay) {
    (void)loop; // yours
    (void)delay;
    co_return;
}

/// Runs `coroutine`, and keeps what it returns: a Task takes a coroutine that returns
/// nothing, and you want a value.
template <class T>
Coroutine<> keep(Coroutine<T> coroutine, std::optional<T>& result) {
    result = co_await std::move(coroutine);
}

/// What `coroutine` returns or throws, if that comes within `limit`. (`T` isn't void.)
///
/// When the limit is over, the coroutine is asked to end. And when it *has* ended, not
/// before, TimedOut is thrown. If it has caught Cancelled and returned a value all the
/// same, or thrown something else, then that counts: both say more than "too late".
///
/// If somebody else asks whoever waits here to end, the coroutine is asked, and what it
/// throws is thrown when it has ended: Cancelled, and never TimedOut. Also if the limit
/// passes in the same turn, or has passed, or will pass before the coroutine has ended:
/// who was asked to end must not take that for a slow coroutine, and go on.
///
/// When this has ended, the timer is taken back.
template <class T>
Coroutine<T> wait_for(Loop& loop, Coroutine<T> coroutine, Milliseconds limit) {
    (void)loop; // yours
    (void)limit;
    T result = co_await std::move(coroutine);
    co_return result;
}

} // namespace yours
