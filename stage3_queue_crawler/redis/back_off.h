// How long to wait before the next try.
//
// A server that has just come back is not helped by a hundred clients that all return in
// the same millisecond. So the pauses double, up to a limit, and each is chosen at random
// between half and one and a half times that.
#pragma once

#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <algorithm>
#include <chrono>
#include <random>

namespace stage3 {

class BackOff {
  public:
    using Duration = EventLoop::Duration;

    BackOff(Duration first, Duration longest) : pause_(first), longest_(longest) {}

    /// The next pause. `random`: any generator of <random>.
    template <class Random>
    Duration next(Random& random) {
        const double part = std::uniform_real_distribution(0.5, 1.5)(random);
        const std::chrono::duration<double> stretched = pause_ * part;
        pause_ = std::min(pause_ * 2, longest_);
        return std::chrono::duration_cast<Duration>(stretched);
    }

  private:
    Duration pause_;
    const Duration longest_;
};

} // namespace stage3
