// Connects a Blinker to an event loop. blinker.h says what the blinker can ask for.
//
// You may want: loop_.call_later(std::chrono::milliseconds(100), function), which returns
// a Handle; and timer_.cancel(), which does no harm if there is nothing to cancel.
#include "exercise.h"

#include <chrono>

BlinkerTimer::BlinkerTimer(stage3::EventLoop& loop, Blinker& blinker)
    : loop_(loop), blinker_(blinker) {
    blinker.set_timer_function(&BlinkerTimer::on_timer, this);
}

BlinkerTimer::~BlinkerTimer() {
    // What must no longer happen?
    static_cast<void>(blinker_);
}

void BlinkerTimer::on_timer(long milliseconds, void* self) {
    auto& timer = *static_cast<BlinkerTimer*>(self);
    // Give the blinker the timer that it asks for, with these:
    static_cast<void>(milliseconds);
    static_cast<void>(timer.loop_);
    static_cast<void>(timer.timer_);
    static_cast<void>(timer.blinker_);
}
