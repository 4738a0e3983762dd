// The time of a web in a box, which passes only while everyone waits: a crawl of hours
// takes milliseconds, and each run of it takes the same ones.
#pragma once

#include "tests/support/virtual_time.h"

#include <chrono>
#include <cstdint>
#include <random>

namespace tests::box {

/// A time, or how long something takes.
using Time = std::chrono::microseconds;

/// The time of one box. It must outlive its loop.
class VirtualTime {
  public:
    /// Longer than any crawl in a box should take.
    static constexpr Time longest = std::chrono::hours(100);

    VirtualTime() { time_.latest = begin_ + longest; }
    VirtualTime(const VirtualTime&) = delete;
    VirtualTime& operator=(const VirtualTime&) = delete;
    ~VirtualTime() = default;

    /// Since this was made.
    Time now() const { return std::chrono::duration_cast<Time>(time() - begin_); }
    /// The same, as a loop's clock says it.
    stage3::EventLoop::TimePoint time() const { return time_.now; }
    /// What a task does may take time, too.
    void pass(Time time) { time_.now += time; }

    /// For a loop whose time this is, and in which `seed` decides all that is left to
    /// chance. The loop throws NothingLeft if all its tasks wait for nothing, and
    /// std::runtime_error if they go on for more than `longest`. It can watch no
    /// descriptors, and its threads would find that no time passes: what it runs must not
    /// use any.
    stage3::LoopOptions options(std::uint32_t seed) {
        stage3::LoopOptions options = time_.options();
        options.random = [random = std::mt19937(seed)]() mutable {
            return static_cast<std::uint32_t>(random());
        };
        return options;
    }

  private:
    tests::VirtualTime time_;
    const stage3::EventLoop::TimePoint begin_ = time_.now;
};

} // namespace tests::box
