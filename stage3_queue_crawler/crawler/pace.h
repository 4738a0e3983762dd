// The pace that a host puts up with, found by being refused.
//
// A server with a limit says 429 to a client that is faster, but not what its limit is.
// So the pace counts the answers between one refusal and the next: that many, in that
// time, were not too many. From then on requests keep that distance. It shrinks quickly
// while it's far from where the host refused, and ever so slowly near it, so that of many
// requests only a few are refused. And after a refusal the gate opens for a single
// request, then for one more with each answer. Page 25 of the book.
#pragma once

#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace stage3 {

class Pace {
  public:
    using Duration = EventLoop::Duration;
    using TimePoint = EventLoop::TimePoint;
    /// Which refusal a request was sent after. (They are few enough at any time.)
    using Epoch = std::uint8_t;

    /// How many requests may be under way.
    std::size_t window() const { return window_; }
    /// At least this long from the start of one request to that of the next.
    Duration distance() const { return distance_; }
    /// The epoch of the requests that go out now.
    Epoch epoch() const { return epoch_; }
    /// For how long the host has said nothing but that it refuses.
    Duration refused_for(TimePoint now) const {
        return refused_since_ ? now - *refused_since_ : Duration();
    }

    // [pace-begins]
    /// A request goes out. The first one after a refusal ends a stretch: what was
    /// answered in it, and how long it took, is the rate that the host puts up with.
    void begin(TimePoint now) {
        if (!asked_) {
            asked_ = true;
            began_ = now;
        }
        if (!measures_)
            return;
        measures_ = false;
        if (answers_ == 0) // says nothing of the rate: it may be our own pause
            return;
        const std::chrono::duration<double> time = now - began_;
        double measured = answers_ / std::max(time.count(), 0.001);
        if (rate_ == no_rate) // one refusal may be an accident, and its pause a long one
            measured = std::max(measured, 1.0);
        refused_at_ = std::min(rate_, most_above * measured);
        set_rate(std::min(measured, less * rate_));
        answers_ = 0;
        began_ = now;
    }
    // [/pace-begins]

    /// The host has refused a request that was sent in `epoch`. Requests that were sent
    /// with it say the same; only the first one counts.
    void refused(Epoch epoch, TimePoint now) {
        refused_since_ = refused_since_.value_or(now);
        slow_down(epoch);
    }

    /// It has answered 503 to a request that was sent in `epoch`, without saying until
    /// when. If that is all it says, it's no limit: it's broken.
    void busy(Epoch epoch) {
        refused_since_.reset(); // it's no refusal
        if (answers_ > 0 || epoch != epoch_)
            slow_down(epoch);
        else
            window_ = unlimited;
    }

    // [pace-answered]
    /// It has answered. `is_wanted`: others wait, so it's the pace that holds them up.
    void answered(bool is_wanted) {
        refused_since_.reset();
        ++answers_;
        if (window_ != unlimited)
            ++window_;
        if (rate_ == no_rate || measures_ || !is_wanted)
            return;
        const double slowly = 0.005 * (1 + answers_ / 20.0);
        set_rate(rate_
                 * (rate_ < near * refused_at_ ? quickly : 1 + std::min(slowly, 0.1)));
    }
    // [/pace-answered]

  private:
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    static constexpr double no_rate = std::numeric_limits<double>::infinity();
    static constexpr double most_above =
        1.5; // of what was measured: it may be too little
    static constexpr double less = 0.95;
    static constexpr double near = 0.9;
    static constexpr double quickly = 1.1;

    void slow_down(Epoch epoch) {
        window_ = 1;
        if (epoch != epoch_)
            return;
        ++epoch_;
        measures_ = true;
    }

    /// Beyond a thousand a second, it's no limit any more. Less than one a minute would
    /// be no crawl any more, so then we'd rather be refused.
    void set_rate(double rate) {
        rate_ = rate > 1000 ? no_rate : std::max(rate, 1.0 / 60);
        distance_ =
            rate_ == no_rate
                ? Duration()
                : std::chrono::ceil<Duration>(std::chrono::duration<double>(1 / rate_));
    }

    std::size_t window_ = unlimited;
    Duration distance_{};
    double rate_ = no_rate;                  // per second
    double refused_at_ = no_rate;            // the rate at which the host refused
    TimePoint began_{};                      // this stretch
    std::optional<TimePoint> refused_since_; // the first refusal after the last answer
    std::uint32_t answers_ = 0;              // in this stretch
    Epoch epoch_ = 0;
    bool measures_ = false; // a stretch ends with the next request
    bool asked_ = false;
};

} // namespace stage3
