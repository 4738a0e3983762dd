// What is to be called later, ordered by time.
#pragma once

#include "stage3_queue_crawler/runtime/loop/callback.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stage3 {

/// A heap of callbacks. The earliest comes first; of several that are due at the same
/// time, the one that was added first. (asyncio leaves that order open.)
class Timers {
  public:
    using TimePoint = std::chrono::steady_clock::time_point;

    void add(TimePoint when, Handle callback);

    /// When the next one that wasn't cancelled is due; none if there is no such timer.
    std::optional<TimePoint> next();

    /// Takes out those that are due at `now`.
    RunQueue take_due(TimePoint now);

    /// How many there are, including cancelled ones that are still here.
    std::size_t size() const { return heap_.size(); }

    /// Drops all.
    void clear();

  private:
    struct Timer {
        TimePoint when;
        std::uint64_t number; // no two have the same
        Handle callback;
    };
    static bool is_later(const Timer& a, const Timer& b) {
        return a.when != b.when ? a.when > b.when : a.number > b.number;
    }

    Handle take_first();

    std::vector<Timer> heap_;
    std::uint64_t next_number_ = 0;
    std::size_t sweep_at_ = 100;
};

} // namespace stage3
