// What the tests of all steps from Y06 on share. It needs the reader's task.h.
#pragma once

#include "loop.h"
#include "task.h"
#include "tests/exercises/track/loop_kit.h"

namespace track {

/// What a test is about: a loop, and what was reported. Nothing here takes long: a test
/// that still runs after some seconds hangs, and is ended.
struct Story : Test<yours::Loop> {
    struct Hangs : std::runtime_error {
        Hangs() : std::runtime_error("every task waits, and nothing more happens") {}
    };

    Story() {
        loop.call_later(4s, [] { throw Hangs(); });
    }

    void say(const std::string& what) { told += (told.empty() ? "" : ", ") + what; }

    /// A message that ends with what was reported.
    std::string reported(const std::string& text) const {
        return text + " Reported: " + told;
    }

    /// What was reported since the last time.
    std::string news() { return std::exchange(told, ""); }

    /// One turn, at whose end timers are called that were due before it.
    void turn_with_timers() {
        loop.call_later(0ms, [] {}); // so that it doesn't sleep
        loop.turn();
    }

    /// Lets the loop turn until `task` is done. False if that never happens.
    bool ends(yours::Task& task) {
        try {
            run_until_complete(loop, task);
        } catch (const Hangs&) {
            return false;
        }
        return true;
    }
};

/// Reports when it is destroyed.
class Lent {
  public:
    Lent(Story& story, std::string name) : story_(story), name_(std::move(name)) {}
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { story_.say(name_ + " gives back"); }

  private:
    Story& story_;
    std::string name_;
};

/// How a task has ended.
inline std::string end_of(const yours::Task& task) {
    if (!task.done())
        return "not done";
    try {
        task.throw_if_failed();
        return "well";
    } catch (const yours::Cancelled&) {
        return "cancelled";
    } catch (const std::exception& error) {
        return error.what();
    }
}

} // namespace track
