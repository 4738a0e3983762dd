// Lets each allocation of a scenario fail in turn.
//
// A scenario runs again and again. In the first run, its first allocation fails, in the
// second run the second one, and so on, until a run asks for fewer: n allocations, so
// n + 1 runs. Each run is a rung of the ladder. Afterwards the memory is back, and
// nothing may be lost: no waiter, no item, no permit, no byte. memory_test.cpp has the
// scenarios.
//
// LADDER=TEXT in the environment runs only the scenarios whose names contain the text.
#pragma once

#include "tests/stage3/runtime/loop_test.h"
#include "tests/support/no_memory.h"

#include <new>

namespace tests::ladder {

/// One run of a scenario.
class Rung {
  public:
    explicit Rung(std::string where) : where_(std::move(where)) {}

    /// Something that may throw std::bad_alloc. False if it did.
    template <class Function>
    bool attempt(Function function) {
        try {
            function();
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }
    /// Something that must not.
    template <class Function>
    void must_not_throw(const char* what, Function function) {
        if (!attempt(std::move(function)))
            fault("std::bad_alloc came out of ", what);
    }
    /// Notes a fault unless `right`.
    void check(bool right, const char* fault_text) {
        if (!right)
            fault(fault_text);
    }
    void fault(const char* text, const char* more = "") {
        const Spare spare;
        faults.push_back(where_ + ": " + text + more);
    }

    std::vector<std::string> faults;

  private:
    std::string where_;
};

/// A loop whose clock is set by hand, and which allocates nothing for the test.
class Bed {
  public:
    explicit Bed(Rung& r) : rung(r), loop(options()) {
        loop.set_exception_handler([this](const stage3::Report&) { ++reports; });
    }

    Rung& rung;
    stage3::EventLoop::TimePoint now{std::chrono::hours(1)};
    int reports = 0;
    int frames = 0; ///< that exist: see Alive
    stage3::EventLoop loop;

    /// Runs the loop for `count` turns. None of them waits.
    void turns(int count) {
        for (int i = 0; i < count; ++i)
            rung.must_not_throw("the loop", [this] {
                loop.stop();
                loop.run_forever();
            });
    }
    /// Calls `function` in a turn, as a callback does.
    template <class Function>
    void in_a_turn(Function function) {
        {
            const Spare spare;
            loop.call_soon([&function] { function(); });
        }
        turns(1);
    }
    /// The memory is back. Every task must end now, without anything else happening than
    /// that time passes. Then the loop is closed.
    void finish() {
        memory_is_back();
        if (loop.closed())
            return;
        turns(6);
        now += std::chrono::hours(2);
        turns(8);
        rung.check(stage3::all_tasks(loop).empty(), "a task waits for ever");
        rung.check(frames == 0, "a frame is left");
        loop.close();
    }

  private:
    stage3::LoopOptions options() {
        stage3::LoopOptions chosen;
        chosen.clock = [this] { return now; };
        chosen.random = [] { return 7U; };
        return chosen;
    }
};

/// Counts those that exist.
class Alive {
  public:
    explicit Alive(int& count) : count_(count) { ++count_; }
    Alive(const Alive&) = delete;
    Alive& operator=(const Alive&) = delete;
    ~Alive() { --count_; }

  private:
    int& count_;
};

/// The tasks of a scenario: those that there was memory for.
class Tasks {
  public:
    explicit Tasks(Bed& bed) : bed_(bed) {}

    /// Starts what `make` returns.
    template <class Make>
    void start(Make make) {
        std::optional<stage3::Task<>>& one = all_.at(count_++);
        bed_.rung.attempt([&] { one.emplace(stage3::create_task(bed_.loop, make())); });
    }
    /// Asks the one that was started with this number to end.
    void cancel(std::size_t number) {
        std::string message;
        {
            const Spare spare;
            message = "a message that is too long to fit into a short string";
        }
        if (all_.at(number))
            bed_.rung.must_not_throw(
                "cancel", [&] { all_.at(number)->cancel(std::move(message)); });
    }
    bool all_done() const {
        return std::ranges::all_of(all_,
                                   [](const auto& one) { return !one || one->done(); });
    }
    /// Notes a fault if one of them has ended in another way than it may: with
    /// std::bad_alloc, or with what the scenario throws.
    void check() {
        for (const auto& one : all_) {
            if (!one || !one->done() || one->cancelled() || !one->has_failed())
                continue;
            try {
                one->result();
            } catch (const std::exception& error) {
                if (dynamic_cast<const std::bad_alloc*>(&error) == nullptr
                    && dynamic_cast<const Rain*>(&error) == nullptr
                    && dynamic_cast<const stage3::Timeout*>(&error) == nullptr)
                    bed_.rung.fault("a task has failed: ", error.what());
            }
        }
    }
    /// The memory is back, and the scenario ends: all of them must be done soon.
    void end() {
        memory_is_back();
        bed_.turns(20);
        bed_.rung.check(all_done(), "a task waits for ever");
        check();
        bed_.finish();
    }

  private:
    Bed& bed_;
    std::array<std::optional<stage3::Task<>>, 16> all_;
    std::size_t count_ = 0;
};

/// Names what runs, in case it ends the whole program.
void running_now(const std::string& where);
/// False if LADDER in the environment asks for others.
bool is_wanted(const std::string& name);

/// Runs `scenario(bed)` on each rung: with a loop made before, or made while allocations
/// fail.
template <class Scenario>
void climb(const char* name, Scenario scenario) {
    if (!is_wanted(name) || !memory_is_ours())
        return;
    constexpr std::size_t enough = 4; // faults of a scenario are much alike
    std::size_t faults = 0;
    long runs = 0;
    for (const bool loop_is_first : {true, false})
        for (const Outage outage : {Outage::one, Outage::lasting})
            for (long number = 0;; ++number) {
                REQUIRE(number < 5000);
                std::string where =
                    std::string(name) + (loop_is_first ? ", " : ", with its loop, ")
                    + "allocation " + std::to_string(number)
                    + (outage == Outage::one ? "" : " and all later ones");
                running_now(where);
                Rung rung(std::move(where));
                const long before = living();
                {
                    const auto run = [&](Bed& bed) {
                        try {
                            rung.attempt([&] { scenario(bed); });
                        } catch (const std::exception& error) {
                            rung.fault("something else was thrown: ", error.what());
                        }
                        memory_is_back();
                    };
                    if (loop_is_first) {
                        Bed bed(rung);
                        fail(number, outage);
                        run(bed);
                    } else {
                        fail(number, outage);
                        rung.attempt([&] {
                            Bed bed(rung);
                            run(bed);
                        });
                        memory_is_back();
                    }
                }
                if (rung.faults.empty()) // they take memory, too
                    rung.check(living() == before, "something leaks");
                ++runs;
                for (const std::string& fault : rung.faults)
                    if (++faults <= enough)
                        FAIL_CHECK(fault);
                if (refused() == 0)
                    break;
            }
    CHECK_MESSAGE(faults == 0,
                  name << ": " << faults << " faults in " << runs << " runs");
}

} // namespace tests::ladder
