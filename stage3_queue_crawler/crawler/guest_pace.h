// How long a guest waits before the next question: on a server that isn't the crawl's
// own, and hasn't said what it puts up with.
//
// A second is polite to anyone, but nine hundred links to one big site then take a
// quarter of an hour, while that site wouldn't notice ten questions a second. So the
// pause begins with a second, and each answer makes it a fifth shorter: down to a tenth
// of a second, but never shorter than that answer took, so that a slow server has at
// least half of its time for others. The first answer that is none ends this for good: a
// refusal, a fault of the server, a broken connection. Then the pause is a second again,
// and stays that.
//
// Why not find the host's limit, as pace.h does? That takes refusals, and each is a link
// of which nobody knows whether it's alive. A guest who was told once doesn't try it
// again. Page 32 of the book.
#pragma once

#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <algorithm>
#include <chrono>

namespace stage3 {

class GuestPace {
  public:
    using Duration = EventLoop::Duration;
    using TimePoint = EventLoop::TimePoint;

    static constexpr Duration longest = std::chrono::seconds(1);
    static constexpr Duration shortest = std::chrono::milliseconds(100);

    /// From the end of one request to the start of the next.
    Duration pause() const { return pause_; }
    /// True if the request that is under way, or was the last one, came sooner after its
    /// predecessor than it would have without all this: if it's refused, that may be why.
    bool was_hasty() const { return was_hasty_; }

    /// A request goes out. (There is only one at a time.)
    void begin(TimePoint now) {
        began_ = now;
        has_answer_ = false;
        was_hasty_ = has_ended_ && now - ended_ < longest;
    }
    /// It has a whole answer, with which the server has no complaint.
    void answered(TimePoint now) {
        has_answer_ = true;
        if (!was_told_)
            pause_ =
                std::clamp(std::max(pause_ * 4 / 5, now - began_), shortest, longest);
    }
    /// It's over: has there been no such answer?
    void end(TimePoint now) {
        has_ended_ = true;
        ended_ = now;
        if (has_answer_)
            return;
        was_told_ = true;
        pause_ = longest;
    }

  private:
    Duration pause_ = longest;
    TimePoint began_{};
    TimePoint ended_{}; // the last one, if `has_ended_`
    bool has_ended_ = false;
    bool has_answer_ = false;
    bool was_hasty_ = false;
    bool was_told_ = false; // that it's too much
};

} // namespace stage3
