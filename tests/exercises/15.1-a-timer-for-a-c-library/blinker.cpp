#include "blinker.h"

#include <utility>

void Blinker::set_timer_function(TimerFunction function, void* data) {
    function_ = function;
    data_ = data;
}

void Blinker::start(std::vector<long> pattern) {
    pattern_ = std::move(pattern);
    next_ = 0;
    if (pattern_.empty())
        wish(-1);
    else
        wish_for_next();
}

void Blinker::stop() { start({}); }

void Blinker::act() {
    if (calling_back_) {
        ++refused_;
        return;
    }
    ++switched_;
    wish_for_next();
}

void Blinker::wish_for_next() {
    if (next_ < pattern_.size())
        wish(pattern_[next_++]);
}

void Blinker::wish(long milliseconds) {
    if (function_ == nullptr)
        return;
    calling_back_ = true;
    function_(milliseconds, data_);
    calling_back_ = false;
}
