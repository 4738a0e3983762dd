// How often something happens, as far as that has been seen lately.
//
// Each event counts less and less as time passes: after a tenth of a second, a third as
// much. So the sum of all is what has happened in about the last tenth of a second, and
// neither a burst nor a pause of a few milliseconds changes it much.
#pragma once

#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <chrono>
#include <cmath>
#include <cstddef>

namespace stage3 {

class EventRate {
  public:
    /// An event, at `now`, which must not be earlier than that of the last one.
    void count(EventLoop::TimePoint now) {
        sum_ = sum_at(now) + 1;
        last_ = now;
    }
    /// How many to expect within that time, at the present rate.
    std::size_t expected_in(EventLoop::Duration time, EventLoop::TimePoint now) const {
        return static_cast<std::size_t>(sum_at(now) * (time / memory));
    }

  private:
    using Seconds = std::chrono::duration<double>;
    static constexpr Seconds memory{0.1};

    double sum_at(EventLoop::TimePoint now) const {
        return sum_ * std::exp(-(Seconds(now - last_) / memory));
    }

    double sum_ = 0;
    EventLoop::TimePoint last_{};
};

} // namespace stage3
