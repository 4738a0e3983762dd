#include "loop.h"
#include "tests/exercises/track/kit.h"
#include "tests/exercises/track/loop_kit.h"
#include "tests/support/socket_pair.h"

using common::Events;
using track::Again;
using track::Alarm;
using track::Clock;
using track::Milliseconds;
using track::Named;
using track::said;
using yours::Loop;

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
    for (const int delay : {60, 20, 40}) // far apart, for a busy machine
        tell_later(Milliseconds(delay), std::to_string(delay));
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

// ---- Taking back ----

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
    CHECK_MESSAGE(told == "first third ",
                  "a and c were cancelled at once. Of the others, the first of three "
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

// ---- Turns ----

TEST_CASE_FIXTURE(LoopTest,
                  "T1: a timer set by a timer's callback waits for the next turn") {
    Milliseconds delay(0);
    SUBCASE("due at once") {}
    SUBCASE("its time has already passed") { delay = -5ms; }
    int calls = 0;
    std::function<void()> again = [&] {
        if (++calls < 100) // not forever
            loop.call_later(delay, again);
    };
    loop.call_later(delay, again);
    CHECK_MESSAGE(calls == 0, "call_later itself calls nothing, whatever the delay.");
    busy_until(Clock::now() + 1ms);
    turn();
    REQUIRE_MESSAGE(calls == 1, "a timer that renews itself, with a delay of "
                                    << delay.count() << " ms, was called " << calls
                                    << " times in one turn: nothing else would ever get "
                                       "its turn. It must wait for the next one, even if "
                                       "its time has already passed.");
    busy_until(Clock::now() + 1ms);
    turn();
    CHECK_MESSAGE(
        (calls == 2 || calls == 100),
        "what was added in the first turn, due at once, is called in the second.");
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
    CHECK_MESSAGE(turns <= 100,
                  "five timers of 20 ms each, one after the other, took the loop more "
                  "than a hundred turns. One or two for each should do, so it is awake "
                  "when it could sleep. If it sleeps a little too short, it wakes up "
                  "with nothing to do and sleeps for no time at all, again and again.");
    CHECK(told == expected);
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
