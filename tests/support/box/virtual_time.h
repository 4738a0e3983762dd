// Time that passes only while everyone waits: a crawl of hours takes milliseconds, and
// each run of it takes the same ones.
//
// A loop that has nothing to run asks its selector to sleep until the next timer is due.
// This selector doesn't sleep, but puts the clock forward by as much.
#pragma once

#include "common/system/selector.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace tests::box {

/// A time, or how long something takes.
using Time = std::chrono::microseconds;

/// The time of one box. It must outlive its loop.
class VirtualTime {
  public:
    /// Longer than any crawl in a box should take.
    static constexpr Time longest = std::chrono::hours(100);

    VirtualTime() = default;
    VirtualTime(const VirtualTime&) = delete;
    VirtualTime& operator=(const VirtualTime&) = delete;
    ~VirtualTime() = default;

    /// Since this was made.
    Time now() const { return now_; }
    /// The same, as a loop's clock says it.
    stage3::EventLoop::TimePoint time() const {
        return stage3::EventLoop::TimePoint(first) + now_;
    }
    /// What a task does may take time, too.
    void pass(Time time) { now_ += time; }

    /// For a loop whose time this is, and in which `seed` decides all that is left to
    /// chance. The loop throws std::runtime_error if all its tasks wait for nothing, or
    /// if they go on for more than `longest`. It can watch no descriptors, and its
    /// threads would find that no time passes: what it runs must not use any.
    stage3::LoopOptions options(std::uint32_t seed) {
        stage3::LoopOptions options;
        options.selector = std::make_unique<Jump>(*this);
        options.clock = [this] { return time(); };
        options.random = [random = std::mt19937(seed)]() mutable {
            return static_cast<std::uint32_t>(random());
        };
        return options;
    }

  private:
    // A loop's clock may begin anywhere, but code may take its zero for "never".
    static constexpr Time first = std::chrono::hours(1);

    // [jump]
    class Jump final : public common::Selector {
      public:
        explicit Jump(VirtualTime& time) : time_(time) {}
        std::string_view name() const override { return "virtual time"; }

      private:
        void add(int /*fd*/, common::Events /*events*/) override {}
        void change(int /*fd*/, common::Events /*events*/) override {}
        bool remove(int /*fd*/) override { return true; }
        bool wait(int timeout_ms, std::vector<common::Ready>& /*ready*/) override {
            if (timeout_ms < 0)
                throw std::runtime_error("all tasks wait, and nothing will ever happen");
            time_.pass(std::chrono::milliseconds(timeout_ms));
            if (time_.now() > longest)
                throw std::runtime_error("this doesn't end: 100 hours have passed");
            return true;
        }

        VirtualTime& time_;
    };
    // [/jump]

    Time now_{};
};

} // namespace tests::box
