// Politeness to one host: how many requests at once, and how fast.
#pragma once

#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

struct Limits {
    std::size_t max_in_flight = 1;       ///< requests at once
    stage3::EventLoop::Duration delay{}; ///< at least, from one start to the next
};

/// A worker that wants to fetch a page of the host brings it here, and does not wait.
/// The gate starts the requests as soon as the limits allow: first in, first out.
class Gate {
  public:
    using TimePoint = stage3::EventLoop::TimePoint;
    using Start = std::function<void(const std::string& page)>;

    /// `start` starts a request, and returns at once. It's called once for each page, in
    /// `enter` or later. If a request ends at once, `start` itself calls `end`.
    Gate(stage3::EventLoop& loop, Limits limits, Start start)
        : loop_(loop), limits_(limits), start_(std::move(start)) {}

    /// Starts the request if it may start now and no page is in line. If not, the page
    /// waits in line. Returns at once.
    void enter(std::string page);

    /// A request has ended, successfully or not.
    void end();

    /// The host wants no request to start before `when`. If the next one has to wait
    /// longer than that anyway, this changes nothing.
    void hold(TimePoint when);

  private:
    /// Yours: starts what may start now, and makes sure that the rest isn't forgotten.
    void start_next();

    stage3::EventLoop& loop_;
    const Limits limits_;
    const Start start_;
    std::deque<std::string> line_; // the pages that wait
    std::size_t in_flight_ = 0;    // requests that have started and not ended
    TimePoint next_start_{};       // no request starts before this
    std::optional<stage3::CancelAtExit> timer_; // cancels its timer at the end
};
