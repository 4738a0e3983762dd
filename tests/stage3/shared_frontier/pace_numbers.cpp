// What crawler/pace.h makes of a series of events, for pace_test.py.
//
// Reads one event per line: its time in microseconds, and what happens: "begin",
// "refused EPOCH", "busy EPOCH", "answered IS_WANTED". Writes after each: the window (0:
// no limit), the distance in microseconds, the epoch, and for how many microseconds it
// has said nothing but that it refuses.
#include "stage3_queue_crawler/crawler/pace.h"

#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>

using stage3::Pace;

namespace {

std::int64_t microseconds(Pace::Duration time) {
    return std::chrono::ceil<std::chrono::microseconds>(time).count();
}

} // namespace

int main() {
    Pace pace;
    std::int64_t time = 0;
    std::string what;
    while (std::cin >> time >> what) {
        const Pace::TimePoint now{std::chrono::microseconds(time)};
        unsigned number = 0;
        if (what != "begin")
            std::cin >> number;
        if (what == "begin")
            pace.begin(now);
        else if (what == "refused")
            pace.refused(static_cast<Pace::Epoch>(number), now);
        else if (what == "busy")
            pace.busy(static_cast<Pace::Epoch>(number));
        else
            pace.answered(number == 1);
        const bool has_window = pace.window() < std::numeric_limits<std::size_t>::max();
        fmt::print("{} {} {} {}\n", has_window ? pace.window() : 0,
                   microseconds(pace.distance()), pace.epoch(),
                   microseconds(pace.refused_for(now)));
    }
    return 0;
}
