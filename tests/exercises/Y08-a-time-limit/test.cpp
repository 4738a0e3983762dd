#include "coroutine.h"
#include "future.h"
#include "task.h"
#include "tests/exercises/track/kit.h"
#include "tests/exercises/track/task_kit.h"
#include "wait_for.h"

#include <thread>

using track::Clock;
using track::Lent;
using track::Rain;
using yours::Cancelled;
using yours::Coroutine;
using yours::Future;
using yours::Milliseconds;
using yours::Task;
using yours::TimedOut;
using yours::Timer;
using yours::wait_for;

namespace {

/// Longer than all limits, but a wrong kind of sleep still comes to its end.
constexpr auto long_time = 250ms;

/// A loop, and what was reported.
struct TimeTest : track::Story {
    Future future{loop};

    /// How long the loop sleeps, if nothing happens, with a timer 200 ms from now.
    Clock::duration sleeps() {
        loop.call_later(200ms, [] {});
        const auto before = Clock::now();
        loop.turn();
        return Clock::now() - before;
    }

    void run(Coroutine<> coroutine) {
        Task task(loop, std::move(coroutine));
        run_until_complete(loop, task);
    }
};

} // namespace

TEST_CASE_FIXTURE(TimeTest, "a timer is cancelled when it is destroyed") {
    int called = 0;
    {
        const Timer timer(loop, 1ms, [&] { ++called; });
        std::this_thread::sleep_for(5ms);
        REQUIRE_MESSAGE(called == 0,
                        "a timer is called by the loop, and by nothing else.");
        turn_with_timers();
        REQUIRE_MESSAGE(called == 1,
                        "the timer was due long ago, and no turn has called it.");
    }
    {
        const Timer timer(loop, 1ms, [&] { ++called; });
        std::this_thread::sleep_for(5ms);
    }
    turn_with_timers();
    REQUIRE_MESSAGE(called == 1, "the timer was destroyed before the loop got to it, but "
                                 "was called nevertheless: cancel it.");
}

// ---- Sleeping ----

namespace {

Coroutine<> sleep_and_say(TimeTest& test, Milliseconds delay, std::string name) {
    const Lent lent(test, name);
    test.say(name + " sleeps");
    co_await yours::sleep(test.loop, delay);
    test.say(name + " wakes");
}

} // namespace

TEST_CASE_FIXTURE(TimeTest, "T3: a sleep is never too short, and holds up nothing else") {
    const auto begin = Clock::now();
    Task a(loop, sleep_and_say(*this, 60ms, "a"));
    const Task b(loop, sleep_and_say(*this, 20ms, "b"));
    run_until_complete(loop, a);
    REQUIRE_MESSAGE(Clock::now() - begin >= 60ms,
                    "a should have slept for 60 ms, but woke up before that.");
    REQUIRE_MESSAGE(
        told == "a sleeps, b sleeps, b wakes, b gives back, a wakes, a gives back",
        reported("a sleeps for 60 ms and b for 20, at the same time: a sleeper must not "
                 "hold up any other task."));
}

TEST_CASE_FIXTURE(TimeTest, "T5: a task that sleeps lets the processor sleep") {
    const Task task(loop, sleep_and_say(*this, 50ms, "a"));
    int turns = 0;
    for (; !task.done() && turns < 1000; ++turns)
        loop.turn();
    REQUIRE_MESSAGE(turns < 50, "a slept for 50 ms, and meanwhile the loop made "
                                    << turns << " turns. One or two should do.");
}

TEST_CASE_FIXTURE(TimeTest, "L18: sleeping for no time gives the others their turn") {
    const Task a(loop, sleep_and_say(*this, 0ms, "a"));
    Task b(loop, sleep_and_say(*this, 0ms, "b"));
    run_until_complete(loop, b);
    REQUIRE_MESSAGE(told.rfind("a sleeps, b sleeps, ", 0) == 0,
                    reported("a sleeps for 0 ms. That's no time, but all others get "
                             "their turn meanwhile."));
}

TEST_CASE_FIXTURE(TimeTest, "L19: a cancelled sleep cancels its timer") {
    Task task(loop, sleep_and_say(*this, 20ms, "a"));
    turn();
    task.cancel();
    turn();
    REQUIRE_MESSAGE(
        told == "a sleeps, a gives back",
        reported("a was asked to end, so in the next turn its co_await throws."));
    REQUIRE_MESSAGE(
        sleeps() > 100ms,
        "the sleeper was cancelled, but its timer has still woken the loop. What does it "
        "call, now that the sleeper is gone? Cancel it, however sleep ends.");
}

// ---- A time limit ----

namespace {

Coroutine<int> answer(TimeTest& test, Milliseconds time, int value) {
    const Lent lent(test, "answer");
    co_await yours::sleep(test.loop, time);
    co_return value;
}

Coroutine<int> answer_when(TimeTest& test) {
    const Lent lent(test, "answer");
    co_await test.future;
    co_return 7;
}

Coroutine<int> at_once(int value) { co_return value; }

Coroutine<int> fail(TimeTest& test) {
    co_await yours::sleep(test.loop, 1ms);
    throw Rain();
    co_return 0;
}

/// Asked to end, it takes 30 ms to clean up.
Coroutine<int> slow_to_end(TimeTest& test) {
    const Lent lent(test, "slow");
    bool cancelled = false;
    try {
        co_await yours::sleep(test.loop, long_time);
    } catch (const Cancelled&) {
        cancelled = true;
    }
    test.say("cleans up");
    co_await yours::sleep(test.loop, 30ms);
    if (cancelled)
        throw Cancelled();
    co_return 0;
}

/// Asked to end, it returns a value, or throws.
Coroutine<int> refuse(TimeTest& test, bool well) {
    try {
        co_await yours::sleep(test.loop, long_time);
    } catch (const Cancelled&) {
        if (!well)
            throw Rain();
    }
    co_return 7;
}

/// What comes of it within this time.
Coroutine<> limited(TimeTest& test, Coroutine<int> coroutine, Milliseconds limit) {
    try {
        const int value = co_await wait_for(test.loop, std::move(coroutine), limit);
        test.say("has " + std::to_string(value));
    } catch (const Cancelled&) {
        test.say("cancelled");
    } catch (const TimedOut&) {
        test.say("timed out");
    } catch (const std::exception& error) {
        test.say(error.what());
    }
}

Coroutine<std::unique_ptr<int>> make(int value) {
    co_return std::make_unique<int>(value);
}

Coroutine<> wait_for_pointer(TimeTest& test) {
    const std::unique_ptr<int> made = co_await wait_for(test.loop, make(5), 1h);
    test.say("has " + (made ? std::to_string(*made) : "nothing"));
}

} // namespace

TEST_CASE_FIXTURE(TimeTest, "wait_for passes on what comes in time") {
    SUBCASE("a value that can only be moved") {
        run(wait_for_pointer(*this));
        REQUIRE_MESSAGE(told == "has 5", "Told: " << told);
    }
    SUBCASE("an error") {
        run(limited(*this, fail(*this), 2s));
        REQUIRE_MESSAGE(
            told == "it rains",
            reported("the coroutine has thrown \"it rains\", so that is thrown."));
    }
}

TEST_CASE_FIXTURE(
    TimeTest, "W5: if the result comes in the turn in which the time is up, it counts") {
    const Task waiter(loop, limited(*this, answer_when(*this), 5ms));
    turn(3);
    future.set_result();
    std::this_thread::sleep_for(10ms);
    turn_with_timers(); // it ends, and then the limit is over
    turn(3);
    REQUIRE_MESSAGE(told == "answer gives back, has 7",
                    reported("the value came in the same turn in which the limit was up: "
                             "that is in time."));
}

TEST_CASE_FIXTURE(
    TimeTest,
    "W2: a late coroutine is asked to end and waited for, then TimedOut is thrown") {
    SUBCASE("and it ends at once") {
        const auto begin = Clock::now();
        run(limited(*this, answer(*this, long_time, 7), 20ms));
        REQUIRE_MESSAGE(told == "answer gives back, timed out",
                        reported("after 20 ms, the coroutine is asked to end, and then "
                                 "TimedOut is thrown."));
        REQUIRE_MESSAGE(Clock::now() - begin >= 20ms,
                        "the limit was 20 ms, and was up before that.");
    }
    SUBCASE("and it takes a while to end") {
        run(limited(*this, slow_to_end(*this), 20ms));
        REQUIRE_MESSAGE(
            told == "cleans up, slow gives back, timed out",
            reported(
                "the coroutine was asked to end, and cleans up. TimedOut is thrown only "
                "when it has ended: until then it may use what its caller has lent it."));
    }
}

TEST_CASE_FIXTURE(
    TimeTest, "W1: wait_for returns a result that comes in time, and cancels its timer") {
    run(limited(*this, at_once(7), 20ms));
    CHECK(told == "has 7");
    REQUIRE_MESSAGE(sleeps() > 100ms,
                    "the value came in time, but later the time limit has still woken "
                    "the loop. What does it ask to end, now that everything is over?");
}

TEST_CASE_FIXTURE(TimeTest, "W3: a value that comes despite the time limit wins") {
    run(limited(*this, refuse(*this, true), 5ms));
    REQUIRE_MESSAGE(told == "has 7",
                    reported("the coroutine was late, and was asked to end; but it "
                             "returned 7 nevertheless, and that counts."));
}

TEST_CASE_FIXTURE(TimeTest,
                  "W4: another exception that the time limit causes is thrown") {
    run(limited(*this, refuse(*this, false), 5ms));
    REQUIRE_MESSAGE(told == "it rains",
                    reported("the coroutine was late, and was asked to end; but it threw "
                             "\"it rains\", which says more than that it was late."));
}

// ---- A caller that is asked to end ----

TEST_CASE_FIXTURE(
    TimeTest,
    "W7: cancelling the waiting task asks the coroutine to end, and waits for it") {
    SUBCASE("and it ends at once") {
        Task waiter(loop, limited(*this, answer(*this, long_time, 7), 1h));
        turn(3);
        waiter.cancel();
        REQUIRE(told.empty());
        turn(3);
        REQUIRE_MESSAGE(
            told == "answer gives back, cancelled",
            reported("the limit is an hour, but the caller was cancelled: so the "
                     "coroutine is cancelled, and then Cancelled is thrown."));
    }
    SUBCASE("and it takes a while to end") {
        Task waiter(loop, limited(*this, slow_to_end(*this), 1h));
        turn(3);
        waiter.cancel();
        run_until_complete(loop, waiter);
        REQUIRE_MESSAGE(
            told == "cleans up, slow gives back, cancelled",
            reported("the caller was cancelled, and so is the coroutine. It cleans up, "
                     "and Cancelled is thrown only when it has ended."));
    }
    SUBCASE("before it begins") {
        Task waiter(loop, limited(*this, at_once(7), 1h));
        turn();          // begins to wait
        waiter.cancel(); // the coroutine has not begun
        turn(3);
        REQUIRE_MESSAGE(
            told == "cancelled",
            reported("the caller was cancelled before the coroutine had begun."));
    }
    SUBCASE("when it has ended") {
        Task waiter(loop, limited(*this, answer_when(*this), 5ms));
        turn(3);
        future.set_result();
        turn(); // it ends, but the caller has not resumed yet
        std::this_thread::sleep_for(10ms);
        waiter.cancel();
        turn_with_timers(); // here, the limit is over as well
        turn(3);
        REQUIRE_MESSAGE(told == "answer gives back, cancelled",
                        reported("the caller was cancelled when the coroutine had ended, "
                                 "but before it could resume with the value."));
    }
}

TEST_CASE_FIXTURE(TimeTest,
                  "T4: a request that comes just when the time is up is not lost") {
    std::string expected = "answer gives back, cancelled";
    std::string when;
    const auto wait_too_long = [&] {
        turn(3);
        std::this_thread::sleep_for(10ms);
    };
    SUBCASE("in the same turn") {
        when = "in the same turn";
        Task waiter(loop, limited(*this, answer(*this, long_time, 7), 5ms));
        wait_too_long();
        waiter.cancel();
        turn_with_timers(); // here, the limit is over
        turn(3);
    }
    SUBCASE("the caller a turn later") {
        when = "asked after the limit";
        Task waiter(loop, limited(*this, answer(*this, long_time, 7), 5ms));
        wait_too_long();
        turn_with_timers();
        waiter.cancel();
        turn(3);
    }
    SUBCASE("the limit while it cleans up") {
        when = "it was cleaning up when the limit was up";
        Task waiter(loop, limited(*this, slow_to_end(*this), 10ms));
        turn(3);
        waiter.cancel();
        run_until_complete(loop, waiter);
        // (The second request comes while it cleans up, and is thrown there.)
        expected = "cleans up, slow gives back, cancelled";
    }
    REQUIRE_MESSAGE(told == expected,
                    "the caller was asked to end, and the limit is up. The request must "
                    "not get lost, or the caller would carry on: so it's Cancelled ("
                        << when << reported(")."));
}

namespace {

/// Asks a server, and another one if that takes too long.
Coroutine<int> ask_two(TimeTest& test, Milliseconds limit) {
    try {
        const int value = co_await wait_for(test.loop, answer(test, long_time, 1), limit);
        co_return value;
    } catch (const TimedOut&) {
        test.say("asks another");
    }
    co_return 2;
}

} // namespace

TEST_CASE_FIXTURE(TimeTest, "limits can be nested") {
    SUBCASE("the inner one is over") {
        run(limited(*this, ask_two(*this, 5ms), 2s));
        REQUIRE_MESSAGE(told == "answer gives back, asks another, has 2",
                        reported("the inner limit is up, and the outer one isn't."));
    }
    SUBCASE("the outer one is over") {
        run(limited(*this, ask_two(*this, 1h), 5ms));
        REQUIRE_MESSAGE(
            told == "answer gives back, timed out",
            reported("the outer limit is up, and the inner one isn't: inside, that "
                     "counts as a request to end, so no other server is asked."));
    }
    SUBCASE("both are over") {
        const Task waiter(loop, limited(*this, ask_two(*this, 5ms), 5ms));
        turn(5);
        std::this_thread::sleep_for(10ms);
        turn_with_timers();
        turn(5);
        REQUIRE_MESSAGE(
            told == "answer gives back, timed out",
            reported("both limits are up in the same turn: inside, the outer one counts "
                     "as a request to end, so no other server is asked."));
    }
}
