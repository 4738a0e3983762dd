#include "wait_for.h"

#include <doctest/doctest.h>

#include <chrono>
#include <exception>
#include <memory>
#include <ostream> // doctest wants it
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

using namespace std::chrono_literals;
using yours::Cancelled;
using yours::Coroutine;
using yours::Future;
using yours::Loop;
using yours::Milliseconds;
using yours::Task;
using yours::TimedOut;
using yours::Timer;
using yours::wait_for;
using Clock = std::chrono::steady_clock;

namespace {

/// Longer than all limits, but a wrong kind of sleep still comes to its end.
constexpr auto long_time = 250ms;

/// What a test is about: a loop, and what was reported. Nothing here takes long: a test
/// that still runs after some seconds hangs, and is ended.
struct Story {
    Story() {
        loop.call_later(5s, [] {
            throw std::runtime_error("every task waits, and nothing more happens");
        });
    }

    Loop loop;
    std::string told;
    Clock::time_point begin = Clock::now();

    void say(const std::string& what) { told += (told.empty() ? "" : ", ") + what; }
    auto elapsed() const { return Clock::now() - begin; }

    /// Turns, and doesn't sleep. Timers are not looked at.
    void turn(int times = 1) {
        for (; times > 0; --times)
            loop.EventLoop::turn(0ms);
    }

    /// One turn, at whose end timers are called that were due before it.
    void turn_with_timers() {
        loop.call_later(0ms, [] {}); // so that it doesn't sleep
        loop.turn();
    }

    /// How long the loop sleeps, if nothing happens, with a timer 200 ms from now.
    Clock::duration sleeps() {
        loop.call_later(200ms, [] {});
        const auto before = Clock::now();
        loop.turn();
        return Clock::now() - before;
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

} // namespace

TEST_CASE("a timer is cancelled when it is destroyed") {
    Story story;
    int called = 0;
    {
        const Timer timer(story.loop, 1ms, [&] { ++called; });
        std::this_thread::sleep_for(5ms);
        REQUIRE_MESSAGE(called == 0,
                        "a timer is called by the loop, and by nothing else.");
        story.turn_with_timers();
        REQUIRE_MESSAGE(called == 1,
                        "the timer was due long ago, and no turn has called it.");
    }
    {
        const Timer timer(story.loop, 1ms, [&] { ++called; });
        std::this_thread::sleep_for(5ms);
    }
    story.turn_with_timers();
    REQUIRE_MESSAGE(called == 1, "the timer was destroyed before the loop got to it, but "
                                 "was called nevertheless: cancel it.");
}

namespace {

Coroutine<> sleep_and_say(Story& story, Milliseconds delay, std::string name) {
    const Lent lent(story, name);
    story.say(name + " sleeps");
    co_await yours::sleep(story.loop, delay);
    story.say(name + " wakes");
}

} // namespace

TEST_CASE("sleep lasts as long as it should") {
    Story story;
    Task task(story.loop, sleep_and_say(story, 20ms, "a"));
    run_until_complete(story.loop, task);
    REQUIRE_MESSAGE(story.elapsed() >= 20ms,
                    "a should have slept for 20 ms, but woke up before that.");
    CHECK(story.told == "a sleeps, a wakes, a gives back");
}

TEST_CASE("sleep holds up nothing else") {
    Story story;
    Task a(story.loop, sleep_and_say(story, 60ms, "a"));
    Task b(story.loop, sleep_and_say(story, 20ms, "b"));
    run_until_complete(story.loop, a);
    REQUIRE_MESSAGE(
        story.told == "a sleeps, b sleeps, b wakes, b gives back, a wakes, a gives back",
        "a sleeps for 60 ms and b for 20, at the same time: a sleeper must not hold up "
        "any other task. Reported: "
            << story.told);
}

TEST_CASE("sleeping for no time gives the others their turn") {
    Story story;
    Task a(story.loop, sleep_and_say(story, 0ms, "a"));
    Task b(story.loop, sleep_and_say(story, 0ms, "b"));
    run_until_complete(story.loop, b);
    REQUIRE_MESSAGE(story.told.rfind("a sleeps, b sleeps, ", 0) == 0,
                    "a sleeps for 0 ms. That's no time, but all others get their turn "
                    "meanwhile. Reported: "
                        << story.told);
}

TEST_CASE("a sleeper that is cancelled leaves no timer") {
    Story story;
    Task task(story.loop, sleep_and_say(story, 20ms, "a"));
    story.turn();
    task.cancel();
    story.turn();
    REQUIRE_MESSAGE(
        story.told == "a sleeps, a gives back",
        "a was asked to end, so in the next turn its co_await throws. Reported: "
            << story.told);
    REQUIRE(task.done());
    REQUIRE_MESSAGE(
        story.sleeps() > 100ms,
        "the sleeper was cancelled, but its timer has still woken the loop. What does it "
        "call, now that the sleeper is gone? Cancel it, however sleep ends.");
}

namespace {

Coroutine<int> answer(Story& story, Milliseconds time, int value) {
    const Lent lent(story, "answer");
    co_await yours::sleep(story.loop, time);
    co_return value;
}

Coroutine<int> answer_when(Story& story, Future& future) {
    const Lent lent(story, "answer");
    co_await future;
    co_return 7;
}

Coroutine<int> at_once(int value) { co_return value; }

Coroutine<int> fail(Story& story) {
    co_await yours::sleep(story.loop, 1ms);
    throw std::runtime_error("it rains");
    co_return 0;
}

/// Asked to end, it takes 30 ms to clean up.
Coroutine<int> slow_to_end(Story& story) {
    const Lent lent(story, "slow");
    bool cancelled = false;
    try {
        co_await yours::sleep(story.loop, long_time);
    } catch (const Cancelled&) {
        cancelled = true;
    }
    story.say("cleans up");
    co_await yours::sleep(story.loop, 30ms);
    if (cancelled)
        throw Cancelled();
    co_return 0;
}

/// Asked to end, it returns a value, or throws.
Coroutine<int> refuse(Story& story, bool well) {
    try {
        co_await yours::sleep(story.loop, long_time);
    } catch (const Cancelled&) {
        if (!well)
            throw std::runtime_error("it rains");
    }
    co_return 7;
}

/// What comes of it.
Coroutine<> tell(Story& story, Coroutine<int> coroutine) {
    try {
        const int value = co_await std::move(coroutine);
        story.say("has " + std::to_string(value));
    } catch (const Cancelled&) {
        story.say("cancelled");
    } catch (const TimedOut&) {
        story.say("timed out");
    } catch (const std::exception& error) {
        story.say(error.what());
    }
}

void run(Story& story, Coroutine<> coroutine) {
    Task task(story.loop, std::move(coroutine));
    run_until_complete(story.loop, task);
}

Coroutine<std::unique_ptr<int>> make(int value) {
    co_return std::make_unique<int>(value);
}

Coroutine<> wait_for_pointer(Story& story) {
    const std::unique_ptr<int> made = co_await wait_for(story.loop, make(5), 1h);
    story.say("has " + (made ? std::to_string(*made) : "nothing"));
}

} // namespace

TEST_CASE("wait_for: an outcome in time is passed on") {
    Story story;
    SUBCASE("a value") {
        run(story, tell(story, wait_for(story.loop, answer(story, 1ms, 7), 2s)));
        REQUIRE_MESSAGE(story.told == "answer gives back, has 7",
                        "the value came in time. Reported: " << story.told);
    }
    SUBCASE("a value that can only be moved") {
        run(story, wait_for_pointer(story));
        REQUIRE_MESSAGE(story.told == "has 5", "Told: " << story.told);
    }
    SUBCASE("an error") {
        run(story, tell(story, wait_for(story.loop, fail(story), 2s)));
        REQUIRE_MESSAGE(
            story.told == "it rains",
            "the coroutine has thrown \"it rains\", so that is thrown. Reported: "
                << story.told);
    }
}

TEST_CASE("wait_for: a value at the last moment is in time") {
    Story story;
    Future future(story.loop);
    Task waiter(story.loop,
                tell(story, wait_for(story.loop, answer_when(story, future), 5ms)));
    story.turn(3);
    future.set_result();
    std::this_thread::sleep_for(10ms);
    story.turn_with_timers(); // it ends, and then the limit is over
    story.turn(3);
    REQUIRE_MESSAGE(story.told == "answer gives back, has 7",
                    "the value came in the same turn in which the limit was up: that is "
                    "in time. Reported: "
                        << story.told);
}

TEST_CASE("wait_for: a late coroutine is cancelled and TimedOut is thrown") {
    Story story;
    SUBCASE("and it ends at once") {
        run(story, tell(story, wait_for(story.loop, answer(story, long_time, 7), 20ms)));
        REQUIRE_MESSAGE(story.told == "answer gives back, timed out",
                        "after 20 ms, the coroutine is asked to end, and then TimedOut "
                        "is thrown. Reported: "
                            << story.told);
        REQUIRE_MESSAGE(story.elapsed() >= 20ms,
                        "the limit was 20 ms, and was up before that.");
    }
    SUBCASE("and it takes a while to end") {
        run(story, tell(story, wait_for(story.loop, slow_to_end(story), 20ms)));
        REQUIRE_MESSAGE(
            story.told == "cleans up, slow gives back, timed out",
            "the coroutine was asked to end, and cleans up. TimedOut is thrown only when "
            "it has ended: until then it may use what its caller has lent it. Reported: "
                << story.told);
    }
}

TEST_CASE("wait_for: the time limit is cancelled when the value has come") {
    Story story;
    run(story, tell(story, wait_for(story.loop, at_once(7), 20ms)));
    CHECK(story.told == "has 7");
    REQUIRE_MESSAGE(story.sleeps() > 100ms,
                    "the value came in time, but later the time limit has still woken "
                    "the loop. What does it ask to end, now that everything is over?");
}

TEST_CASE("wait_for: what a late coroutine still returns or throws counts") {
    Story story;
    SUBCASE("a value") {
        run(story, tell(story, wait_for(story.loop, refuse(story, true), 5ms)));
        REQUIRE_MESSAGE(story.told == "has 7",
                        "the coroutine was late, and was asked to end; but it returned 7 "
                        "nevertheless, and that counts. Reported: "
                            << story.told);
    }
    SUBCASE("an error") {
        run(story, tell(story, wait_for(story.loop, refuse(story, false), 5ms)));
        REQUIRE_MESSAGE(story.told == "it rains",
                        "the coroutine was late, and was asked to end; but it threw \"it "
                        "rains\", which says more than that it was late. Reported: "
                            << story.told);
    }
}

TEST_CASE("wait_for: a cancelled caller cancels the coroutine") {
    Story story;
    SUBCASE("and it ends at once") {
        Task waiter(story.loop,
                    tell(story, wait_for(story.loop, answer(story, long_time, 7), 1h)));
        story.turn(3);
        waiter.cancel();
        REQUIRE(story.told.empty());
        story.turn(3);
        REQUIRE_MESSAGE(story.told == "answer gives back, cancelled",
                        "the limit is an hour, but the caller was cancelled: so the "
                        "coroutine is cancelled, and then Cancelled is thrown. Reported: "
                            << story.told);
    }
    SUBCASE("and it takes a while to end") {
        Task waiter(story.loop,
                    tell(story, wait_for(story.loop, slow_to_end(story), 1h)));
        story.turn(3);
        waiter.cancel();
        run_until_complete(story.loop, waiter);
        REQUIRE_MESSAGE(story.told == "cleans up, slow gives back, cancelled",
                        "the caller was cancelled, and so is the coroutine. It cleans "
                        "up, and Cancelled is thrown only when it has ended. Reported: "
                            << story.told);
    }
    SUBCASE("before it begins") {
        Task waiter(story.loop, tell(story, wait_for(story.loop, at_once(7), 1h)));
        story.turn();    // begins to wait
        waiter.cancel(); // the coroutine has not begun
        story.turn(3);
        REQUIRE_MESSAGE(
            story.told == "cancelled",
            "the caller was cancelled before the coroutine had begun. Reported: "
                << story.told);
    }
    SUBCASE("when it has ended") {
        Future future(story.loop);
        Task waiter(story.loop,
                    tell(story, wait_for(story.loop, answer_when(story, future), 5ms)));
        story.turn(3);
        future.set_result();
        story.turn(); // it ends, but the caller has not resumed yet
        std::this_thread::sleep_for(10ms);
        waiter.cancel();
        story.turn_with_timers(); // here, the limit is over as well
        story.turn(3);
        REQUIRE_MESSAGE(story.told == "answer gives back, cancelled",
                        "the caller was cancelled when the coroutine had ended, but "
                        "before it could resume with the value. Reported: "
                            << story.told);
    }
}

TEST_CASE("wait_for: a request to the caller is not lost when the limit is up") {
    Story story;
    const auto wanted =
        "the caller was asked to end, and the limit is up. The request must not get "
        "lost, or the caller would carry on: so it's Cancelled";
    SUBCASE("in the same turn") {
        Task waiter(story.loop,
                    tell(story, wait_for(story.loop, answer(story, long_time, 7), 5ms)));
        story.turn(3);
        std::this_thread::sleep_for(10ms);
        waiter.cancel();
        story.turn_with_timers(); // here, the limit is over
        story.turn(3);
        REQUIRE_MESSAGE(story.told == "answer gives back, cancelled",
                        std::string(wanted)
                            << " (in the same turn). Reported: " << story.told);
    }
    SUBCASE("the caller a turn later") {
        Task waiter(story.loop,
                    tell(story, wait_for(story.loop, answer(story, long_time, 7), 5ms)));
        story.turn(3);
        std::this_thread::sleep_for(10ms);
        story.turn_with_timers();
        waiter.cancel();
        story.turn(3);
        REQUIRE_MESSAGE(story.told == "answer gives back, cancelled",
                        std::string(wanted)
                            << " (asked after the limit). Reported: " << story.told);
    }
    SUBCASE("the limit while it cleans up") {
        Task waiter(story.loop,
                    tell(story, wait_for(story.loop, slow_to_end(story), 10ms)));
        story.turn(3);
        waiter.cancel();
        run_until_complete(story.loop, waiter);
        // (The second request comes while it cleans up, and is thrown there.)
        REQUIRE_MESSAGE(story.told == "cleans up, slow gives back, cancelled",
                        std::string(wanted)
                            << " (it was cleaning up when the limit was up). Reported: "
                            << story.told);
    }
}

namespace {

/// Asks a server, and another one if that takes too long.
Coroutine<int> ask_two(Story& story, Milliseconds limit) {
    try {
        const int value =
            co_await wait_for(story.loop, answer(story, long_time, 1), limit);
        co_return value;
    } catch (const TimedOut&) {
        story.say("asks another");
    }
    co_return 2;
}

} // namespace

TEST_CASE("wait_for: limits can be nested") {
    Story story;
    SUBCASE("the inner one is over") {
        run(story, tell(story, wait_for(story.loop, ask_two(story, 5ms), 2s)));
        REQUIRE_MESSAGE(
            story.told == "answer gives back, asks another, has 2",
            "the inner limit is up, and the outer one isn't. Reported: " << story.told);
    }
    SUBCASE("the outer one is over") {
        run(story, tell(story, wait_for(story.loop, ask_two(story, 1h), 5ms)));
        REQUIRE_MESSAGE(
            story.told == "answer gives back, timed out",
            "the outer limit is up, and the inner one isn't: inside, that counts as a "
            "request to end, so no other server is asked. Reported: "
                << story.told);
    }
    SUBCASE("both are over") {
        Task waiter(story.loop,
                    tell(story, wait_for(story.loop, ask_two(story, 5ms), 5ms)));
        story.turn(5);
        std::this_thread::sleep_for(10ms);
        story.turn_with_timers();
        story.turn(5);
        REQUIRE_MESSAGE(
            story.told == "answer gives back, timed out",
            "both limits are up in the same turn: inside, the outer one counts as a "
            "request to end, so no other server is asked. Reported: "
                << story.told);
    }
}

TEST_CASE("wait_for: two calls at the same time keep their own limits") {
    Story story;
    Task a(story.loop, tell(story, wait_for(story.loop, answer(story, 2s, 1), 500ms)));
    Task b(story.loop, tell(story, wait_for(story.loop, answer(story, 20ms, 2), 60s)));
    run_until_complete(story.loop, a);
    REQUIRE_MESSAGE(story.told
                        == "answer gives back, has 2, answer gives back, timed out",
                    "each has its own limit. Reported: " << story.told);
}
