// What the tests of the steps from Y07 on share. It needs the reader's loop.h.
#pragma once

#include "loop.h"
#include "task.h"
#include "tests/exercises/track/loop_kit.h"
#include "tests/exercises/track/task_kit.h"

namespace track {

/// What a test is about: a loop with timers, and what was reported. Nothing here takes
/// long: if a task still waits after some seconds, it hangs, and the test can say so.
/// For that, nothing here relies on the loop's timers, because they may be what is wrong.
struct TimedStory : StoryOf<yours::Loop> {
    /// How long a task may take. After one that hangs it's short, or a loop that calls
    /// nothing would take minutes to fail in all test cases.
    static inline Milliseconds patience = 4s;

    /// One turn of the loop with timers, which should sleep no longer than this. If it
    /// sleeps for too long, it's woken.
    void turn_with_timers(Milliseconds timeout = 0ms) {
        rescue_.ring_after(patience);
        loop.turn(timeout);
        rescue_.ring_after(0ms); // never
    }

    /// Lets the loop turn until `condition` holds. False if that never happens.
    bool turns_until(const std::function<bool()>& condition) {
        const auto start = Clock::now();
        rescue_.ring_after(patience);
        while (!condition()) {
            if (rescue_.rang() || Clock::now() - start > patience) {
                patience = 50ms;
                return false;
            }
            loop.turn();
        }
        rescue_.ring_after(0ms);
        return true;
    }

    /// The same, until `task` is done.
    bool ends(const yours::Task& task) {
        return turns_until([&task] { return task.done(); });
    }

  private:
    Alarm rescue_{loop};
};

} // namespace track
