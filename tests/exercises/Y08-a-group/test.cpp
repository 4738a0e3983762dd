#include "coroutine.h"
#include "future.h"
#include "group.h"
#include "task.h"
#include "tests/exercises/track/kit.h"
#include "tests/exercises/track/task_kit.h"

using track::Lent;
using yours::Cancelled;
using yours::Coroutine;
using yours::Future;
using yours::Group;
using yours::Task;

namespace {

/// A loop, futures that the children wait for, and what was reported.
struct GroupTest : track::Story {
    Future first{loop};
    Future second{loop};
    Future third{loop};
    Future never{loop};
    Group group{loop};
    std::optional<Task> owner; // waits in the group's wait

    void begin_to_wait();

    /// Lets the loop turn until the owner is done. Then it has nothing to wait for but
    /// what comes by itself.
    bool owner_ends() { return ends(*owner); }
};

Coroutine<> wait(GroupTest& test) {
    try {
        co_await test.group.wait();
        test.say("all have ended");
    } catch (const Cancelled&) {
        test.say("wait is cancelled");
    } catch (const std::exception& error) {
        test.say(std::string("wait throws ") + error.what());
    }
}

void GroupTest::begin_to_wait() { owner.emplace(loop, wait(*this)); }

/// A child that waits for `future`.
Coroutine<> child(GroupTest& test, std::string name, Future& future) {
    test.say(name + " begins");
    const Lent lent(test, name);
    co_await future;
    test.say(name + " goes on");
}

/// The same; but it says nothing.
Coroutine<> quiet_child(Future& future) { co_await future; }

/// A child that fails when `future` is done.
Coroutine<> fail(Future& future, std::string what) {
    co_await future;
    throw std::runtime_error(what);
}

Coroutine<> fail_at_once() {
    throw track::Rain();
    co_return;
}

/// Asked to end, it has something to finish: it waits for `future`. If it's asked again
/// meanwhile, it waits for `last`.
Coroutine<> slow_child(GroupTest& test, std::string name, Future& future, Future& last) {
    const Lent lent(test, name);
    try {
        co_await test.never;
    } catch (const Cancelled&) {
        test.say(name + " is asked");
    }
    bool asked_again = false;
    try {
        co_await future;
    } catch (const Cancelled&) {
        asked_again = true;
    }
    if (asked_again)
        co_await last;
}

/// Asked to end, it fails.
Coroutine<> fail_when_asked(GroupTest& test) {
    try {
        co_await test.never;
    } catch (const Cancelled&) {
        throw std::runtime_error("it snows");
    }
}

} // namespace

TEST_CASE_FIXTURE(GroupTest, "start begins the child in the next turn") {
    group.start(child(*this, "a", first));
    REQUIRE_MESSAGE(told.empty(), reported("start has run the child itself. It only "
                                           "makes a task, which begins in the loop's "
                                           "next turn."));
    turn();
    REQUIRE_MESSAGE(told == "a begins",
                    reported("a child was started, and the loop has made a turn."));
    group.cancel();
    begin_to_wait();
    static_cast<void>(owner_ends());
}

TEST_CASE_FIXTURE(GroupTest, "G1: wait returns when every child has ended") {
    group.start(child(*this, "a", first));
    group.start(child(*this, "b", second));
    begin_to_wait();
    turn(3);
    REQUIRE_MESSAGE(told == "a begins, b begins",
                    reported("two children wait, side by side, and wait has to wait for "
                             "both."));
    second.set_result();
    turn(3);
    REQUIRE_MESSAGE(told == "a begins, b begins, b goes on, b gives back",
                    reported("one of two children has ended: the other one hasn't."));
    first.set_result();
    REQUIRE_MESSAGE(owner_ends(),
                    reported("both children have ended, and wait still waits."));
    REQUIRE_MESSAGE(told
                        == "a begins, b begins, b goes on, b gives back, a goes on, a "
                           "gives back, all have ended",
                    reported("both children have ended, and nothing went wrong."));
}

TEST_CASE_FIXTURE(GroupTest, "G10: if no child is running, wait returns at once") {
    SUBCASE("none was started") {}
    SUBCASE("all have ended") {
        group.start(quiet_child(first));
        first.set_result();
        turn(3);
    }
    begin_to_wait();
    turn();
    REQUIRE_MESSAGE(told == "all have ended",
                    reported("there is nothing to wait for, but wait waits."));
}

TEST_CASE_FIXTURE(GroupTest, "a group can be used again when all have ended") {
    group.start(quiet_child(first));
    first.set_result();
    begin_to_wait();
    REQUIRE(owner_ends());
    group.start(child(*this, "b", second));
    begin_to_wait();
    turn(3);
    REQUIRE_MESSAGE(told == "all have ended, b begins",
                    reported("after the first wait, another child was started, and the "
                             "second wait has to wait for it."));
    second.set_result();
    REQUIRE(owner_ends());
}

namespace {

/// Starts another child and ends.
Coroutine<> parent(GroupTest& test, Future& future) {
    co_await future;
    test.group.start(child(test, "b", test.second));
}

} // namespace

TEST_CASE_FIXTURE(GroupTest, "G13: children may start siblings") {
    group.start(parent(*this, first));
    begin_to_wait();
    turn(2);
    first.set_result();
    turn(4);
    REQUIRE_MESSAGE(told == "b begins",
                    reported("a child has started another one, and has ended. So wait "
                             "has to wait for the other one."));
    second.set_result();
    REQUIRE(owner_ends());
    REQUIRE(told == "b begins, b goes on, b gives back, all have ended");
}

// ---- Asking them to end ----

TEST_CASE_FIXTURE(GroupTest,
                  "G15: cancel asks all children to end, and none counts as failed") {
    group.start(child(*this, "a", first));
    group.start(child(*this, "b", second));
    begin_to_wait();
    turn(2);
    group.cancel();
    REQUIRE_MESSAGE(told == "a begins, b begins",
                    reported("cancel only asks: no child runs in it."));
    REQUIRE_MESSAGE(owner_ends(), reported("cancel has to ask the children to end. They "
                                           "still wait, and so does the group."));
    REQUIRE_MESSAGE(
        told == "a begins, b begins, a gives back, b gives back, all have ended",
        reported("all children were asked to end, and have ended. That is "
                 "what was wanted, so wait returns."));
}

TEST_CASE_FIXTURE(
    GroupTest, "G14: a child that is started when all are asked to end is asked, too") {
    group.start(child(*this, "a", first));
    turn();
    group.cancel();
    group.start(child(*this, "b", second));
    begin_to_wait();
    REQUIRE_MESSAGE(owner_ends(),
                    reported("the group was asked to end, and then b was started. "
                             "Nothing will ask b later, so wait waits forever."));
    REQUIRE_MESSAGE(told.ends_with(", all have ended"),
                    reported("a was asked to end, and so was b, which was started "
                             "later."));
}

// ---- Children that fail ----

TEST_CASE_FIXTURE(GroupTest, "G2: if a child fails, the others are asked to end and "
                             "waited for, and wait throws") {
    SUBCASE("while the owner waits") {
        group.start(slow_child(*this, "a", second, third));
        group.start(fail(first, "it rains"));
        begin_to_wait();
        turn(2);
        first.set_result();
    }
    SUBCASE("before the owner waits") {
        group.start(slow_child(*this, "a", second, third));
        group.start(fail_at_once());
        turn(2);
        begin_to_wait();
    }
    turn(5);
    REQUIRE_MESSAGE(told.rfind("a is asked", 0) == 0,
                    reported("a child has failed, so the other one has to be asked to "
                             "end. Otherwise, wait may wait for it forever."));
    REQUIRE_MESSAGE(
        told == "a is asked",
        reported("a child has failed, and the other one was asked to end, but "
                 "has something to finish. Until it has ended, wait must not "
                 "throw: a still uses what it was lent."));
    second.set_result();
    REQUIRE_MESSAGE(owner_ends(), reported("all have ended, and wait waits forever."));
    REQUIRE_MESSAGE(told == "a is asked, a gives back, wait throws it rains",
                    reported("a child has thrown \"it rains\", so wait throws that when "
                             "all have ended."));
}

TEST_CASE_FIXTURE(GroupTest, "G7: of several failures, the first is thrown") {
    group.start(fail_when_asked(*this));
    group.start(fail(first, "it rains"));
    begin_to_wait();
    turn(2);
    first.set_result();
    REQUIRE(owner_ends());
    REQUIRE_MESSAGE(
        told == "wait throws it rains",
        reported("a child has thrown \"it rains\", and then another one "
                 "\"it snows\", when it was asked to end: the first counts."));
}

TEST_CASE_FIXTURE(GroupTest, "G11: a child that ends with Cancelled has not failed") {
    group.start(child(*this, "a", first));
    group.start(quiet_child(second));
    begin_to_wait();
    turn(2);
    second.cancel(); // so it ends with Cancelled, and nothing has asked the others
    turn(3);
    REQUIRE_MESSAGE(told == "a begins",
                    reported("a child has ended because what it waited for was "
                             "cancelled. That is no failure: the other child goes on."));
    first.set_result();
    REQUIRE(owner_ends());
    REQUIRE_MESSAGE(told == "a begins, a goes on, a gives back, all have ended",
                    reported("one child has ended with Cancelled, and the other one "
                             "well. Neither has failed, so wait returns."));
}

// ---- An owner that is asked to end ----

TEST_CASE_FIXTURE(GroupTest, "G5: a group that is cancelled while it waits ends its "
                             "children, and throws Cancelled") {
    group.start(slow_child(*this, "a", first, third));
    begin_to_wait();
    turn(2);
    owner->cancel();
    turn(4);
    REQUIRE_MESSAGE(!told.empty(),
                    "the owner of a group was asked to end while it waited, so the "
                    "group's children have to be asked, too.");
    REQUIRE_MESSAGE(told == "a is asked",
                    reported("the owner was asked to end, and a child has something to "
                             "finish. Until it has ended, wait must not throw, or the "
                             "child is left behind."));
    first.set_result();
    REQUIRE_MESSAGE(owner_ends(), reported("all have ended, and wait waits forever."));
    REQUIRE_MESSAGE(told == "a is asked, a gives back, wait is cancelled",
                    reported("the owner was asked to end, and its children have ended. "
                             "Now wait has to throw Cancelled."));
}

TEST_CASE_FIXTURE(GroupTest, "a request that comes when the last child has just ended is "
                             "not lost") {
    group.start(quiet_child(first));
    begin_to_wait();
    turn(2);
    first.set_result();
    turn(); // the child ends, but the owner has not resumed yet
    owner->cancel();
    REQUIRE(owner_ends());
    REQUIRE_MESSAGE(told == "wait is cancelled",
                    reported("the owner was asked to end in the turn in which the last "
                             "child ended. Only wait hears of that request."));
}

TEST_CASE_FIXTURE(
    GroupTest, "G6: a group that is cancelled again while its children end still waits") {
    group.start(slow_child(*this, "a", first, second));
    begin_to_wait();
    turn(2);
    owner->cancel();
    turn(2);
    REQUIRE(told == "a is asked");
    owner->cancel();
    turn(4);
    REQUIRE_MESSAGE(told == "a is asked",
                    reported("the owner was asked to end, and then once more while a "
                             "child had something to finish. That must not end the wait "
                             "before the child has ended."));
    first.set_result();
    second.set_result();
    REQUIRE(owner_ends());
    REQUIRE(told == "a is asked, a gives back, wait is cancelled");
}

TEST_CASE_FIXTURE(GroupTest, "G8: a failure outweighs a request to end") {
    group.start(fail_when_asked(*this));
    begin_to_wait();
    turn(2);
    owner->cancel();
    REQUIRE(owner_ends());
    REQUIRE_MESSAGE(told == "wait throws it snows",
                    reported("the owner was asked to end, and a child has failed because "
                             "of that. The failure says more, so wait throws it."));
}
