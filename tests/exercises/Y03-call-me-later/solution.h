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
    /// Identifies a timer: when it is due, and its number, counted from the first.
    using TimerId = std::pair<Clock::time_point, std::uint64_t>;

    /// A turn will call `callback` once, when `delay` is over and never before. A time
    /// that has passed means now, and a hundred years are the maximum.
    TimerId call_later(Milliseconds delay, std::function<void()> callback) {
        delay = std::clamp(delay, Milliseconds(0), Milliseconds(std::chrono::years(100)));
        const TimerId id(Clock::now() + delay, ++made_);
        timers_.emplace(id, std::move(callback));
        return id;
    }

    /// Cancels it. If it has already been called or cancelled, nothing happens.
    void cancel(const TimerId& id) { timers_.erase(id); }

    /// One turn, which sleeps no longer than until the next timer; then calls those that
    /// are due, the earliest first.
    void turn() {
        EventLoop::turn(until_next());
        run_due();
    }

  private:
    std::optional<Milliseconds> until_next() const {
        if (timers_.empty())
            return std::nullopt;
        // Rounded up: with a sleep that is a little too short, the loop would wake up,
        // find nothing to do, and sleep for no time at all, again and again.
        const auto left =
            std::chrono::ceil<Milliseconds>(timers_.begin()->first.first - Clock::now());
        return std::max(left, Milliseconds(0));
    }

    void run_due() {
        // What a callback adds now has a higher number: it waits for the next turn.
        const TimerId last(Clock::now(), made_);
        while (!timers_.empty() && timers_.begin()->first <= last) {
            const auto timer = timers_.extract(timers_.begin()); // it may call cancel
            timer.mapped()();
        }
    }

    std::map<TimerId, std::function<void()>> timers_; // the earliest first
    std::uint64_t made_ = 0;
};

} // namespace yours
