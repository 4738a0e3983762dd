// At most one timer: each request replaces the one before.
#include "exercise.h"

#include <chrono>

BlinkerTimer::BlinkerTimer(stage3::small::Loop& loop, Blinker& blinker)
    : loop_(loop), blinker_(blinker) {
    blinker.set_timer_function(&BlinkerTimer::on_timer, this);
}

BlinkerTimer::~BlinkerTimer() {
    blinker_.set_timer_function(nullptr, nullptr);
    loop_.cancel(timer_);
}

void BlinkerTimer::on_timer(long milliseconds, void* self) {
    auto& timer = *static_cast<BlinkerTimer*>(self);
    timer.loop_.cancel(timer.timer_);
    // 0 is a timer, too: the loop calls it in a turn, and not in here.
    if (milliseconds >= 0)
        timer.timer_ =
            timer.loop_.call_later(std::chrono::milliseconds(milliseconds),
                                   [&blinker = timer.blinker_] { blinker.act(); });
}
