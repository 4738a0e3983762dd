// hint: a timer fires only once
#include "exercise.h"

#include <chrono>

namespace {

using Milliseconds = std::chrono::milliseconds;

void call_every(Milliseconds time, stage3::EventLoop& loop, stage3::Handle& timer,
                Blinker& blinker) {
    timer = loop.call_later(time, [time, &loop, &timer, &blinker] {
        call_every(time, loop, timer, blinker);
        blinker.act();
    });
}

} // namespace

BlinkerTimer::BlinkerTimer(stage3::EventLoop& loop, Blinker& blinker)
    : loop_(loop), blinker_(blinker) {
    blinker.set_timer_function(&BlinkerTimer::on_timer, this);
}

BlinkerTimer::~BlinkerTimer() {
    blinker_.set_timer_function(nullptr, nullptr);
    timer_.cancel();
}

void BlinkerTimer::on_timer(long milliseconds, void* self) {
    auto& timer = *static_cast<BlinkerTimer*>(self);
    timer.timer_.cancel();
    if (milliseconds >= 0)
        call_every(Milliseconds(milliseconds), timer.loop_, timer.timer_, timer.blinker_);
}
