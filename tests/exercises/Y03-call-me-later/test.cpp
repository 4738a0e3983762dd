#include "loop.h"
#include "tests/support/socket_pair.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>

#include <sys/socket.h>
#include <sys/time.h>

using common::Events;
using namespace std::chrono_literals;
using yours::Loop;
using yours::Runnable;

namespace {

/// What was reported, for a message.
std::string said(const std::string& told) { return told.empty() ? "nothing" : told; }

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

Milliseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<Milliseconds>(Clock::now() - start);
}

/// Keeps the processor busy until then, so that whatever is due by then is late.
void busy_until(Clock::time_point when) {
    while (Clock::now() < when) {
    }
}

/// Wakes a loop after a while, as a server would: a byte arrives at a socket that the
/// loop watches. So a sleep that would never end does end, and the test can say what is
/// wrong.
class Alarm {
  public:
    explicit Alarm(Loop& loop) : loop_(loop) {
        loop.watch(pair_.near.fd(), Events::read, [this] { rang_ = true; });
        far_end = pair_.far.fd();
        std::signal(SIGALRM, [](int) { static_cast<void>(::send(far_end, "x", 1, 0)); });
    }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm() {
        ring_after(0ms); // never
        loop_.unwatch(pair_.near.fd());
    }

    /// From now on; an earlier setting no longer counts.
    static void ring_after(Milliseconds delay) {
        itimerval timer{};
        timer.it_value.tv_sec = static_cast<time_t>(delay.count() / 1000);
        timer.it_value.tv_usec = static_cast<suseconds_t>(delay.count() % 1000 * 1000);
        ::setitimer(ITIMER_REAL, &timer, nullptr);
    }

    /// Whether it was this that ended a turn.
    bool rang() const { return rang_; }

  private:
    static inline volatile std::sig_atomic_t far_end = -1;

    Loop& loop_;
    tests::SocketPair pair_;
    bool rang_ = false;
};

/// A loop, and what its callbacks have reported.
struct LoopTest {
    Loop loop;
    Alarm rescue{loop};
    std::string told;
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

/// Reports its name when it runs.
class Named final : public Runnable {
  public:
    Named(std::string& told, std::string name) : told_(told), name_(std::move(name)) {}
    void run() override { told_ += name_ + " "; }

  private:
    std::string& told_;
    std::string name_;
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

TEST_CASE_FIXTURE(LoopTest, "a timer is never called before its time") {
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

TEST_CASE("the timer with the earlier time is called first") {
    for (int i = 0; i < 100; ++i) {
        LoopTest test;
        const auto start = Clock::now();
        test.tell_later(30ms, "c");
        test.tell_later(10ms, "a");
        test.tell_later(20ms, "b");
        if (since(start) > 5ms) // if this takes long, c may be due before the others
            continue;
        SUBCASE("each in its time") { test.turns_until("a b c "); }
        SUBCASE("all of them late") {
            busy_until(start + 40ms);
            test.turns_until("a b c ");
        }
        CHECK_MESSAGE(test.told == "a b c ",
                      "a was due after 10 ms, b after 20 and c after 30. Called: "
                          << said(test.told));
        return;
    }
}

TEST_CASE_FIXTURE(LoopTest,
                  "among equal times, the timer that was made first is called first") {
    std::string expected;
    for (int i = 0; i < 20; ++i) {
        const std::string name = std::to_string(i);
        tell_later(2ms, name);
        expected += name + " ";
    }
    busy_until(Clock::now() + 3ms);
    turns_until(expected);
    CHECK_MESSAGE(told == expected,
                  "twenty timers with the same delay were called in a different order "
                  "from the one in which they were made: "
                      << said(told));
}

// ---- Taking back ----

TEST_CASE_FIXTURE(LoopTest, "a timer that was cancelled is not called") {
    const auto start = Clock::now();
    const Loop::TimerId a = tell_later(5ms, "a");
    tell_later(5ms, "b");
    const Loop::TimerId c = tell_later(1h, "c");
    tell_later(10ms, "d");
    loop.cancel(a);
    loop.cancel(c);
    busy_until(start + 15ms);
    turns_until("b d ");
    CHECK_MESSAGE(
        told == "b d ",
        "there were a, b, c and d; a and c were cancelled. Called: " << said(told));
    loop.cancel(a); // once more, which does no harm
    loop.cancel(c);
    const Loop::TimerId e = tell_later(0ms, "e");
    turns_until("b d e ");
    loop.cancel(e); // it was called
    tell_later(0ms, "f");
    turns_until("b d e f ");
    CHECK_MESSAGE(
        told == "b d e f ",
        "cancelling a timer that was already cancelled or called does nothing. Called: "
            << said(told));
}

TEST_CASE_FIXTURE(LoopTest, "a callback may cancel another timer that is due") {
    const auto start = Clock::now();
    std::optional<Loop::TimerId> second;
    loop.call_later(1ms, [&] {
        told += "first ";
        loop.cancel(*second);
    });
    second = tell_later(2ms, "second");
    tell_later(3ms, "third");
    busy_until(start + 5ms);
    turns_until("first third ");
    CHECK_MESSAGE(told == "first third ", "the first of three that were due cancelled "
                                          "the second, just before its turn. Called: "
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

// ---- Turns ----

TEST_CASE_FIXTURE(LoopTest, "a timer that a callback adds waits for the next turn") {
    int calls = 0;
    std::function<void()> again = [&] {
        if (++calls < 100) // not forever
            loop.call_later(0ms, again);
    };
    loop.call_later(0ms, again);
    busy_until(Clock::now() + 1ms);
    turn();
    REQUIRE_MESSAGE(calls == 1, "a timer that renews itself, due at once, was called "
                                    << calls
                                    << " times in one turn: nothing else would ever get "
                                       "its turn. It must wait for the next one.");
    busy_until(Clock::now() + 1ms);
    turn();
    CHECK_MESSAGE(
        (calls == 2 || calls == 100),
        "what was added in the first turn, due at once, is called in the second.");
    no_endless_sleep();
}

TEST_CASE_FIXTURE(LoopTest, "the loop sleeps until the next timer") {
    // Five times, since how long a sleep really is depends on what else the machine does.
    int turns = 0;
    std::string expected;
    for (int i = 0; i < 5 && turns <= 100; ++i) {
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

TEST_CASE_FIXTURE(LoopTest, "a timer does not hold up what is ready") {
    tell_later(1h, "in an hour");
    Named one(told, "one");
    loop.make_ready(one);
    turn();
    CHECK_MESSAGE(!rescue.rang(), "something was ready to run, and the loop slept.");
    CHECK_MESSAGE(
        told == "one ",
        "something was ready to run, and a timer is due in an hour. In the turn ran: "
            << said(told));
}

TEST_CASE_FIXTURE(LoopTest, "a timer does not hold up a socket") {
    tell_later(1h, "in an hour");
    tests::SocketPair pair;
    loop.watch(pair.near.fd(), Events::read, [&] { told += "socket "; });
    REQUIRE(::send(pair.far.fd(), "x", 1, 0) == 1);
    turns_until("socket ");
    CHECK_MESSAGE(
        told == "socket ",
        "a byte has arrived, and a timer is due in an hour. Called: " << said(told));
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

TEST_CASE_FIXTURE(LoopTest, "a timer is called even if something is always ready") {
    class Again final : public Runnable {
      public:
        explicit Again(Loop& loop) : loop_(loop) { loop.make_ready(*this); }
        void run() override { loop_.make_ready(*this); }

      private:
        Loop& loop_;
    } again(loop);
    tell_later(5ms, "timer");
    busy_until(Clock::now() + 6ms);
    turn();
    CHECK_MESSAGE(told == "timer ", "a timer is due, and something else is ready in "
                                    "every turn: the turn must get to both.");
}

TEST_CASE("a timer whose time has passed waits for the next turn") {
    Loop loop;
    int calls = 0;
    std::function<void()> again = [&] {
        if (++calls < 100)
            loop.call_later(-5ms, again);
    };
    loop.call_later(-5ms, again);
    const Alarm rescue(loop);
    CHECK_MESSAGE(calls == 0, "call_later itself calls nothing, whatever the delay.");
    Alarm::ring_after(LoopTest::patience);
    loop.turn();
    CHECK_MESSAGE(calls == 1,
                  "a timer that a callback sets waits for the next turn, even if its "
                  "time has already passed. In this turn there were "
                      << calls << " calls.");
}
