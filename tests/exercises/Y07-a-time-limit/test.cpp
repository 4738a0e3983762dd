#include "coroutine.h"
#include "future.h"
#include "loop.h"
#include "queue.h"
#include "task.h"
#include "tests/exercises/track/kit.h"
#include "tests/exercises/track/loop_kit.h"
#include "tests/exercises/track/timed_kit.h"
#include "tests/support/socket_pair.h"

#include <thread>

namespace small_runtime = yours;

#include "tests/support/orders/time_limit.h"

using common::Events;
using track::Again;
using track::Alarm;
using track::Clock;
using track::Lent;
using track::Milliseconds;
using track::Named;
using track::Rain;
using track::said;
using yours::Cancelled;
using yours::Coroutine;
using yours::ends_within;
using yours::Future;
using yours::Loop;
using yours::Task;
using yours::Timer;

// ---- The loop's timers ----

namespace {

Milliseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<Milliseconds>(Clock::now() - start);
}

/// Keeps the processor busy until then, so that whatever is due by then is late.
void busy_until(Clock::time_point when) {
    while (Clock::now() < when) {
    }
}

/// A loop, and what its callbacks have reported.
struct LoopTest : track::Test<Loop> {
    Alarm rescue{loop};
    /// How long a turn may sleep. After a wait in vain it's short, or a loop that calls
    /// nothing would take minutes to fail in all test cases.
    static inline Milliseconds patience = 3s;

    Loop::TimerId tell_later(Milliseconds delay, const std::string& name) {
        return loop.call_later(delay, [this, name] { told += name + " "; });
    }

    /// One turn; if it sleeps for too long, it's woken.
    void turn() {
        Alarm::ring_after(patience);
        loop.turn();
        if (rescue.rang())
            patience = 50ms;
    }

    /// Runs the loop until that much was reported, or until it has had enough time or
    /// turns. Returns the number of turns.
    int turns_until(const std::string& wanted, int most = 1'000'000) {
        const auto start = Clock::now();
        int turns = 0;
        while (told.size() < wanted.size() && turns < most
               && since(start) < patience + 100ms) {
            turn();
            ++turns;
        }
        if (told.size() < wanted.size())
            patience = 50ms;
        return turns;
    }

    void no_endless_sleep() const {
        REQUIRE_MESSAGE(!rescue.rang(),
                        "a timer was due, and the loop kept sleeping until something "
                        "arrived at a socket. How long may the selector sleep at most?");
    }
};

} // namespace

TEST_CASE_FIXTURE(LoopTest, "a timer is called once, when its time has come") {
    const auto start = Clock::now();
    Milliseconds after(0);
    loop.call_later(20ms, [&] {
        after = since(start);
        told += "timer ";
    });
    CHECK_MESSAGE(told.empty(), "call_later itself calls nothing.");
    for (int i = 0; i < 200 && told.empty(); ++i) {
        busy_until(Clock::now() + 1ms); // in case that it doesn't sleep
        turn();
    }
    REQUIRE_MESSAGE(!told.empty(), "a timer was due after 20 ms. Now "
                                       << since(start).count()
                                       << " ms have passed, and it was not called.");
    no_endless_sleep();
    CHECK_MESSAGE(after >= 20ms, "it was to be called after 20 ms, and was called after "
                                     << after.count());
    busy_until(Clock::now() + 25ms);
    tell_later(0ms, "another");
    turns_until("timer another ");
    CHECK_MESSAGE(told == "timer another ",
                  "a timer is called once, and is then gone. Called: " << said(told));
}

TEST_CASE_FIXTURE(LoopTest, "L4: a timer is never early") {
    int early = 0;
    for (int i = 0; i < 20; ++i) {
        told.clear();
        const auto due = Clock::now() + 2ms;
        loop.call_later(2ms, [&] {
            early += Clock::now() < due ? 1 : 0;
            told += "timer ";
        });
        busy_until(due - 20us);
        Named one(told, "one");
        loop.make_ready(one); // so that this turn doesn't sleep, and comes too early
        turn();
        turns_until("one timer ");
    }
    CHECK_MESSAGE(early == 0, "of 20 timers, "
                                  << early
                                  << " were called before their time was up, if only by "
                                     "a fraction of a millisecond.");
}

TEST_CASE_FIXTURE(LoopTest,
                  "L5: timers that are due are called in the order of their times") {
    const auto start = Clock::now();
    for (const int delay : {60, 20, 40})
        tell_later(Milliseconds(delay), std::to_string(delay));
    if (since(start) >= 20ms)
        return; // the machine stood still, and this is not their order any more
    busy_until(Clock::now() + 70ms);
    turns_until("20 40 60 ");
    CHECK_MESSAGE(told == "20 40 60 ",
                  "three timers were due after 20, 40 and 60 ms, and the loop was busy "
                  "all that time. Called: "
                      << said(told));
}

TEST_CASE_FIXTURE(
    LoopTest, "L6: of timers with the same time, the one made first is called first") {
    std::string expected;
    for (int i = 0; i < 200; ++i) {
        const std::string name = std::to_string(i);
        tell_later(5ms, name);
        expected += name + " ";
    }
    busy_until(Clock::now() + 6ms);
    turns_until(expected);
    CHECK_MESSAGE(told == expected, "timers with the same delay were called in a "
                                    "different order from the one in which they were "
                                    "made: "
                                        << said(told));
}

TEST_CASE_FIXTURE(LoopTest, "L3: a timer can be cancelled, even when it is due") {
    const auto start = Clock::now();
    const Loop::TimerId a = tell_later(1ms, "a");
    std::optional<Loop::TimerId> second;
    loop.call_later(2ms, [&] {
        told += "first ";
        loop.cancel(*second);
    });
    second = tell_later(3ms, "second");
    tell_later(4ms, "third");
    const Loop::TimerId c = tell_later(1h, "c");
    loop.cancel(a);
    loop.cancel(c);
    busy_until(start + 6ms);
    turns_until("first third ");
    CHECK_MESSAGE(
        told == "first third ",
        "a and c were cancelled immediately. Of the other timers, the first of three "
        "that were due cancelled the second, just before its turn. Called: "
            << said(told));
    loop.cancel(a); // once more, which does no harm
    loop.cancel(*second);
    const Loop::TimerId e = tell_later(0ms, "e");
    turns_until("first third e ");
    loop.cancel(e); // it was called
    tell_later(0ms, "f");
    turns_until("first third e f ");
    CHECK_MESSAGE(
        told == "first third e f ",
        "cancelling a timer that was already cancelled or called does nothing. Called: "
            << said(told));
}

TEST_CASE_FIXTURE(LoopTest, "a callback may cancel its own timer") {
    struct Itself {
        LoopTest* test;
        std::optional<Loop::TimerId> id;
    } itself{this, std::nullopt};
    itself.id = loop.call_later(0ms, [one = &itself, before = "itself "] {
        one->test->loop.cancel(*one->id); // too late: it runs
        one->test->told += before;        // and it still has all that it needs
    });
    tell_later(0ms, "other");
    turns_until("itself other ");
    CHECK_MESSAGE(
        told == "itself other ",
        "a callback cancelled its own timer while it ran. Called: " << said(told));
}

TEST_CASE_FIXTURE(LoopTest, "L8: timers that were cancelled don't pile up") {
    const auto held = std::make_shared<int>();
    for (int i = 0; i < 10'000; ++i)
        loop.cancel(loop.call_later(1h, [held] {}));
    tell_later(0ms, "timer");
    turns_until("timer ");
    CHECK_MESSAGE(held.use_count() < 5'000,
                  "ten thousand timers were cancelled, and of their callbacks there are "
                      << held.use_count() - 1 << " left, for an hour.");
}

TEST_CASE_FIXTURE(LoopTest,
                  "T1: a timer set by a timer's callback waits for the next turn") {
    int calls = 0;
    std::function<void()> again = [&] {
        if (++calls < 100) // not forever
            loop.call_later(0ms, again);
    };
    loop.call_later(0ms, again);
    CHECK_MESSAGE(calls == 0, "call_later itself calls nothing, whatever the delay.");
    busy_until(Clock::now() + 1ms);
    turn();
    REQUIRE_MESSAGE(calls == 1,
                    "a timer that renews itself, with a delay of 0 ms, was "
                    "called "
                        << calls
                        << " times in one turn: nothing else would ever get its turn. "
                           "The new timer must wait for the loop's next turn.");
    busy_until(Clock::now() + 1ms);
    turn();
    CHECK_MESSAGE((calls == 2 || calls == 100),
                  "a timer that was added in the first turn, with a delay of 0 ms, is "
                  "called in the second turn.");
    no_endless_sleep();
}

TEST_CASE_FIXTURE(LoopTest,
                  "L7: the loop sleeps until the earliest timer that was not cancelled") {
    // Five times, since how long a sleep really is depends on what else the machine does.
    int turns = 0;
    std::string expected;
    tell_later(1h, "in an hour");
    for (int i = 0; i < 5 && turns <= 100; ++i) {
        loop.cancel(tell_later(5ms, "cancelled"));
        tell_later(20ms, "timer");
        expected += "timer ";
        turns += turns_until(expected, 101);
        no_endless_sleep();
    }
    CHECK_MESSAGE(
        turns <= 100,
        "five timers of 20 ms each, one after the other, took the loop more than a "
        "hundred turns. One or two turns for each timer should do, so the loop is awake "
        "when it could sleep. If a sleep is a little too short, the loop wakes up with "
        "nothing to do and sleeps for no time at all, again and again.");
    CHECK(told == expected);
}

TEST_CASE_FIXTURE(LoopTest, "a turn sleeps no longer than it is allowed to") {
    tell_later(1h, "in an hour");
    Alarm::ring_after(patience);
    loop.turn(1ms);
    if (rescue.rang())
        patience = 50ms;
    CHECK_MESSAGE(!rescue.rang(),
                  "the next timer is due in an hour, but this turn was called with a "
                  "timeout of 1 ms. It kept sleeping until something arrived at a "
                  "socket: the shorter of the two times counts.");
}

TEST_CASE_FIXTURE(LoopTest, "a timer holds up neither what is ready nor a socket") {
    tell_later(1h, "in an hour");
    Named one(told, "one");
    loop.make_ready(one);
    turn();
    CHECK_MESSAGE(!rescue.rang(), "something was ready to run, and the loop slept.");
    CHECK_MESSAGE(
        told == "one ",
        "something was ready to run, and a timer is due in an hour. In the turn ran: "
            << said(told));
    const tests::SocketPair pair;
    loop.watch(pair.near.fd(), Events::read, [&] { told += "socket "; });
    track::send_byte(pair.far);
    turns_until("one socket ");
    CHECK_MESSAGE(
        told == "one socket ",
        "then a byte has arrived, and a timer is due in an hour. Called: " << said(told));
}

TEST_CASE_FIXTURE(LoopTest, "what a timer makes ready runs without delay") {
    Named one(told, "one");
    loop.call_later(1ms, [&] {
        told += "timer ";
        loop.make_ready(one);
    });
    turns_until("timer ");
    if (told == "timer ")
        turn();
    no_endless_sleep();
    CHECK_MESSAGE(told == "timer one ", "a timer has made something ready, which runs in "
                                        "the next turn at the latest. In the turn ran: "
                                            << said(told));
}

TEST_CASE_FIXTURE(LoopTest,
                  "T2: timers are called even while something is always ready") {
    Again again(loop);
    tell_later(5ms, "timer");
    busy_until(Clock::now() + 6ms);
    turn();
    CHECK_MESSAGE(told == "timer ", "a timer is due, and something else is ready in "
                                    "every turn: the turn must get to both.");
}

// ---- Waiting for a while ----

namespace {

/// Longer than all limits, but a wrong kind of sleep still comes to its end.
constexpr auto long_time = 250ms;

/// A loop, and what its tasks have reported.
struct TimeTest : track::TimedStory {
    Future future{loop};

    /// How long the loop sleeps, if nothing happens, with a timer 100 ms from now.
    Clock::duration sleeps() {
        loop.call_later(100ms, [] {});
        const auto before = Clock::now();
        turn_with_timers(1s);
        return Clock::now() - before;
    }

    void run(Coroutine<> coroutine) {
        const Task task(loop, std::move(coroutine));
        REQUIRE_MESSAGE(ends(task), reported("a task waits forever."));
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
                        "the Timer was due long ago, and no turn has called it.");
    }
    {
        const Timer timer(loop, 1ms, [&] { ++called; });
        std::this_thread::sleep_for(5ms);
    }
    turn_with_timers();
    REQUIRE_MESSAGE(called == 1, "the Timer was destroyed before the loop got to it, but "
                                 "was called nevertheless: cancel it.");
}

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
    const Task a(loop, sleep_and_say(*this, 1500ms, "a"));
    const Task b(loop, sleep_and_say(*this, 20ms, "b"));
    REQUIRE_MESSAGE(ends(b), reported("b wants to sleep for 20 ms, and never wakes up."));
    REQUIRE_MESSAGE(Clock::now() - begin >= 20ms,
                    "b should have slept for 20 ms, but woke up before that.");
    REQUIRE_MESSAGE(
        told == "a sleeps, b sleeps, b wakes, b gives back",
        reported(
            "a sleeps for 1500 ms and b for 20, at the same time: a sleeper must not "
            "hold up any other task."));
}

TEST_CASE_FIXTURE(TimeTest, "T5: a task that sleeps lets the processor sleep") {
    const Task task(loop, sleep_and_say(*this, 50ms, "a"));
    int turns = 0;
    for (; !task.done() && turns < 1000; ++turns)
        turn_with_timers(1s);
    REQUIRE_MESSAGE(turns < 50, "a slept for 50 ms, and meanwhile the loop made "
                                    << turns << " turns. One or two turns should do.");
}

TEST_CASE_FIXTURE(TimeTest, "L18: sleeping for no time gives the others their turn") {
    const Task a(loop, sleep_and_say(*this, 0ms, "a"));
    const Task b(loop, sleep_and_say(*this, 0ms, "b"));
    REQUIRE(ends(b));
    REQUIRE_MESSAGE(told.rfind("a sleeps, b sleeps, ", 0) == 0,
                    reported("a sleeps for 0 ms. That's no time, but all others get "
                             "their turn meanwhile."));
}

TEST_CASE_FIXTURE(TimeTest, "L19: a cancelled sleep cancels its timer") {
    Task task(loop, sleep_and_say(*this, 5ms, "a"));
    turn();
    task.cancel();
    turn();
    REQUIRE_MESSAGE(
        told == "a sleeps, a gives back",
        reported("a was asked to end, so in the next turn its co_await throws."));
    REQUIRE_MESSAGE(
        sleeps() > 50ms,
        "the sleeper was cancelled, but its timer has still woken the loop. What does it "
        "call, now that the sleeper is gone? Cancel it, however sleep ends.");
}

// ---- A time limit ----

namespace {

/// Has an answer after this time.
Coroutine<> answer(TimeTest& test, Milliseconds time) {
    const Lent lent(test, "answer");
    co_await yours::sleep(test.loop, time);
}

Coroutine<> answer_when(TimeTest& test) {
    const Lent lent(test, "answer");
    co_await test.future;
}

Coroutine<> at_once(TimeTest& test) {
    test.say("answer");
    co_return;
}

Coroutine<> fail(TimeTest& test) {
    co_await yours::sleep(test.loop, 1ms);
    throw Rain();
}

/// Asked to end, it takes this time to clean up.
Coroutine<> slow_to_end(TimeTest& test, Milliseconds time) {
    const Lent lent(test, "slow");
    bool cancelled = false;
    try {
        co_await yours::sleep(test.loop, long_time);
    } catch (const Cancelled&) {
        cancelled = true;
    }
    test.say("cleans up");
    co_await yours::sleep(test.loop, time);
    if (cancelled)
        throw Cancelled();
}

/// Asked to end, it returns, or throws something else.
Coroutine<> refuse(TimeTest& test, bool well) {
    try {
        co_await yours::sleep(test.loop, long_time);
    } catch (const Cancelled&) {
        if (!well)
            throw Rain();
    }
}

/// What comes of it within this time.
Coroutine<> limited(TimeTest& test, Milliseconds limit, Coroutine<> coroutine) {
    try {
        const bool in_time = co_await ends_within(test.loop, limit, std::move(coroutine));
        test.say(in_time ? "in time" : "late");
    } catch (const Cancelled&) {
        test.say("cancelled");
    } catch (const std::exception& error) {
        test.say(error.what());
    }
}

} // namespace

TEST_CASE_FIXTURE(TimeTest, "what ends within its time is in time") {
    run(limited(*this, 1h, answer(*this, 1ms)));
    REQUIRE_MESSAGE(told == "answer gives back, in time",
                    reported("the limit is an hour, and the answer came after a "
                             "millisecond."));
}

TEST_CASE_FIXTURE(TimeTest, "an exception passes through a time limit") {
    run(limited(*this, 1h, fail(*this)));
    REQUIRE_MESSAGE(
        told == "it rains",
        reported("the coroutine has thrown \"it rains\", so ends_within throws that."));
}

TEST_CASE_FIXTURE(
    TimeTest, "W5: if the result comes in the turn in which the time is up, it counts") {
    const Task waiter(loop, limited(*this, 5ms, answer_when(*this)));
    turn(3);
    future.set_result();
    std::this_thread::sleep_for(10ms);
    turn_with_timers(); // it ends, and then the limit is over
    turn(3);
    REQUIRE_MESSAGE(told == "answer gives back, in time",
                    reported("the answer came in the same turn in which the limit was "
                             "up: that is in time."));
}

TEST_CASE_FIXTURE(
    TimeTest,
    "W2: a late coroutine is asked to end and waited for, and then counts as late") {
    SUBCASE("and it ends at once") {
        const auto begin = Clock::now();
        run(limited(*this, 20ms, answer(*this, long_time)));
        REQUIRE_MESSAGE(told == "answer gives back, late",
                        reported("after 20 ms, the coroutine is asked to end, and then "
                                 "ends_within returns false."));
        REQUIRE_MESSAGE(Clock::now() - begin >= 20ms,
                        "the limit was 20 ms, and was up before that.");
    }
    SUBCASE("and it takes a while to end") {
        run(limited(*this, 20ms, slow_to_end(*this, 1ms)));
        REQUIRE_MESSAGE(
            told == "cleans up, slow gives back, late",
            reported("the coroutine was asked to end, and cleans up. ends_within returns "
                     "only when it has ended: until then it may use what its caller has "
                     "lent it."));
    }
}

TEST_CASE_FIXTURE(TimeTest, "W1: what ends in time cancels the timer of its limit") {
    run(limited(*this, 5ms, at_once(*this)));
    CHECK(told == "answer, in time");
    REQUIRE_MESSAGE(sleeps() > 50ms,
                    "the answer came in time, but later the time limit has still woken "
                    "the loop. What does it ask to end, now that everything is over?");
}

TEST_CASE_FIXTURE(TimeTest,
                  "W3: a coroutine that returns despite its time limit was in time") {
    run(limited(*this, 5ms, refuse(*this, true)));
    REQUIRE_MESSAGE(told == "in time",
                    reported("the coroutine was late, and was asked to end; but it "
                             "caught that and returned, so its work is done."));
}

TEST_CASE_FIXTURE(TimeTest,
                  "W4: another exception that the time limit causes is thrown") {
    run(limited(*this, 5ms, refuse(*this, false)));
    REQUIRE_MESSAGE(told == "it rains",
                    reported("the coroutine was late, and was asked to end; but it threw "
                             "\"it rains\", which says more than that it was late."));
}

// ---- A caller that is asked to end ----

TEST_CASE_FIXTURE(
    TimeTest,
    "W7: cancelling the waiting task asks the coroutine to end, and waits for it") {
    SUBCASE("and it ends at once") {
        Task waiter(loop, limited(*this, 1h, answer(*this, long_time)));
        turn(3);
        waiter.cancel();
        REQUIRE(told.empty());
        turn(3);
        REQUIRE_MESSAGE(
            told == "answer gives back, cancelled",
            reported("the limit is an hour, but the caller was cancelled: so the "
                     "coroutine is cancelled, and then ends_within throws Cancelled."));
    }
    SUBCASE("and it takes a while to end") {
        Task waiter(loop, limited(*this, 1h, slow_to_end(*this, 1ms)));
        turn(3);
        waiter.cancel();
        REQUIRE(ends(waiter));
        REQUIRE_MESSAGE(
            told == "cleans up, slow gives back, cancelled",
            reported("the caller was cancelled, and so is the coroutine. It cleans up, "
                     "and Cancelled is thrown only when it has ended."));
    }
    SUBCASE("before it begins") {
        Task waiter(loop, limited(*this, 1h, answer_when(*this)));
        turn();          // begins to wait
        waiter.cancel(); // the coroutine has not begun
        turn(4);
        REQUIRE_MESSAGE(
            told == "answer gives back, cancelled",
            reported("the caller was cancelled before the coroutine had begun."));
    }
    SUBCASE("when it has ended") {
        Task waiter(loop, limited(*this, 5ms, answer_when(*this)));
        turn(3);
        future.set_result();
        turn(); // it ends, but the caller has not resumed yet
        std::this_thread::sleep_for(10ms);
        waiter.cancel();
        turn_with_timers(); // here, the limit is over as well
        turn(3);
        REQUIRE_MESSAGE(told == "answer gives back, cancelled",
                        reported("the caller was cancelled when the coroutine had ended, "
                                 "but before it could resume."));
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
        Task waiter(loop, limited(*this, 5ms, answer(*this, long_time)));
        wait_too_long();
        waiter.cancel();
        turn_with_timers(); // here, the limit is over
        turn(3);
    }
    SUBCASE("the caller a turn later") {
        when = "asked after the limit";
        Task waiter(loop, limited(*this, 5ms, answer(*this, long_time)));
        wait_too_long();
        turn_with_timers();
        waiter.cancel();
        turn(3);
    }
    SUBCASE("the limit while it cleans up") {
        when = "it was cleaning up when the limit was up";
        Task waiter(loop, limited(*this, 10ms, slow_to_end(*this, 30ms)));
        turn(3);
        waiter.cancel();
        REQUIRE(ends(waiter));
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
Coroutine<> ask_two(TimeTest& test, Milliseconds limit) {
    const bool in_time = co_await ends_within(test.loop, limit, answer(test, long_time));
    if (!in_time)
        test.say("asks another");
}

} // namespace

TEST_CASE_FIXTURE(TimeTest, "limits can be nested") {
    SUBCASE("the inner one is over") {
        run(limited(*this, 1h, ask_two(*this, 5ms)));
        REQUIRE_MESSAGE(told == "answer gives back, asks another, in time",
                        reported("the inner limit is up, and the outer one isn't."));
    }
    SUBCASE("the outer one is over") {
        run(limited(*this, 5ms, ask_two(*this, 1h)));
        REQUIRE_MESSAGE(
            told == "answer gives back, late",
            reported("the outer limit is up, and the inner one isn't: inside, that "
                     "counts as a request to end, so no other server is asked."));
    }
    SUBCASE("both are over") {
        const Task waiter(loop, limited(*this, 5ms, ask_two(*this, 5ms)));
        turn(5);
        std::this_thread::sleep_for(10ms);
        turn_with_timers();
        turn(5);
        REQUIRE_MESSAGE(
            told == "answer gives back, late",
            reported("both limits are up in the same turn: inside, the outer one counts "
                     "as a request to end, so no other server is asked."));
    }
}

// ---- With a queue ----

namespace {

Coroutine<> take_from(yours::Queue<int>& queue, TimeTest& test) {
    const int item = co_await queue.get();
    test.say("has " + std::to_string(item));
}

} // namespace

TEST_CASE_FIXTURE(
    TimeTest, "Q17: a get can have a time limit, and leaves the line when that is up") {
    yours::Queue<int> queue(loop);
    run(limited(*this, 2ms, take_from(queue, *this)));
    REQUIRE_MESSAGE(told == "late", reported("a get has waited for an item in vain, and "
                                             "its time limit is up."));
    told.clear();
    Task in_time(loop, limited(*this, 1h, take_from(queue, *this)));
    turn(3);
    queue.put(1);
    REQUIRE_MESSAGE(ends(in_time),
                    reported("an item came, and the only task that waits for one doesn't "
                             "get it. Is the one whose limit was up still in line?"));
    REQUIRE_MESSAGE(told == "has 1, in time",
                    reported("the first get has left the line, and an item came for the "
                             "second."));
}

TEST_CASE("O3: in every order, a time limit ends, and tells a request from its limit") {
    if (!tests::a_case_has_failed())
        tests::check_every_order(orders::limits);
}
