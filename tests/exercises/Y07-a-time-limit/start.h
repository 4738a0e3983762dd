// A loop with timers, and what they are for: to sleep, and to end what takes too long.
//
// Fill in Loop, Timer, sleep, TimedTask and ends_within.
#pragma once

#include "coroutine.h"
#include "event_loop.h"
#include "future.h"
#include "task.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace yours {

/// A loop that can also call back at a given time.
class Loop : public EventLoop {
  public:
    using Clock = std::chrono::steady_clock;
    /// Identifies a timer by when it is due and by its number, counted from the first,
    /// because two may be due at the same time. Others only keep it and pass it to
    /// `cancel`.
    using TimerId = std::pair<Clock::time_point, unsigned long>;
    using EventLoop::EventLoop; // it's constructed like one

    /// A turn will call `callback` once, when `delay` has passed and never before. It
    /// isn't called in here, even if the delay is 0.
    TimerId call_later(Milliseconds delay, std::function<void()> callback) {
        (void)delay; // yours
        (void)callback;
        return {};
    }

    /// Cancels a timer: it won't be called. If it has already been called or cancelled,
    /// nothing happens. Callbacks may cancel their own timer and any other.
    void cancel(const TimerId& id) {
        (void)id; // yours
    }

    /// One turn of EventLoop, which sleeps no longer than `timeout`, and no longer than
    /// until the next timer is due. Then it calls the timers that are due: the earlier
    /// time first, and of equal times, the timer that was made first. What a callback
    /// adds meanwhile waits for the next turn, even if it's due at once.
    void turn(std::optional<Milliseconds> timeout = std::nullopt) override {
        (void)timeout; // yours: how long may it sleep?
        EventLoop::turn(Milliseconds(0));
    }

  private:
    // What do you keep for each timer, and in which container, so that the next one is
    // easy to find?
};

/// Calls back when `delay` has passed, unless it's destroyed before.
class Timer {
  public:
    Timer(Loop& loop, Loop::Milliseconds delay, std::function<void()> callback) {
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

/// Waits until `delay` has passed, and holds up nothing else; even if it's 0, everything
/// else that is ready gets a turn. If the sleeper is cancelled, nothing is left in the
/// loop that would call it later.
inline Coroutine<> sleep(Loop& loop, Loop::Milliseconds delay) {
    (void)loop; // yours
    (void)delay;
    co_return;
}

/// A task that is asked to end when `limit` has passed, and that knows what has asked.
/// When it is destroyed, no timer is left.
class TimedTask : public Task {
  public:
    TimedTask(Loop& loop, Loop::Milliseconds limit, Coroutine<> coroutine)
        : Task(loop, std::move(coroutine)) {
        (void)limit; // yours
    }

    /// A request from the task that waits for this one.
    bool cancel() override {
        return Task::cancel(); // yours
    }

    /// True if it was asked to end by its timer, and by nothing else.
    bool is_only_late() const {
        return false; // yours
    }
};

/// Runs `coroutine`, asks it to end when `limit` has passed, and waits until it *has*
/// ended: until then, it may use what its caller has lent it.
///
/// Returns true if `coroutine` returns, even if that is after it was asked; false if it
/// ended with Cancelled because its time was up. If it throws something else, that is
/// thrown.
///
/// If the caller is asked to end, the coroutine is asked, and if it ends with Cancelled,
/// Cancelled is thrown. This also holds if the limit is up in the same turn, or was
/// before, or will be before the coroutine has ended: a caller that was asked to end must
/// not mistake that for a slow coroutine and carry on.
inline Coroutine<bool> ends_within(Loop& loop, Loop::Milliseconds limit,
                                   Coroutine<> coroutine) {
    (void)loop; // yours
    (void)limit;
    co_await std::move(coroutine);
    co_return true;
}

} // namespace yours
