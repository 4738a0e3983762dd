// How long a test case waits for real time.
//
// A wait counts if it ended because its time was over, and not by an event. What counts
// is the time that was asked for: so a slow machine adds nothing. All threads of the test
// program count, and each for itself; programs that it starts don't.
//
// Waits of less than 20 ms don't count. Whoever looks again and again whether another
// thread or program has done something waits like that, and how often depends on the
// machine. Such a loop must not sleep longer between two looks.
//
// A case that waits for more than half a second, and hasn't said that it may, fails: see
// main.cpp. But only if LIMIT_WAITS is set in the environment, as CI does: a server that
// looks around once a second does so more often on a machine that needs minutes for a
// case, and a reader who has such a machine shall see only what is wrong with the code.
#pragma once

#include <chrono>

namespace tests {

/// The case that calls it may wait for `time` more. `why` is for whoever reads the case:
/// what is it about real time that neither virtual time nor an event can replace?
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
