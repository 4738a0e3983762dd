// The rows about the loop, its timers, the generator and the future: see rows.txt.
#include "common/system/selector.h"
#include "event_loop.h"
#include "future.h"
#include "generator.h"
#include "loop.h"
#include "tests/exercises/track/rows.h"
#include "tests/support/socket_pair.h"

#include <doctest/doctest.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

using common::Events;
using rows::Call;
using rows::Clock;
using rows::Log;
using rows::Note;
using rows::Probe;
using rows::Rain;
using rows::Row;
using rows::turn_until;
using rows::turns;
using tests::SocketPair;
using yours::Cancelled;
using yours::Driver;
using yours::EventLoop;
using yours::Future;
using yours::Loop;
using yours::Waiting;

using namespace std::chrono_literals;

// ---- Loop -----------------------------------------------------------------------------

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "L1: what is ready runs first in, first out, each once") {
    Note a(log, "a"), b(log, "b"), c(log, "c");
    loop.make_ready(b);
    loop.make_ready(a);
    loop.make_ready(c);
    turns(loop, 3);
    CHECK(log.text == "b a c ");
}

TEST_CASE("L2: what is made ready in a turn runs in the next one, after the selector was "
          "asked") {
    EventLoop loop;
    Log log;
    SocketPair pair;
    loop.watch(pair.near.fd(), Events::read, [&] { log.note("socket"); });
    int runs = 0;
    Call busy([&] {
        log.note("run");
        std::error_code error;
        pair.far.send("x", error);
        if (++runs < 100)
            loop.make_ready(busy);
    });
    loop.make_ready(busy);
    turns(loop, 1);
    CHECK(log.text == "run ");
    turns(loop, 1);
    CHECK(log.text == "run socket run ");
}

TEST_CASE_FIXTURE(Row<EventLoop>, "E1: while something is ready, no turn sleeps") {
    Note a(log, "a");
    loop.make_ready(a);
    const auto start = Clock::now();
    loop.turn(3s);
    CHECK(Clock::now() - start < 3s);
    CHECK(log.text == "a ");
}

TEST_CASE(
    "E2: with nothing ready, a turn sleeps until a socket wakes it or the time is up") {
    EventLoop loop;
    const auto start = Clock::now();
    loop.turn(20ms);
    CHECK(Clock::now() - start >= 20ms);
    SocketPair pair;
    bool called = false;
    loop.watch(pair.near.fd(), Events::read, [&] { called = true; });
    std::thread sender([&] {
        std::this_thread::sleep_for(10ms);
        std::error_code error;
        pair.far.send("x", error);
    });
    loop.turn(3s);
    sender.join();
    CHECK(called);
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "E3: what a socket's callback makes ready runs in the same turn") {
    SocketPair pair;
    Note a(log, "a");
    loop.watch(pair.near.fd(), Events::write, [&] {
        log.note("socket");
        loop.make_ready(a);
    });
    turns(loop, 1);
    CHECK(log.text == "socket a ");
}

TEST_CASE_FIXTURE(
    Row<EventLoop>,
    "E4: a socket that is no longer watched calls nothing, and can be watched again") {
    SocketPair pair;
    loop.watch(pair.near.fd(), Events::write, [&] { log.note("first"); });
    loop.watch(pair.far.fd(), Events::write, [] {});
    loop.unwatch(pair.near.fd());
    turns(loop, 1);
    CHECK(log.text.empty());
    loop.watch(pair.near.fd(), Events::write, [&] { log.note("second"); });
    turns(loop, 1);
    CHECK(log.text == "second ");
}

// ---- Timers ---------------------------------------------------------------------------

TEST_CASE_FIXTURE(Row<Loop>, "L3: a timer can be cancelled, even when it is due") {
    const auto before = loop.call_later(0ms, [&] { log.note("before"); });
    Loop::TimerId behind;
    loop.call_later(1ms, [&] { loop.cancel(behind); });
    behind = loop.call_later(2ms, [&] { log.note("behind"); });
    bool over = false;
    loop.call_later(3ms, [&] { over = true; });
    loop.cancel(before);
    std::this_thread::sleep_for(4ms); // all of them are due
    REQUIRE(turn_until(loop, [&] { return over; }));
    CHECK(log.text.empty());
    loop.cancel(behind); // nothing happens
}

TEST_CASE("L4: a timer is never early") {
    Loop loop;
    int called = 0;
    int early = 0;
    for (int i = 0; i < 20; ++i) { // one wakes the loop while the next is nearly due
        loop.call_later(10ms, [&, due = Clock::now() + 10ms] {
            ++called;
            early += Clock::now() < due;
        });
        std::this_thread::sleep_for(300us);
    }
    REQUIRE(turn_until(loop, [&] { return called == 20; }));
    CHECK(early == 0);
}

TEST_CASE_FIXTURE(Row<Loop>,
                  "L5: timers that are due are called in the order of their times") {
    for (const int delay : {6, 2, 4, 8, 3}) // far apart, for a busy machine
        loop.call_later(std::chrono::milliseconds(20 * delay),
                        [&, delay] { log.note(std::to_string(delay)); });
    std::this_thread::sleep_for(180ms); // now all are due
    REQUIRE(turn_until(loop, [&] { return log.text.size() == 10; }));
    CHECK(log.text == "2 3 4 6 8 ");
}

TEST_CASE("L6: of timers with the same time, the one made first is called first") {
    Loop loop;
    std::string order;
    std::string expected;
    for (int i = 0; i < 200; ++i) {
        loop.call_later(5ms, [&, i] { order += std::to_string(i) + ' '; });
        expected += std::to_string(i) + ' ';
    }
    REQUIRE(turn_until(loop, [&] { return order.size() == expected.size(); }));
    CHECK(order == expected);
}

TEST_CASE("L7: the loop sleeps until the earliest timer that was not cancelled") {
    Loop loop;
    bool far = false;
    loop.call_later(1h, [&] { far = true; });
    loop.cancel(loop.call_later(5ms, [] {}));
    int turns_made = 0;
    for (int i = 0; i < 20; ++i) {
        bool near = false;
        loop.call_later(2ms, [&] { near = true; });
        for (; !near && turns_made < 1'000'000; ++turns_made)
            loop.turn();
    }
    CHECK(!far);
    CHECK(turns_made <= 3 * 20); // a loop that sleeps too short makes many thousands
}

TEST_CASE("L8: timers that were cancelled don't pile up") {
    Loop loop;
    const auto held = std::make_shared<int>();
    for (int i = 0; i < 10'000; ++i)
        loop.cancel(loop.call_later(1h, [held] {}));
    loop.call_later(0ms, [] {});
    loop.turn();
    CHECK(held.use_count() < 5'000);
}

TEST_CASE("T1: a timer set by a timer's callback waits for the next turn") {
    Loop loop;
    int called = 0;
    std::function<void()> again = [&] {
        if (++called < 100)
            loop.call_later(0ms, again);
    };
    loop.call_later(0ms, again);
    std::this_thread::sleep_for(1ms);
    loop.turn();
    REQUIRE(called == 1);
    loop.turn();
    CHECK(called == 2);
}

TEST_CASE("T2: timers are called even while something is always ready") {
    Loop loop;
    Call busy([&] { loop.make_ready(busy); });
    loop.make_ready(busy);
    bool called = false;
    loop.call_later(2ms, [&] { called = true; });
    CHECK(turn_until(loop, [&] { return called; }));
}

// ---- Generator ------------------------------------------------------------------------

namespace {

using Echo = yours::Generator<std::string, std::string, int>;

/// Yields what it is sent, until that is nothing.
Echo echo(Log& log) {
    log.note("begin");
    std::string heard = "hello";
    int times = 0;
    while (!heard.empty()) {
        heard = co_yield std::string(heard);
        ++times;
    }
    log.note("end");
    co_return times;
}

Echo fail_after_one() {
    co_yield "one";
    throw Rain();
}

/// Has a Probe as long as its frame lives.
Echo hold(Probe /*probe*/) {
    co_yield "one";
    co_return 1;
}

} // namespace

TEST_CASE("V1: a call runs none of a generator; next runs it up to its first co_yield") {
    Log log;
    Echo generator = echo(log);
    CHECK(log.text.empty());
    CHECK(generator.next() == "hello");
    CHECK(log.text == "begin ");
}

TEST_CASE("V2: what is sent is the value of the co_yield where it is suspended") {
    Log log;
    Echo generator = echo(log);
    generator.next();
    CHECK(generator.send("a") == "a");
    CHECK(generator.send("b") == "b");
}

TEST_CASE(
    "V3: a generator that has ended yields nothing, and its return value is there") {
    Log log;
    Echo generator = echo(log);
    generator.next();
    generator.send("a");
    CHECK(generator.next() == std::nullopt);
    CHECK(log.text == "begin end ");
    CHECK(generator.returned() == 2);
}

TEST_CASE(
    "V4: an exception that leaves a generator's body leaves the call that resumed it") {
    Echo generator = fail_after_one();
    CHECK(generator.next() == "one");
    CHECK_THROWS_AS(generator.next(), Rain);
}

TEST_CASE("V5: a frame is destroyed with its generator, wherever that is suspended") {
    Probe::Count count;
    {
        const Echo has_not_begun = hold(Probe(count));
    }
    CHECK(count.alive == 0);
    {
        Echo stands = hold(Probe(count));
        stands.next();
        CHECK(count.alive == 1);
    }
    CHECK(count.alive == 0);
    {
        Echo has_ended = hold(Probe(count));
        has_ended.next();
        has_ended.next();
    }
    CHECK(count.alive == 0);
    CHECK(count.died == 3);
}

TEST_CASE(
    "V6: a generator that was moved has one owner, and its frame is destroyed once") {
    Probe::Count count;
    {
        Echo first = hold(Probe(count));
        first.next();
        {
            Echo second(std::move(first));
            CHECK(second.next() == std::nullopt);
        }
        CHECK(count.died == 1);
    }
    CHECK(count.died == 1);
    CHECK(count.alive == 0);
}

// ---- Future ---------------------------------------------------------------------------

namespace {

std::exception_ptr rain() { return std::make_exception_ptr(Rain()); }

} // namespace

TEST_CASE("F1: a new future is pending, and has not failed") {
    EventLoop loop;
    const Future future(loop);
    CHECK(!future.done());
    CHECK_NOTHROW(future.throw_if_failed());
}

TEST_CASE("F3: set_result makes it done") {
    EventLoop loop;
    Future future(loop);
    future.set_result();
    CHECK(future.done());
    CHECK_NOTHROW(future.throw_if_failed());
}

TEST_CASE("F4: a second outcome changes nothing, and the first one stands") {
    EventLoop loop;
    Future well(loop);
    well.set_result();
    well.set_exception(rain());
    CHECK_NOTHROW(well.throw_if_failed());
    Future failed(loop);
    failed.set_exception(rain());
    failed.set_result();
    CHECK_THROWS_AS(failed.throw_if_failed(), Rain);
}

TEST_CASE("F5: a future may fail instead, and throws that each time it is asked") {
    EventLoop loop;
    Future future(loop);
    future.set_exception(rain());
    CHECK(future.done());
    CHECK_THROWS_AS(future.throw_if_failed(), Rain);
    CHECK_THROWS_AS(future.throw_if_failed(), Rain);
}

TEST_CASE("F6: cancel ends a pending future") {
    EventLoop loop;
    Future future(loop);
    CHECK(future.cancel());
    CHECK(future.done());
}

TEST_CASE("F7: a future that was cancelled throws Cancelled") {
    EventLoop loop;
    Future future(loop);
    future.cancel();
    CHECK_THROWS_AS(future.throw_if_failed(), Cancelled);
}

TEST_CASE("F8: a cancelled future takes no result") {
    EventLoop loop;
    Future future(loop);
    future.cancel();
    future.set_result();
    CHECK_THROWS_AS(future.throw_if_failed(), Cancelled);
}

TEST_CASE("F9: a future that is done can't be cancelled") {
    EventLoop loop;
    Future future(loop);
    future.set_result();
    CHECK(!future.cancel());
    CHECK_NOTHROW(future.throw_if_failed());
}

TEST_CASE_FIXTURE(Row<EventLoop>, "F10: waiters run later, never inside set_result") {
    Future future(loop);
    Note waiter(log, "waiter");
    future.add_waiter(waiter);
    Call resolver([&] {
        future.set_result();
        log.note("set");
    });
    loop.make_ready(resolver);
    turns(loop, 2);
    CHECK(log.text == "set waiter ");
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "F11: waiters run in the order in which they came, once each") {
    Future future(loop);
    Note a(log, "a"), b(log, "b"), c(log, "c");
    future.add_waiter(c);
    future.add_waiter(a);
    future.add_waiter(b);
    future.set_result();
    future.set_result();
    turns(loop, 3);
    CHECK(log.text == "c a b ");
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "F12: waiters run for exceptions and cancellations, too") {
    Future fails(loop);
    Note a(log, "a");
    fails.add_waiter(a);
    fails.set_exception(rain());
    Future ends(loop);
    Note b(log, "b");
    ends.add_waiter(b);
    ends.cancel();
    turns(loop, 1);
    CHECK(log.text == "a b ");
}

TEST_CASE_FIXTURE(Row<EventLoop>, "F13: a waiter that comes late runs in the next turn") {
    Future future(loop);
    future.set_result();
    Note late(log, "late");
    future.add_waiter(late);
    CHECK(log.text.empty());
    turns(loop, 2);
    CHECK(log.text == "late ");
}

TEST_CASE("F15: a waiter that has run may wait again") {
    EventLoop loop;
    int runs = 0;
    Future first(loop), second(loop);
    Call waiter([&] {
        if (++runs == 1)
            second.add_waiter(waiter);
    });
    first.add_waiter(waiter);
    first.set_result();
    turns(loop, 3);
    CHECK(runs == 1);
    second.set_result();
    turns(loop, 3);
    CHECK(runs == 2);
}

namespace {

Waiting wait_for_two(Future& first, Future& second, Log& log) {
    log.note("begin");
    co_yield &first;
    log.note("first");
    co_yield &second;
    log.note("second");
    co_return 7;
}

} // namespace

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "D1: a driver's generator begins in the loop's next turn") {
    Future first(loop), second(loop);
    const Driver driver(loop, wait_for_two(first, second, log));
    CHECK(log.text.empty());
    turns(loop, 2);
    CHECK(log.text == "begin ");
    CHECK(!driver.done());
}

TEST_CASE_FIXTURE(
    Row<EventLoop>,
    "D2: a driver runs from future to future, and keeps what the generator returns") {
    Future first(loop), second(loop);
    const Driver driver(loop, wait_for_two(first, second, log));
    turns(loop, 1);
    first.set_result();
    turns(loop, 2);
    CHECK(log.text == "begin first ");
    CHECK(!driver.done());
    second.set_result();
    turns(loop, 1);
    CHECK(log.text == "begin first second ");
    REQUIRE(driver.done());
    CHECK(driver.returned() == 7);
}
