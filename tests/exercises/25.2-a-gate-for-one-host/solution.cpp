// One function starts whatever may start; everything that changes something calls it.
#include "exercise.h"

#include <algorithm>
#include <utility>

void Gate::enter(std::string page) {
    line_.push_back(std::move(page));
    start_next();
}

void Gate::end() {
    --in_flight_;
    start_next();
}

void Gate::hold(TimePoint when) {
    // A timer that was set for an earlier time will look again.
    next_start_ = std::max(next_start_, when);
}

void Gate::start_next() {
    while (!line_.empty() && in_flight_ < limits_.max_in_flight) {
        if (loop_.time() < next_start_) {
            timer_.emplace(loop_.call_at(next_start_, [this] { start_next(); }));
            return;
        }
        const std::string page = std::move(line_.front());
        line_.pop_front();
        // All this first: inside start_, the request may end, or another page come.
        ++in_flight_;
        next_start_ = loop_.time() + limits_.delay;
        start_(page);
    }
}
