// Measuring short things: do them many times, several times over, and take the best.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace bench {

/// Prints how many nanoseconds `work`, which does something `times` times, takes for
/// each. It's the best of five rounds, because a disturbance only ever makes a
/// measurement longer.
template <class Work>
void print(const char* name, int times, Work work) {
    double best = std::numeric_limits<double>::max();
    for (int round = 0; round < 5; ++round) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::nano> taken =
            std::chrono::steady_clock::now() - start;
        best = std::min(best, taken.count() / times);
    }
    fmt::print("{}\t{:.2f}\n", name, best);
}

} // namespace bench
