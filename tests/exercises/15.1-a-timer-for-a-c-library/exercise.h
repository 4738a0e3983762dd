// What you have to write: a class that connects a Blinker to an event loop.
#pragma once

#include "blinker.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

/// As long as this lives, the blinker gets the timers that it asks for. When this is
/// destroyed, it leaves no timer of the blinker in the loop, and takes its timer function
/// back. The loop and the blinker outlive this.
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
