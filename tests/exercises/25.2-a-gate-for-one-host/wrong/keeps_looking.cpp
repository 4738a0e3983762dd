// hint: kept the loop busy
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

void Gate::hold(TimePoint when) { next_start_ = std::max(next_start_, when); }

void Gate::start_next() {
    while (!line_.empty() && in_flight_ < limits_.max_in_flight) {
        if (loop_.time() < next_start_) {
            timer_.emplace(loop_.call_soon([this] { start_next(); }));
            return;
        }
        const std::string page = std::move(line_.front());
        line_.pop_front();
        ++in_flight_;
        next_start_ = loop_.time() + limits_.delay;
        start_(page);
    }
}
