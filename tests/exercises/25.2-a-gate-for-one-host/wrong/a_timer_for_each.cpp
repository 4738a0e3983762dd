// hint: and then both began
#include "exercise.h"

#include <algorithm>
#include <utility>

void Gate::enter(std::string page) {
    const auto start = [this, page] {
        ++in_flight_;
        next_start_ = loop_.time() + limits_.delay;
        start_(page);
    };
    if (loop_.time() >= next_start_)
        start();
    else
        loop_.call_at(next_start_, start);
}

void Gate::end() {
    --in_flight_;
    start_next();
}

void Gate::hold(TimePoint when) { next_start_ = std::max(next_start_, when); }

void Gate::start_next() {}
