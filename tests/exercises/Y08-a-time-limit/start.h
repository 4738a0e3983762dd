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

/// A timer that is cancelled when this is destroyed.
class Timer {
  public:
    /// The loop calls `callback` once, when `delay` is over.
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

/// Waits for `delay` and holds up nothing else; even if it's 0, everything else that is
/// ready gets a turn. If the sleeper is cancelled, nothing is left in the loop that would
/// call it later.
inline Coroutine<> sleep(Loop& loop, Milliseconds delay) {
    (void)loop; // yours
    (void)delay;
    co_return;
}

/// Runs `coroutine` and keeps what it returns. A Task takes a coroutine that returns
/// nothing, and you want a value.
template <class T>
Coroutine<> keep(Coroutine<T> coroutine, std::optional<T>& result) {
    result = co_await std::move(coroutine);
}

/// What `coroutine` returns or throws, if that comes within `limit`. `T` isn't void.
///
/// When the limit is up, the coroutine is asked to end. Once it *has* ended, not before,
/// TimedOut is thrown. If it caught Cancelled and returned a value nevertheless, or threw
/// something else, that counts instead, because both say more than "too late".
///
/// If the caller is asked to end, the coroutine is asked, and what it throws is thrown
/// when it has ended: Cancelled, never TimedOut. This also holds if the limit is up in
/// the same turn, or was before, or will be before the coroutine has ended: a caller that
/// was asked to end must not mistake that for a slow coroutine and carry on.
///
/// When this has ended, the timer is cancelled.
template <class T>
Coroutine<T> wait_for(Loop& loop, Coroutine<T> coroutine, Milliseconds limit) {
    (void)loop; // yours
    (void)limit;
    T result = co_await std::move(coroutine);
    co_return result;
}

} // namespace yours
