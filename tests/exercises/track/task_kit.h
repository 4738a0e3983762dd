// What the tests of the steps from Y05 on share. It needs the reader's task.h.
#pragma once

#include "event_loop.h"
#include "task.h"
#include "tests/exercises/track/kit.h"
#include "tests/exercises/track/loop_kit.h"

namespace track {

/// Thrown out of a loop that has turned too often: nothing that the test waits for comes.
struct Hangs : std::runtime_error {
    Hangs() : std::runtime_error("every task waits, and nothing more happens") {}
};

/// A loop that never sleeps, because in these tests nothing comes from outside. A test
/// that hangs would turn it forever, so it ends that.
class BusyLoop : public yours::EventLoop {
  public:
    void turn(std::optional<Milliseconds> /*timeout*/ = std::nullopt) override {
        if (++turns_ > 10'000)
            throw Hangs();
        EventLoop::turn(Milliseconds(0));
    }

  private:
    int turns_ = 0;
};

/// What a test is about: a loop, and what was reported.
template <class Loop>
struct StoryOf : Test<Loop> {
    void say(const std::string& what) {
        this->told += (this->told.empty() ? "" : ", ") + what;
    }

    /// A message that ends with what was reported.
    std::string reported(const std::string& text) const {
        return text + " Reported: " + said(this->told);
    }

    /// What was reported since the last time.
    std::string news() { return std::exchange(this->told, ""); }

    /// Lets the loop turn until `task` is done. False if that never happens.
    bool ends(yours::Task& task) {
        try {
            run_until_complete(this->loop, task);
        } catch (const Hangs&) {
            return false;
        }
        return true;
    }
};
using Story = StoryOf<BusyLoop>;

/// Reports when it is destroyed.
template <class Loop>
class Lent {
  public:
    Lent(StoryOf<Loop>& story, std::string name)
        : story_(story), name_(std::move(name)) {}
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { story_.say(name_ + " gives back"); }

  private:
    StoryOf<Loop>& story_;
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
