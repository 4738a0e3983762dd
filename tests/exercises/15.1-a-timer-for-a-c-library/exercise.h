// What you have to write: the connection between a Blinker and an event loop.
#pragma once

#include "blinker.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

/// As long as this lives, the blinker gets the timers that it wishes for. When this is
/// destroyed, the blinker gets no more of them: none of its timers is left in the loop,
/// and its timer function is taken back. The loop and the blinker outlive this.
class BlinkerTimer {
  public:
    BlinkerTimer(stage3::EventLoop& loop, Blinker& blinker);
    BlinkerTimer(const BlinkerTimer&) = delete;
    BlinkerTimer& operator=(const BlinkerTimer&) = delete;
    ~BlinkerTimer();

  private:
    /// The blinker's timer function. `self` is the BlinkerTimer: C knows no `this`.
    static void on_timer(long milliseconds, void* self);

    stage3::EventLoop& loop_;
    Blinker& blinker_;
    stage3::Handle timer_; ///< for what call_later returns
};
