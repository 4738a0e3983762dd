// hint: Time alone is not enough
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
    if (line_.empty())
        return;
    const auto start_first = [this] {
        const std::string page = std::move(line_.front());
        line_.pop_front();
        ++in_flight_;
        next_start_ = loop_.time() + limits_.delay;
        start_(page);
        start_next();
    };
    if (loop_.time() < next_start_)
        timer_.emplace(loop_.call_at(next_start_, start_first));
    else if (in_flight_ < limits_.max_in_flight)
        start_first();
}
