// An event loop that can also call back at a given time.
#pragma once

#include "event_loop.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace yours {

class Loop : public EventLoop {
  public:
    using Clock = std::chrono::steady_clock;
    using Milliseconds = std::chrono::milliseconds;
    /// Identifies a timer by when it is due and by its number, counted from the first,
    /// because two may be due at the same time. Others only keep it and pass it to
    /// `cancel`.
    using TimerId = std::pair<Clock::time_point, std::uint64_t>;

    /// A turn will call `callback` once, when `delay` is over and never before. It isn't
    /// called in here, whatever the delay; a negative one counts as 0.
    TimerId call_later(Milliseconds delay, std::function<void()> callback) {
        (void)delay;
        (void)callback;
        return {};
    }

    /// Cancels a timer: it won't be called. If it has already been called or cancelled,
    /// nothing happens. Callbacks may cancel their own timer and any other.
    void cancel(const TimerId& id) { (void)id; }

    /// One turn of EventLoop, which sleeps no longer than until the next timer is due;
    /// then it calls those that are due. The earlier time goes first and, among equal
    /// times, the timer that was made first. What a callback adds meanwhile waits for the
    /// next turn, even if it's due at once.
    void turn() {
        EventLoop::turn(Milliseconds(0)); // how long may it sleep?
    }

  private:
    // What do you keep for each timer, and in which container, so that the next one is
    // easy to find?
};

} // namespace yours
