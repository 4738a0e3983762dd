#include "event_loop.h"
#include "future.h"
#include "tests/exercises/track/kit.h"
#include "tests/exercises/track/loop_kit.h"

using track::Named;
using track::rain;
using track::said;
using yours::Cancelled;
using yours::EventLoop;
using yours::Future;
using yours::FutureAwaiter;

namespace {

/// A loop, a future, two that can wait, and what was reported.
struct FutureTest : track::Test<EventLoop> {
    Future future{loop};
    Future second{loop};
    Named a{told, "a"};
    Named b{told, "b"};
};

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

TEST_CASE_FIXTURE(FutureTest, "F1: a new future is pending, and has not failed") {
    CHECK_FALSE(future.done());
    CHECK(thrown_by(future) == "nothing");
}

TEST_CASE_FIXTURE(FutureTest, "F3: set_result makes it done") {
    future.set_result();
    REQUIRE_MESSAGE(future.done(), "set_result was called, so the future is done.");
    CHECK_MESSAGE(thrown_by(future) == "nothing",
                  "the future has a result, and has not failed. It throws "
                      << thrown_by(future));
}

TEST_CASE_FIXTURE(FutureTest, "F10: waiters run later, never inside set_result") {
    future.add_waiter(a);
    turn();
    CHECK_MESSAGE(told.empty(),
                  "the future isn't done yet, and these ran: " << said(told));
    future.set_result();
    REQUIRE_MESSAGE(told.empty(),
                    "set_result has not returned, and a waiter has run inside it. The "
                    "caller of set_result must not have to expect that: put the waiters "
                    "into the loop's queue. These ran: "
                        << said(told));
    turn();
    CHECK_MESSAGE(
        told == "a ",
        "a waited for the future, which is done: a runs in the next turn. These ran: "
            << said(told));
}

TEST_CASE_FIXTURE(FutureTest,
                  "F11: waiters run in the order in which they came, once each") {
    future.add_waiter(b);
    future.add_waiter(a);
    future.set_result();
    future.set_result();
    turn(2);
    CHECK_MESSAGE(told == "b a ", "b and a waited for the future, which is done: both "
                                  "run once, in the order in which they came. These ran: "
                                      << said(told));
}

TEST_CASE_FIXTURE(FutureTest, "F15: a waiter that has run may wait again") {
    Named again(told, "again", [&] {
        if (told == "again ")
            second.add_waiter(again);
    });
    future.add_waiter(again);
    future.add_waiter(a);
    future.set_result();
    turn(3);
    CHECK_MESSAGE(
        told == "again a ",
        "two Runnables waited for a future, which is done. One of them now waits "
        "for a second future, which isn't done. These ran: "
            << said(told));
    second.set_result();
    turn(3);
    CHECK_MESSAGE(
        told == "again a again ",
        "the second future is done, too, and only one of them waited for it. These ran: "
            << said(told));
}

TEST_CASE_FIXTURE(FutureTest, "F12: waiters run for exceptions and cancellations, too") {
    future.add_waiter(a);
    future.add_waiter(b);
    SUBCASE("for an exception") { future.fail(rain()); }
    SUBCASE("for a cancellation") { future.cancel(); }
    REQUIRE_MESSAGE(future.done(), "failing is an ending, too: the future is done.");
    CHECK(told.empty());
    turn();
    CHECK_MESSAGE(told == "a b ", "the future has failed, and a and b waited for its "
                                  "end, whichever end that is. These ran: "
                                      << said(told));
}

TEST_CASE_FIXTURE(
    FutureTest, "F5: a future may fail instead, and throws that each time it is asked") {
    future.fail(rain());
    const std::string first = thrown_by(future);
    CHECK_MESSAGE(first == "it rains", "throw_if_failed has thrown " << first);
    const std::string again = thrown_by(future);
    CHECK_MESSAGE(again == "it rains",
                  "suppose two tasks have waited: each of them must get the error. The "
                  "second time, throw_if_failed has thrown "
                      << again);
}

TEST_CASE_FIXTURE(FutureTest,
                  "F4: a second outcome changes nothing, and the first one stands") {
    future.add_waiter(a);
    second.add_waiter(b);
    future.set_result();
    second.fail(rain());
    turn();
    future.set_result();
    future.cancel();
    CHECK_MESSAGE(thrown_by(future) == "nothing",
                  "the future had a result, and was cancelled after that. That is too "
                  "late: a future that is done never changes. It throws "
                      << thrown_by(future));
    second.set_result();
    second.cancel();
    CHECK_MESSAGE(thrown_by(second) == "it rains",
                  "the future had failed with \"it rains\", and a future that is done "
                  "never changes. It throws "
                      << thrown_by(second));
    turn();
    CHECK_MESSAGE(told == "a b ",
                  "a waiter that has been made ready isn't made ready again. These ran: "
                      << said(told));
}

TEST_CASE_FIXTURE(FutureTest, "F6: cancel ends a pending future") {
    CHECK_MESSAGE(future.cancel(),
                  "the future wasn't done, so cancel() ends it, and returns true.");
    REQUIRE_MESSAGE(future.done(),
                    "being cancelled is an ending, too: the future is done.");
    CHECK_FALSE(future.cancel());
}

TEST_CASE_FIXTURE(FutureTest, "F7: a future that was cancelled throws Cancelled") {
    future.cancel();
    CHECK_MESSAGE(thrown_by(future) == "Cancelled",
                  "the future has failed with Cancelled. It throws "
                      << thrown_by(future));
}

TEST_CASE_FIXTURE(FutureTest, "F8: a cancelled future takes no result") {
    future.cancel();
    future.set_result();
    CHECK_MESSAGE(
        thrown_by(future) == "Cancelled",
        "the future was cancelled, and a result came after that, too late. It throws "
            << thrown_by(future));
}

TEST_CASE_FIXTURE(FutureTest, "F9: a future that is done can't be cancelled") {
    future.set_result();
    CHECK_MESSAGE(
        !future.cancel(),
        "the future was done before, so cancel() comes too late, and returns false.");
    CHECK(thrown_by(future) == "nothing");
}

TEST_CASE_FIXTURE(FutureTest, "a future may be destroyed before its waiters run") {
    auto gone = std::make_unique<Future>(loop);
    gone->add_waiter(a);
    gone->set_result();
    gone.reset();
    turn();
    CHECK_MESSAGE(told == "a ",
                  "the future is done and destroyed, and a waited for it. These ran: "
                      << said(told));
}

// ---- What a coroutine asks ----

TEST_CASE_FIXTURE(FutureTest, "the awaiter asks whether the future is done") {
    CHECK_MESSAGE(!FutureAwaiter(future).await_ready(),
                  "the future isn't done, so a coroutine that awaits it must be "
                  "suspended, but await_ready() has returned true.");
    future.set_result();
    second.fail(rain());
    for (Future* done : {&future, &second})
        CHECK_MESSAGE(FutureAwaiter(*done).await_ready(),
                      "the future is done, so there is nothing to wait for, but "
                      "await_ready() has returned false: the coroutine would join the "
                      "waiters of a future that wakes none any more.");
}
