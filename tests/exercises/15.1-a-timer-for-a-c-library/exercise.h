// What you have to write: a class that connects a Blinker to an event loop.
#pragma once

#include "blinker.h"
#include "stage3_queue_crawler/small/loop.h"

/// As long as this lives, the blinker gets the timers that it asks for. When this is
/// destroyed, it leaves no timer of the blinker in the loop, and takes its timer function
/// back. The loop and the blinker outlive this.
class BlinkerTimer {
  public:
    BlinkerTimer(stage3::small::Loop& loop, Blinker& blinker);
    BlinkerTimer(const BlinkerTimer&) = delete;
    BlinkerTimer& operator=(const BlinkerTimer&) = delete;
    ~BlinkerTimer();

  private:
    /// The blinker's timer function. `self` is the BlinkerTimer: C knows no `this`.
    static void on_timer(long milliseconds, void* self);

    stage3::small::Loop& loop_;
    Blinker& blinker_;
    /// For what call_later returns. Until then, it's no timer's, so to cancel it does
    /// nothing.
    stage3::small::Loop::TimerId timer_;
};
