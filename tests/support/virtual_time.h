// Time for a loop, with or without a test around it: the clock stops while the program
// computes, and jumps when the loop sleeps.
//
// So an hour's wait takes no time, and its result is always the same. If nothing could
// ever wake the loop, an exception ends it, which would otherwise hang.
#pragma once

#include "common/system/selector.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace tests {

/// Thrown by a loop that has nothing to wait for.
struct NothingLeft : std::runtime_error {
    NothingLeft() : std::runtime_error("all tasks wait, and nothing will ever happen") {}
};

/// A clock, and a selector that advances it. It must outlive its loop, and no thread may
/// be needed, since no time passes in it.
class VirtualTime {
  public:
    /// For a loop whose time this is.
    stage3::LoopOptions options() {
        stage3::LoopOptions options;
        options.selector = selector();
        options.clock = [this] { return now; };
        return options;
    }
    /// Sleeps by putting the clock forward. Throws NothingLeft if it should sleep for
    /// ever.
    std::unique_ptr<common::Selector> selector() {
        return std::make_unique<Selector>(*this);
    }

    // A loop's clock may begin anywhere, but code may take its zero for "never".
    stage3::EventLoop::TimePoint now{std::chrono::hours(1)};
    /// If it's later than this, a loop that goes to sleep throws std::runtime_error.
    stage3::EventLoop::TimePoint latest = stage3::EventLoop::TimePoint::max();
    std::vector<int> timeouts; ///< in milliseconds, one for each question of the loop
    std::vector<common::Ready> ready; ///< the answer to the next question

  private:
    // [jump]
    class Selector final : public common::Selector {
      public:
        explicit Selector(VirtualTime& time) : time_(time) {}
        std::string_view name() const override { return "virtual"; }

      private:
        void add(int /*fd*/, common::Events /*events*/) override {}
        void change(int /*fd*/, common::Events /*events*/) override {}
        bool remove(int /*fd*/) override { return true; }
        bool wait(int timeout_ms, std::vector<common::Ready>& events) override {
            time_.timeouts.push_back(timeout_ms);
            events = std::exchange(time_.ready, {});
            if (events.empty())
                time_.jump(timeout_ms);
            return true;
        }

        VirtualTime& time_;
    };

    void jump(int timeout_ms) {
        if (timeout_ms < 0)
            throw NothingLeft();
        now += std::chrono::milliseconds(timeout_ms);
        if (now > latest)
            throw std::runtime_error("this doesn't end");
    }
    // [/jump]
};

} // namespace tests
