// The rows about coroutines, tasks and time limits: see rows.txt.
#include "coroutine.h"
#include "event_loop.h"
#include "future.h"
#include "loop.h"
#include "task.h"
#include "tests/exercises/track/rows.h"
#include "wait_for.h"

#include <doctest/doctest.h>

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using rows::Call;
using rows::Clock;
using rows::Log;
using rows::Note;
using rows::Probe;
using rows::Rain;
using rows::Row;
using rows::turn_until;
using rows::turns;
using yours::Cancelled;
using yours::Chain;
using yours::Coroutine;
using yours::EventLoop;
using yours::Future;
using yours::Loop;
using yours::Task;
using yours::TimedOut;

using namespace std::chrono_literals;

namespace {

// With sanitizers, the compiler makes no tail calls.
#if defined(__SANITIZE_ADDRESS__)
constexpr int many = 2'000;
#elif defined(__has_feature)
constexpr int many = __has_feature(address_sanitizer) ? 2'000 : 200'000;
#else
constexpr int many = 200'000;
#endif

std::exception_ptr rain() { return std::make_exception_ptr(Rain()); }

/// Notes what comes of waiting for `future`, and passes it on.
Coroutine<> await(Future& future, Log& log, std::string name = "") {
    log.note(name + "waits");
    try {
        co_await future;
        log.note(name + "ends");
    } catch (const Cancelled&) {
        log.note(name + "cancelled");
        throw;
    } catch (const Rain&) {
        log.note(name + "rain");
        throw;
    }
}

} // namespace

// ---- Coroutine ------------------------------------------------------------------------

namespace {

Coroutine<> note(Log& log, Probe /*probe*/) {
    log.note("runs");
    co_return;
}

Coroutine<std::unique_ptr<int>> make(int value) {
    co_return std::make_unique<int>(value);
}
Coroutine<int> add_two(int a, int b) {
    const auto first = co_await make(a);
    const auto second = co_await make(b);
    co_return *first + *second;
}
Coroutine<> add_up(int& sum) { sum = co_await add_two(3, 4); }

Coroutine<> fail(Future& future) {
    co_await future;
    throw Rain();
}
Coroutine<int> fail_below(Future& future, Log& log) {
    co_await fail(future);
    log.note("not here");
    co_return 1;
}
Coroutine<> see_it_fail(Future& future, Log& log) {
    try {
        co_await fail_below(future, log);
        log.note("nor here");
    } catch (const Rain&) {
        log.note("rain");
    }
}

Coroutine<> hold(Probe /*probe*/, Future& future) { co_await future; }
Coroutine<> hold_twice(Probe::Count& count, Future& first, Future& second) {
    co_await hold(Probe(count), first);
    co_await second;
}

Coroutine<int> next_of(int value) { co_return value + 1; }
Coroutine<> count_up(int& value) {
    for (int i = 0; i < many; ++i)
        value = co_await next_of(value);
}
Coroutine<int> depth(int left) {
    if (left == 0)
        co_return 0;
    const int below = co_await depth(left - 1);
    co_return below + 1;
}
Coroutine<> go_deep(int& value) { value = co_await depth(many / 10); }

Coroutine<> await_done(Future& done, Log& log) {
    log.note("before");
    co_await done;
    log.note("behind");
}

Coroutine<> see_what_comes(Future& future, std::vector<const Rain*>& seen) {
    try {
        co_await future;
    } catch (const Rain& one) {
        seen.push_back(&one);
    }
}

} // namespace

TEST_CASE("A1: a call runs none of a coroutine; if it is never awaited, its frame is "
          "destroyed unused") {
    Log log;
    Probe::Count count;
    {
        const Coroutine<> nobody_awaits = note(log, Probe(count));
        CHECK(count.alive == 1);
    }
    CHECK(log.text.empty());
    CHECK(count.alive == 0);
    CHECK(count.died == 1);
}

TEST_CASE("A2: what a coroutine returns is the value of its co_await") {
    EventLoop loop;
    int sum = 0;
    const Chain chain(loop, add_up(sum));
    turns(loop, 1);
    CHECK(sum == 7);
}

TEST_CASE_FIXTURE(
    Row<EventLoop>,
    "A3: what a coroutine throws is thrown by its co_await, and so on outwards") {
    Future future(loop);
    const Chain chain(loop, see_it_fail(future, log));
    turns(loop, 1);
    future.set_result();
    turns(loop, 1);
    CHECK(log.text == "rain ");
}

TEST_CASE("A4: after a co_await, the frame of the coroutine that it awaited is gone") {
    EventLoop loop;
    Probe::Count count;
    Future first(loop), second(loop);
    const Chain chain(loop, hold_twice(count, first, second));
    turns(loop, 1);
    CHECK(count.alive == 1);
    first.set_result();
    turns(loop, 1);
    CHECK(count.alive == 0);
    CHECK(count.died == 1);
    second.set_result();
    turns(loop, 1);
    CHECK(count.died == 1);
}

TEST_CASE("K3: awaiting a coroutine neither goes through the loop nor grows the stack") {
    EventLoop loop;
    int value = 0;
    const Chain wide(loop, count_up(value));
    turns(loop, 1);
    CHECK(value == many);
    const Chain deep(loop, go_deep(value));
    turns(loop, 1);
    CHECK(value == many / 10);
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "F20: awaiting a pending future suspends until it is done") {
    Future future(loop);
    const Chain chain(loop, await(future, log));
    turns(loop, 3);
    CHECK(log.text == "waits ");
    future.set_result();
    turns(loop, 1);
    CHECK(log.text == "waits ends ");
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "F21: awaiting a future that is done does not give up control") {
    Future done(loop);
    done.set_result();
    const Chain chain(loop, await_done(done, log));
    Note other(log, "other");
    loop.make_ready(other);
    turns(loop, 1);
    CHECK(log.text.find("before behind ") != std::string::npos);
}

TEST_CASE_FIXTURE(
    Row<EventLoop>,
    "F22: all waiting tasks get the outcome, in the order in which they came") {
    Future future(loop);
    const Chain a(loop, await(future, log, "a"));
    turns(loop, 1);
    const Chain b(loop, await(future, log, "b"));
    turns(loop, 1);
    const Chain c(loop, await(future, log, "c"));
    turns(loop, 1);
    log.text.clear();
    future.set_result();
    turns(loop, 2);
    CHECK(log.text == "aends bends cends ");
}

TEST_CASE("F23: all waiting tasks get the same exception object") {
    EventLoop loop;
    std::vector<const Rain*> seen;
    Future future(loop);
    const Chain a(loop, see_what_comes(future, seen));
    const Chain b(loop, see_what_comes(future, seen));
    turns(loop, 1);
    future.set_exception(rain());
    turns(loop, 1);
    REQUIRE(seen.size() == 2);
    CHECK(seen[0] == seen[1]);
}

// ---- Task -----------------------------------------------------------------------------

namespace {

Coroutine<> throw_rain() {
    throw Rain();
    co_return;
}

Coroutine<> two_steps(Future& done, Future& pending, Log& log) {
    log.note("one");
    co_await done;
    co_await await_done(done, log);
    log.note("two");
    co_await pending;
    log.note("three");
}

/// Doesn't end when it's asked to.
Coroutine<> refuse(Future& future, Log& log) {
    try {
        log.note("waits");
        co_await future;
        log.note("ends");
    } catch (const Cancelled&) {
        log.note("refused");
    }
}
Coroutine<> refuse_and_wait(Future& first, Future& second, Log& log) {
    co_await refuse(first, log);
    co_await await(second, log);
}
Coroutine<> fail_when_cancelled(Future& future) {
    try {
        co_await future;
    } catch (const Cancelled&) {
        throw Rain();
    }
}

Coroutine<> cancel_itself_and_return(Task*& self) {
    self->cancel();
    co_return;
}
Coroutine<> cancel_itself(Task*& self, Future& done, Future& future, Log& log) {
    CHECK(self->cancel());
    co_await done; // no wait
    log.note("goes on");
    co_await await(future, log);
}

} // namespace

TEST_CASE_FIXTURE(
    Row<EventLoop>,
    "K1: making a task runs nothing; its first step comes in the next turn") {
    Future future(loop);
    const Task task(loop, await(future, log));
    CHECK(log.text.empty());
    turns(loop, 1);
    CHECK(log.text == "waits ");
    CHECK(!task.done());
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "K2: a step runs until the task waits for a future that is not done") {
    Future done(loop), pending(loop);
    done.set_result();
    const Task task(loop, two_steps(done, pending, log));
    turns(loop, 1);
    CHECK(log.text == "one before behind two ");
    pending.set_result();
    turns(loop, 1);
    CHECK(task.done());
}

TEST_CASE("K4: a task fails with what its coroutine throws") {
    EventLoop loop;
    Future future(loop);
    Log log;
    const Task fails(loop, throw_rain());
    const Task fails_later(loop, await(future, log));
    const Task ends(loop, see_it_fail(future, log));
    turns(loop, 1);
    CHECK(fails.done());
    CHECK_THROWS_AS(fails.throw_if_failed(), Rain);
    future.set_exception(rain());
    turns(loop, 1);
    CHECK_THROWS_AS(fails_later.throw_if_failed(), Rain);
    CHECK(ends.done());
    CHECK_NOTHROW(ends.throw_if_failed());
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "K5: a task resumes one turn after its future is done") {
    Future future(loop);
    const Task task(loop, await(future, log));
    turns(loop, 1);
    Call resolver([&] {
        future.set_result();
        log.note("set");
    });
    loop.make_ready(resolver);
    turns(loop, 1);
    CHECK(log.text == "waits set ");
    turns(loop, 1);
    CHECK(log.text == "waits set ends ");
    CHECK(task.done());
}

TEST_CASE_FIXTURE(Row<EventLoop>, "K7: a task is a future: others can await it") {
    Future future(loop);
    Task task(loop, await(future, log));
    const Task a(loop, await(task, log, "a"));
    const Task b(loop, await(task, log, "b"));
    turns(loop, 2);
    CHECK(!a.done());
    future.set_exception(rain());
    turns(loop, 3);
    CHECK(task.done());
    CHECK(log.text.find("arain ") != std::string::npos);
    CHECK(log.text.find("brain ") != std::string::npos);
}

TEST_CASE_FIXTURE(Row<EventLoop>, "K10: cancel only asks") {
    Future future(loop);
    Task task(loop, await(future, log));
    turns(loop, 1);
    CHECK(task.cancel());
    CHECK(!task.done());
    CHECK(log.text == "waits ");
    turns(loop, 1);
    CHECK(task.done());
}

TEST_CASE_FIXTURE(Row<EventLoop>, "K11: cancel cancels the future that the task waits "
                                  "for, and a turn later Cancelled is thrown") {
    Future future(loop);
    Task task(loop, await(future, log));
    turns(loop, 1);
    task.cancel();
    CHECK(future.done());
    turns(loop, 1);
    CHECK(log.text == "waits cancelled ");
    CHECK_THROWS_AS(task.throw_if_failed(), Cancelled);
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "K12: a task that waits for a task passes the request on") {
    Future future(loop);
    Task inner(loop, await(future, log, "inner-"));
    Task outer(loop, await(inner, log, "outer-"));
    turns(loop, 1);
    log.text.clear();
    outer.cancel();
    turns(loop, 3);
    CHECK(log.text == "inner-cancelled outer-cancelled ");
    CHECK(outer.done());
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "K13: if the inner task refuses, the outer one continues") {
    Future future(loop);
    Task inner(loop, refuse(future, log));
    Task outer(loop, await(inner, log, "outer-"));
    turns(loop, 1);
    log.text.clear();
    outer.cancel();
    turns(loop, 3);
    CHECK(log.text == "refused outer-ends ");
    CHECK_NOTHROW(outer.throw_if_failed());
}

TEST_CASE_FIXTURE(
    Row<EventLoop>,
    "K14: the body of a task that is cancelled before its first step never runs") {
    Future done(loop), pending(loop);
    done.set_result();
    Task task(loop, two_steps(done, pending, log));
    CHECK(task.cancel());
    turns(loop, 3);
    CHECK(log.text.empty());
    REQUIRE(task.done());
    CHECK_THROWS_AS(task.throw_if_failed(), Cancelled);
}

TEST_CASE_FIXTURE(Row<EventLoop>, "K15: a coroutine may catch Cancelled, and return") {
    Future future(loop);
    Task task(loop, refuse(future, log));
    turns(loop, 1);
    task.cancel();
    turns(loop, 1);
    CHECK(log.text == "waits refused ");
    CHECK(task.done());
    CHECK_NOTHROW(task.throw_if_failed());
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "K16: a coroutine may catch Cancelled, and wait for something else") {
    Future first(loop), second(loop);
    Task task(loop, refuse_and_wait(first, second, log));
    turns(loop, 1);
    task.cancel();
    turns(loop, 3);
    CHECK(log.text == "waits refused waits ");
    CHECK(!task.done());
    second.set_result();
    turns(loop, 1);
    CHECK(task.done());
    CHECK_NOTHROW(task.throw_if_failed());
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "K17: a task that cancels itself gets Cancelled at its next wait") {
    Future done(loop), future(loop);
    done.set_result();
    Task* self = nullptr;
    Task task(loop, cancel_itself(self, done, future, log));
    self = &task;
    turns(loop, 3);
    CHECK(log.text == "goes on waits cancelled ");
    CHECK(task.done());
}

TEST_CASE("K18: a task that cancels itself and returns counts as cancelled") {
    EventLoop loop;
    Task* self = nullptr;
    Task task(loop, cancel_itself_and_return(self));
    self = &task;
    turns(loop, 2);
    REQUIRE(task.done());
    CHECK_THROWS_AS(task.throw_if_failed(), Cancelled);
}

TEST_CASE_FIXTURE(
    Row<EventLoop>,
    "K19: a task that is cancelled between result and resumption gets Cancelled") {
    Future future(loop);
    Task task(loop, await(future, log));
    turns(loop, 1);
    future.set_result();
    CHECK(task.cancel());
    turns(loop, 2);
    CHECK(log.text == "waits cancelled ");
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "K21: two requests before a task runs throw one Cancelled") {
    Future first(loop), second(loop);
    Task task(loop, refuse_and_wait(first, second, log));
    turns(loop, 1);
    task.cancel();
    task.cancel();
    turns(loop, 3);
    CHECK(log.text == "waits refused waits ");
    second.set_result();
    turns(loop, 1);
    CHECK(task.done());
}

TEST_CASE_FIXTURE(Row<EventLoop>, "K23: a task that is done can't be cancelled") {
    Future future(loop);
    Task task(loop, await(future, log));
    turns(loop, 1);
    future.set_result();
    turns(loop, 1);
    CHECK(!task.cancel());
    CHECK_NOTHROW(task.throw_if_failed());
}

TEST_CASE("K24: a task fails with another exception thrown while Cancelled is handled") {
    EventLoop loop;
    Future future(loop);
    Task task(loop, fail_when_cancelled(future));
    turns(loop, 1);
    task.cancel();
    turns(loop, 1);
    REQUIRE(task.done());
    CHECK_THROWS_AS(task.throw_if_failed(), Rain);
}

TEST_CASE_FIXTURE(Row<Loop>,
                  "L11: run_until_complete returns when the task is done, or throws") {
    Future future(loop);
    loop.call_later(1ms, [&] { future.set_result(); });
    Task ends(loop, await(future, log));
    run_until_complete(loop, ends);
    CHECK(log.text == "waits ends ");
    Task fails(loop, throw_rain());
    CHECK_THROWS_AS(run_until_complete(loop, fails), Rain);
}

// ---- Time limit -----------------------------------------------------------------------

namespace {

bool end_of(Loop& loop, const Task& task) {
    return turn_until(loop, [&] { return task.done(); });
}

Coroutine<> sleep_and_note(Loop& loop, std::chrono::milliseconds delay, Log& log,
                           std::string name) {
    log.note(name + "1");
    co_await yours::sleep(loop, delay);
    log.note(name + "2");
}

/// True if nothing wakes the loop for 60 ms, though a timer for 5 ms was taken back.
bool sleeps_on(Loop& loop) {
    bool called = false;
    loop.call_later(60ms, [&] { called = true; });
    const auto start = Clock::now();
    loop.turn();
    return called || Clock::now() - start > 40ms;
}

Coroutine<int> seven_at_once() { co_return 7; }
Coroutine<> limited(Loop& loop, Coroutine<int> coroutine, std::chrono::milliseconds limit,
                    Log& log) {
    try {
        const int value = co_await wait_for(loop, std::move(coroutine), limit);
        log.note(std::to_string(value));
    } catch (const TimedOut&) {
        log.note("timeout");
    } catch (const Cancelled&) {
        log.note("outer-cancelled");
        throw;
    }
}

Coroutine<int> end_slowly(Loop& loop, Log& log) {
    Future never(loop), later(loop);
    bool asked = false;
    try {
        co_await never;
    } catch (const Cancelled&) {
        asked = true;
    }
    log.note("asked");
    loop.call_later(5ms, [&] { later.set_result(); });
    co_await later;
    log.note("ended");
    if (asked)
        throw Cancelled();
    co_return 1;
}
Coroutine<int> refuse_to_end(Loop& loop) {
    Future never(loop);
    try {
        co_await never;
    } catch (const Cancelled&) {
    }
    co_return 7;
}
Coroutine<int> fail_to_end(Loop& loop) {
    Future never(loop);
    try {
        co_await never;
    } catch (const Cancelled&) {
        throw Rain();
    }
    co_return 7;
}
Coroutine<int> wait_for_ever(Loop& loop) {
    Future never(loop);
    co_await never;
    co_return 7;
}
Coroutine<int> hold_the_loop(std::chrono::milliseconds time) {
    std::this_thread::sleep_for(time);
    co_return 7;
}

} // namespace

TEST_CASE_FIXTURE(Row<Loop>,
                  "T3: a sleep is never too short, and holds up nothing else") {
    const auto start = Clock::now();
    const Task slow(loop, sleep_and_note(loop, 30ms, log, "slow"));
    const Task fast(loop, sleep_and_note(loop, 5ms, log, "fast"));
    REQUIRE(end_of(loop, slow));
    CHECK(Clock::now() - start >= 30ms);
    CHECK(log.text.find("fast2 slow2 ") != std::string::npos);
}

TEST_CASE_FIXTURE(Row<Loop>, "T5: a task that sleeps lets the processor sleep") {
    const Task task(loop, sleep_and_note(loop, 50ms, log, ""));
    int turns = 0;
    for (; !task.done() && turns < 1000; ++turns)
        loop.turn();
    CHECK(task.done());
    CHECK(turns < 50);
}

TEST_CASE_FIXTURE(Row<Loop>, "L18: sleeping for no time gives the others their turn") {
    const Task a(loop, sleep_and_note(loop, 0ms, log, "a"));
    const Task b(loop, sleep_and_note(loop, 0ms, log, "b"));
    REQUIRE(turn_until(loop, [&] { return a.done() && b.done(); }));
    CHECK(log.text.find('2') > log.text.rfind('1')); // both began before one went on
}

TEST_CASE_FIXTURE(Row<Loop>, "L19: a cancelled sleep cancels its timer") {
    Task task(loop, sleep_and_note(loop, 5ms, log, ""));
    turns(loop, 1);
    task.cancel();
    turns(loop, 1);
    REQUIRE(task.done());
    CHECK(sleeps_on(loop));
}

TEST_CASE_FIXTURE(
    Row<Loop>,
    "W1: wait_for returns a result that comes in time, and cancels its timer") {
    const Task task(loop, limited(loop, seven_at_once(), 5ms, log));
    turns(loop, 3);
    CHECK(log.text == "7 ");
    REQUIRE(task.done());
    CHECK(sleeps_on(loop));
}

TEST_CASE(
    "W2: a late coroutine is asked to end and waited for, then TimedOut is thrown") {
    Loop loop;
    Log log;
    const Task task(loop, limited(loop, end_slowly(loop, log), 5ms, log));
    REQUIRE(end_of(loop, task));
    CHECK(log.text == "asked ended timeout ");
}

TEST_CASE_FIXTURE(Row<Loop>, "W3: a value that comes despite the time limit wins") {
    const Task task(loop, limited(loop, refuse_to_end(loop), 5ms, log));
    REQUIRE(end_of(loop, task));
    CHECK(log.text == "7 ");
}

TEST_CASE_FIXTURE(Row<Loop>,
                  "W4: another exception that the time limit causes is thrown") {
    const Task task(loop, limited(loop, fail_to_end(loop), 5ms, log));
    REQUIRE(end_of(loop, task));
    CHECK_THROWS_AS(task.throw_if_failed(), Rain);
}

TEST_CASE_FIXTURE(
    Row<Loop>, "W5: if the result comes in the turn in which the time is up, it counts") {
    const Task task(loop, limited(loop, hold_the_loop(10ms), 2ms, log));
    REQUIRE(end_of(loop, task));
    CHECK(log.text == "7 ");
}

TEST_CASE_FIXTURE(
    Row<Loop>,
    "W7: cancelling the waiting task asks the coroutine to end, and waits for it") {
    Task task(loop, limited(loop, end_slowly(loop, log), 1000ms, log));
    turns(loop, 3);
    task.cancel();
    REQUIRE(end_of(loop, task));
    CHECK(log.text == "asked ended outer-cancelled ");
    CHECK_THROWS_AS(task.throw_if_failed(), Cancelled);
}

TEST_CASE_FIXTURE(Row<Loop>,
                  "T4: a request that comes just when the time is up is not lost") {
    Task task(loop, limited(loop, wait_for_ever(loop), 2ms, log));
    turns(loop, 3);
    std::this_thread::sleep_for(4ms);
    loop.turn(); // the limit asks the coroutine to end
    task.cancel();
    REQUIRE(end_of(loop, task));
    CHECK(log.text == "outer-cancelled ");
    CHECK_THROWS_AS(task.throw_if_failed(), Cancelled);
}
