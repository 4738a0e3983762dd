// How long a test case waits for real time.
//
// A wait counts if its time ran out before any event came. The time that was asked for is
// what counts, so a wait that takes longer on a slow machine counts no more there. All
// threads of the test program add to the sum. Programs that it starts don't.
//
// A wait of less than 20 ms doesn't count. Some tests look every few milliseconds whether
// another thread or program has done something, and a slow machine makes them look more
// often. Such a loop must sleep for less than 20 ms between two looks.
//
// A case that waits for more than half a second in all fails, unless it has called
// `may_wait`. It fails only if LIMIT_WAITS is set in the environment, as it is in CI. A
// server that wakes up once a second wakes up more often if the case takes minutes, and
// on a reader's slow machine that must not look like a fault in the code.
#pragma once

#include <chrono>

namespace tests {

/// The case that calls it may wait for `time` more. `why` tells the case's readers what
/// neither virtual time nor an event could replace here.
void may_wait(std::chrono::milliseconds time, const char* why);

/// For main.cpp: how long the case has waited, and how long it may.
struct Waits {
    std::chrono::nanoseconds waited;
    std::chrono::nanoseconds allowed;
};

/// Since `start_counting_waits`.
Waits waits();
void start_counting_waits();

/// For what replaces a function that waits: this time was over.
void count_wait(std::chrono::nanoseconds time) noexcept;

/// False where the linker can't replace these functions: there, nothing is counted.
bool waits_are_counted();

} // namespace tests
