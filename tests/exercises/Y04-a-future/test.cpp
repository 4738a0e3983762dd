#include "future.h"

#include <doctest/doctest.h>

#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

using yours::Cancelled;
using yours::Driver;
using yours::EventLoop;
using yours::Future;
using yours::Runnable;
using yours::Waiting;
using namespace std::chrono_literals;

namespace {

/// What was reported, for a message.
std::string said(const std::string& told) { return told.empty() ? "nothing" : told; }

/// Reports its name when it runs, and then does something.
class Named final : public Runnable {
  public:
    Named(
        std::string& told, std::string name, std::function<void()> then = [] {})
        : told_(told), name_(std::move(name)), then_(std::move(then)) {}
    void run() override {
        told_ += name_ + " ";
        then_();
    }

  private:
    std::string& told_;
    std::string name_;
    std::function<void()> then_;
};

/// A loop, two that can wait, and what was reported.
struct FutureTest {
    EventLoop loop;
    std::string told;
    Named a{told, "a"};
    Named b{told, "b"};

    void turn() { loop.turn(0ms); }
};

std::exception_ptr rain() {
    return std::make_exception_ptr(std::runtime_error("it rains"));
}

/// What a future throws, in a word.
std::string thrown_by(const Future& future) {
    try {
        future.throw_if_failed();
    } catch (const Cancelled&) {
        return "Cancelled";
    } catch (const std::exception& error) {
        return error.what();
    }
    return "nothing";
}

} // namespace

// ---- A future ----

TEST_CASE_FIXTURE(FutureTest, "set_result completes a future") {
    Future future(loop);
    CHECK_FALSE(future.done());
    CHECK(thrown_by(future) == "nothing");
    future.set_result();
    REQUIRE_MESSAGE(future.done(), "it has happened, so the future is done.");
    CHECK_MESSAGE(thrown_by(future) == "nothing",
                  "it has happened, not failed. It throws " << thrown_by(future));
}

TEST_CASE_FIXTURE(FutureTest, "nothing runs inside set_result") {
    Future future(loop);
    future.add_waiter(a);
    future.add_waiter(b);
    turn();
    CHECK_MESSAGE(told.empty(), "it isn't done yet, and these ran: " << said(told));
    future.set_result();
    REQUIRE_MESSAGE(
        told.empty(),
        "set_result has not returned, and a waiter has run inside it. Its caller must "
        "not have to expect that: put those who wait into the loop's queue. These ran: "
            << said(told));
    turn();
    CHECK_MESSAGE(told == "a b ", "a and b waited, and it's done: in the next turn both "
                                  "run, in the order in which they came. These ran: "
                                      << said(told));
    turn();
    CHECK_MESSAGE(told == "a b ", "each runs once. These ran: " << said(told));
}

TEST_CASE_FIXTURE(FutureTest, "a waiter that comes late still runs") {
    Future future(loop);
    future.set_result();
    turn();
    future.add_waiter(a);
    CHECK_MESSAGE(told.empty(), "a waiter that comes late doesn't run inside add_waiter: "
                                "it runs in the next turn, not at once.");
    turn();
    CHECK_MESSAGE(told == "a ", "a came too late for set_result, and waits forever. The "
                                "future is done already, so a is ready. These ran: "
                                    << said(told));
}

TEST_CASE_FIXTURE(FutureTest, "a future can fail") {
    Future future(loop);
    future.add_waiter(a);
    future.add_waiter(b);
    future.set_exception(rain());
    REQUIRE_MESSAGE(future.done(), "failing is an ending, too: the future is done.");
    CHECK(told.empty());
    turn();
    CHECK_MESSAGE(
        told == "a b ",
        "it has failed, and a and b waited for its end, whatever that is. These ran: "
            << said(told));
    const std::string first = thrown_by(future);
    CHECK_MESSAGE(first == "it rains", "throw_if_failed has thrown " << first);
    const std::string second = thrown_by(future);
    CHECK_MESSAGE(second == "it rains", "two have waited, and each of them must get the "
                                        "error. The second time, it has thrown "
                                            << second);
}

TEST_CASE_FIXTURE(FutureTest, "the first outcome counts") {
    Future good(loop);
    good.add_waiter(a);
    good.set_result();
    turn();
    good.set_result();
    good.set_exception(rain());
    CHECK_MESSAGE(thrown_by(good) == "nothing",
                  "it had happened, and was then told that it has failed. That is too "
                  "late: a future that is done never changes. It throws "
                      << thrown_by(good));
    Future bad(loop);
    bad.set_exception(rain());
    bad.set_result();
    bad.set_exception(std::make_exception_ptr(std::runtime_error("it snows")));
    CHECK_MESSAGE(thrown_by(bad) == "it rains",
                  "it had failed with \"it rains\", and a future that is done never "
                  "changes. It throws "
                      << thrown_by(bad));
    turn();
    CHECK_MESSAGE(told == "a ",
                  "a waiter that has been made ready isn't made ready again. These ran: "
                      << said(told));
}

TEST_CASE_FIXTURE(FutureTest, "a future can be cancelled") {
    Future future(loop);
    future.add_waiter(a);
    const bool cancelled = future.cancel();
    CHECK_MESSAGE(cancelled,
                  "it wasn't done, so cancel() has ended it, and returns true.");
    REQUIRE_MESSAGE(future.done(),
                    "being cancelled is an ending, too: the future is done.");
    CHECK(told.empty());
    CHECK_MESSAGE(thrown_by(future) == "Cancelled",
                  "it has failed with Cancelled. It throws " << thrown_by(future));
    turn();
    CHECK_MESSAGE(told == "a ", "it was cancelled, and a waited for its end. These ran: "
                                    << said(told));
    CHECK_FALSE(future.cancel());

    Future over(loop);
    over.set_result();
    const bool too_late = over.cancel();
    CHECK_MESSAGE(!too_late,
                  "it was done before, so cancel() comes too late, and returns false.");
    CHECK(thrown_by(over) == "nothing");
}

TEST_CASE_FIXTURE(FutureTest, "a future may be destroyed before its waiters run") {
    auto future = std::make_unique<Future>(loop);
    future->add_waiter(a);
    future->set_result();
    future.reset();
    turn();
    CHECK_MESSAGE(told == "a ",
                  "the future is done and destroyed, and a waited for it. These ran: "
                      << said(told));
}

TEST_CASE_FIXTURE(FutureTest, "waiters that wake each other run in one turn each") {
    // Each resolves the future that the next one waits for.
    constexpr int number = 1000;
    std::deque<Future> futures;
    std::deque<Named> chain;
    for (int i = 0; i <= number; ++i)
        futures.emplace_back(loop);
    for (std::size_t i = 0; i < number; ++i) {
        chain.emplace_back(told, "x", [&futures, i] { futures[i + 1].set_result(); });
        futures[i].add_waiter(chain.back());
    }
    futures[0].set_result();
    for (int turns = 0; turns < 3; ++turns)
        turn();
    CHECK_MESSAGE(told == "x x x ",
                  "a thousand wake each other. In three turns, three of them run, one "
                  "after the other and not one inside the other. There ran "
                      << told.size() / 2);
    for (int turns = 3; turns < number; ++turns)
        turn();
    CHECK(futures.back().done());
}

namespace {

/// A future that knows another end; a task will be one of these.
class Special final : public Future {
  public:
    using Future::Future;
    void end_with(std::exception_ptr error) { complete(std::move(error)); }
    bool cancel() override {
        asked = true;
        return !done();
    }
    bool asked = false;
};

} // namespace

TEST_CASE_FIXTURE(FutureTest, "a derived class can complete a future") {
    Special special(loop);
    Future& future = special;
    future.add_waiter(a);
    CHECK(future.cancel());
    CHECK_MESSAGE(special.asked, "cancel is virtual.");
    CHECK_FALSE(future.done());
    special.end_with(rain());
    CHECK(future.done());
    CHECK(told.empty());
    special.end_with(nullptr);
    CHECK_MESSAGE(thrown_by(future) == "it rains",
                  "complete was called a second time, which changes nothing. It throws "
                      << thrown_by(future));
    turn();
    CHECK(told == "a ");
}

// ---- A generator from future to future ----

namespace {

Waiting wait_for_two(std::string& told, std::string name, Future& first, Future& second) {
    told += name + "1 ";
    co_yield &first;
    told += name + "2 ";
    co_yield &second;
    told += name + "3 ";
    co_return 7;
}

} // namespace

TEST_CASE_FIXTURE(FutureTest, "a driver runs a generator to its first future") {
    Future first(loop);
    Future second(loop);
    const Driver driver(loop, wait_for_two(told, "x", first, second));
    REQUIRE_MESSAGE(told.empty(), "the generator begins in the next turn, not while its "
                                  "Driver is made. It reported: "
                                      << said(told));
    turn();
    REQUIRE_MESSAGE(told == "x1 ", "in the next turn, the generator begins and runs up "
                                   "to its first future. It reported: "
                                       << said(told));
    turn();
    CHECK_MESSAGE(told == "x1 ",
                  "the future isn't done, and the generator has resumed. It reported: "
                      << said(told));
    CHECK_FALSE(driver.done());
}

TEST_CASE_FIXTURE(FutureTest, "a driver runs a generator from future to future") {
    Future first(loop);
    Future second(loop);
    const Driver driver(loop, wait_for_two(told, "x", first, second));
    turn();
    first.set_result();
    CHECK_MESSAGE(told == "x1 ", "the generator has resumed inside set_result.");
    turn();
    REQUIRE_MESSAGE(
        told == "x1 x2 ",
        "the first future is done, and the generator waited for it. It reported: "
            << said(told));
    CHECK_FALSE(driver.done());
    second.set_result();
    turn();
    REQUIRE_MESSAGE(told == "x1 x2 x3 ",
                    "the second future is done, too. It reported: " << said(told));
    REQUIRE_MESSAGE(driver.done(), "the generator has ended, and so the Driver is done.");
    CHECK_MESSAGE(driver.returned() == 7,
                  "the generator has returned 7; returned() is " << driver.returned());
}

TEST_CASE_FIXTURE(FutureTest, "a driver whose futures are done runs to its end") {
    Future first(loop);
    Future second(loop);
    first.set_result();
    second.set_result();
    const Driver driver(loop, wait_for_two(told, "x", first, second));
    for (int turns = 0; turns < 10 && !driver.done(); ++turns)
        turn();
    REQUIRE_MESSAGE(
        driver.done(),
        "the generator waits for futures that are done, and never resumes. It reported: "
            << said(told));
    CHECK(driver.returned() == 7);
}

TEST_CASE_FIXTURE(FutureTest, "two drivers run at the same time") {
    Future first(loop);
    Future second(loop);
    const Driver x(loop, wait_for_two(told, "x", first, second));
    const Driver y(loop, wait_for_two(told, "y", first, second));
    turn();
    first.set_result();
    turn();
    second.set_result();
    turn();
    CHECK_MESSAGE(
        told == "x1 y1 x2 y2 x3 y3 ",
        "two generators wait for the same futures, and take turns. They reported: "
            << said(told));
    CHECK(x.done());
    CHECK(y.done());
}

namespace {

Waiting ask_what_came(std::string& told, Future& future) {
    co_yield &future;
    try {
        future.throw_if_failed();
        told += "fine ";
    } catch (const std::exception& error) {
        told += error.what();
    }
    co_return 0;
}

} // namespace

TEST_CASE_FIXTURE(FutureTest, "a generator asks its future for the outcome") {
    Future future(loop);
    const Driver driver(loop, ask_what_came(told, future));
    turn();
    future.set_exception(rain());
    turn();
    CHECK_MESSAGE(told == "it rains",
                  "the generator waited for a future that has failed, and asked it for "
                  "the outcome. It reported: "
                      << said(told));
    CHECK(driver.done());
}
