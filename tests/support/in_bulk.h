// For tests that repeat something very often.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>

namespace tests {

/// How often to repeat it: `many` times, or that divided by FEWER in the environment.
/// Valgrind takes fifty times as long and sanitizers ten times, and they find in a few
/// repetitions what they would find in a million.
inline int in_bulk(int many) {
    const char* const fewer = std::getenv("FEWER");
    return fewer == nullptr ? many : std::max(1, many / std::stoi(fewer));
}

} // namespace tests
