// An open gate: every page passes at once. exercise.h says what it should be.
//
// You have: loop_.time(), which is now; limits_.delay and limits_.max_in_flight; and
//     timer_.emplace(loop_.call_at(when, [this] { ... })); which calls the function at
// `when`, and cancels the timer that was set before, if any.
#include "exercise.h"

#include <algorithm>
#include <utility>

void Gate::enter(std::string page) {
    line_.push_back(std::move(page));
    start_next();
}

void Gate::end() {
    // There is room for one more.
    static_cast<void>(in_flight_);
}

void Gate::hold(TimePoint when) {
    // Not before that.
    static_cast<void>(when);
}

void Gate::start_next() {
    // May it start now? If not, when?
    static_cast<void>(loop_);
    while (!line_.empty()) {
        const std::string page = std::move(line_.front());
        line_.pop_front();
        start_(page);
    }
}
