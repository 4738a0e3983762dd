#include "coroutine.h"
#include "event_loop.h"
#include "future.h"
#include "task.h"
#include "tests/exercises/track/kit.h"
#include "tests/exercises/track/task_kit.h"

namespace small_runtime = yours;

#include "tests/support/orders/task.h"

using track::end_of;
using track::Lent;
using track::Rain;
using track::rain;
using track::Story;
using yours::Cancelled;
using yours::Coroutine;
using yours::EventLoop;
using yours::Future;
using yours::Task;

namespace {

/// A loop, two futures to wait for, and what was reported.
struct TaskTest : Story {
    Future future{loop};
    Future other{loop};
};

/// Resolves a future some turns later.
class Later final : public yours::Runnable {
  public:
    Later(EventLoop& loop, Future& future) : loop_(loop), future_(future) {
        loop.make_ready(*this);
    }
    void run() override {
        if (--turns_ > 0)
            loop_.make_ready(*this);
        else
            future_.set_result();
    }

  private:
    EventLoop& loop_;
    Future& future_;
    int turns_ = 5;
};

Coroutine<> inner(TaskTest& test) {
    const Lent lent(test, "inner");
    test.say("inner waits");
    co_await test.future;
    test.say("inner goes on");
}

Coroutine<> outer(TaskTest& test) {
    const Lent lent(test, "outer");
    co_await inner(test);
    test.say("outer goes on");
}

/// Doesn't end when it's asked to.
Coroutine<> refuse(TaskTest& test) {
    try {
        co_await inner(test);
    } catch (const Cancelled&) {
        test.say("no, thanks");
    }
}
Coroutine<> stubborn(TaskTest& test) {
    co_await refuse(test);
    co_await test.other;
    test.say("stubborn goes on");
}

/// A message that ends with how the task has ended.
std::string is(const Task& task, const std::string& text) {
    return text + " It is: " + end_of(task);
}

Coroutine<> wait_for_it(Future& future) { co_await future; }

Coroutine<> fail(TaskTest& test) {
    co_await test.future;
    throw Rain();
}

} // namespace

TEST_CASE_FIXTURE(
    TaskTest, "K1: making a task runs nothing; its first step comes in the next turn") {
    const Task task(loop, inner(*this));
    REQUIRE_MESSAGE(told.empty(), "making a task runs none of it.");
    turn();
    REQUIRE_MESSAGE(told == "inner waits",
                    reported("one turn later, the task has begun."));
    REQUIRE_MESSAGE(!task.done(), "the task is done, but its coroutine still waits.");
}

// ---- Coroutines of one task ----

namespace {

Coroutine<> say(TaskTest& test, std::string text) {
    test.say(text);
    co_return;
}
Coroutine<int> waits_and_returns(TaskTest& test, Future& future, int value) {
    const Lent lent(test, "inner");
    test.say("waits");
    co_await future;
    co_return value;
}
Coroutine<int> in_the_middle(TaskTest& test, Future& future, int value) {
    const Lent lent(test, "middle");
    const int returned = co_await waits_and_returns(test, future, value);
    co_return 2 * returned;
}
Coroutine<> asks_twice(TaskTest& test) {
    const Lent lent(test, "outer");
    const int one = co_await in_the_middle(test, test.future, 1);
    test.say(std::to_string(one));
    const int two = co_await in_the_middle(test, test.other, 2);
    test.say(std::to_string(two));
}

Coroutine<> awaits_two(TaskTest& test) {
    test.say("begins");
    co_await say(test, "a");
    co_await say(test, "b");
    test.say("ends");
}

/// Opens a test in which a child waits for a future: it could crash.
void needs_children() {
    TaskTest test;
    const Task task(test.loop, awaits_two(test));
    test.turn();
    REQUIRE_MESSAGE(test.told != "begins",
                    "a coroutine awaits another one, which hasn't begun. await_child "
                    "must tell the parent's task to resume the child next, and run() "
                    "resumes one coroutine after the other until one of them waits.");
    REQUIRE_MESSAGE(test.told != "begins, a",
                    "a child has ended, and its parent doesn't resume. Does the child "
                    "know its caller and its task, and does it tell the task at its end "
                    "which coroutine is next?");
    REQUIRE_MESSAGE(test.told == "begins, a, b, ends",
                    test.reported("a coroutine awaits two others, which report a and "
                                  "b."));
}

/// How much of the stack is in use, counted from some place.
[[gnu::noinline]] std::intptr_t depth() {
    return -reinterpret_cast<std::intptr_t>(__builtin_frame_address(0));
}

Coroutine<> note_depth(std::intptr_t& deepest) {
    deepest = depth();
    co_return;
}
Coroutine<> many_children(int number, std::intptr_t& first, std::intptr_t& last,
                          int& ran) {
    co_await note_depth(first);
    for (ran = 1; ran < number; ++ran)
        co_await note_depth(last);
}
Coroutine<> child_of_child(int more, std::intptr_t& innermost) {
    if (more > 0)
        co_await child_of_child(more - 1, innermost);
    else
        innermost = depth();
}
Coroutine<> long_chain(int length, std::intptr_t& first, std::intptr_t& innermost) {
    co_await note_depth(first);
    co_await child_of_child(length, innermost);
}

} // namespace

TEST_CASE("a coroutine's children run in one step of its task") { needs_children(); }

TEST_CASE_FIXTURE(
    TaskTest,
    "K3: awaiting a coroutine neither goes through the loop nor grows the stack") {
    needs_children();
    std::intptr_t first = 0;
    std::intptr_t last = 0;
    int ran = 0;
    const std::string advice =
        " more bytes of the stack in use. So each child runs inside the one before, and "
        "many of them would overflow the stack. Only run() may resume a coroutine: "
        "await_child and Ended tell the task which coroutine is next, and return.";
    {
        const Task task(loop, many_children(1000, first, last, ran));
        turn();
        REQUIRE_MESSAGE(ran == 1000,
                        "a task awaits a thousand children, none of which waits. The "
                        "number of children that ran in its first turn: "
                            << ran);
        REQUIRE_MESSAGE(last - first < 20'000,
                        "a task awaits a thousand children, none of which waits. At the "
                        "last one, there were "
                            << last - first << advice);
    }
    {
        const Task task(loop, long_chain(500, first, last));
        turn();
        REQUIRE_MESSAGE(task.done(), "a task is not done, although none of its "
                                     "coroutines had to wait.");
        REQUIRE_MESSAGE(
            last - first < 20'000,
            "each child awaits another, five hundred deep. At the innermost, there were "
                << last - first << advice);
    }
    const Task task(loop, many_children(100'000, first, last, ran));
    turn();
    CHECK(ran == 100'000);
}

TEST_CASE_FIXTURE(TaskTest, "the innermost coroutine waits, and then all go on") {
    needs_children();
    const Task task(loop, asks_twice(*this));
    turn();
    REQUIRE(news() == "waits");
    future.set_result();
    turn();
    REQUIRE_MESSAGE(told == "inner gives back, middle gives back, 2, waits",
                    reported("the innermost of three has gone on and ended. In the same "
                             "turn its parent goes on, and then the parent of that."));
    news();
    other.set_result();
    turn();
    CHECK_MESSAGE(told == "inner gives back, middle gives back, 4, outer gives back",
                  reported("then the second future was done."));
}

// ---- Awaiting a future ----

namespace {

Coroutine<> waits(TaskTest& test, std::string name, Future& future) {
    test.say(name + "1");
    co_await future;
    test.say(name + "2");
}

Coroutine<> counts_turns(TaskTest& test) {
    for (int i = 0; i < 3; ++i) {
        co_await test.future;
        test.say(std::to_string(i));
    }
}

Coroutine<> hears_of(TaskTest& test) {
    try {
        co_await test.future;
        test.say("fine");
    } catch (const Cancelled&) {
        test.say("cancelled");
    } catch (const Rain& error) {
        test.say(error.what());
    }
}

Coroutine<> see_what_comes(Future& future, std::vector<const Rain*>& seen) {
    try {
        co_await future;
    } catch (const Rain& one) {
        seen.push_back(&one);
    }
}

} // namespace

TEST_CASE_FIXTURE(TaskTest, "F20: awaiting a pending future suspends until it is done") {
    const Task task(loop, waits(*this, "x", future));
    turn(2);
    REQUIRE_MESSAGE(told == "x1",
                    reported("the future isn't done, and the coroutine awaits it."));
    future.set_result();
    CHECK_MESSAGE(told == "x1", "the coroutine has resumed inside set_result.");
    turn();
    REQUIRE_MESSAGE(told == "x1, x2",
                    reported("the future is done, and the coroutine has not gone on "
                             "after its co_await. The future's awaiter calls the task's "
                             "wait_for; the task joins the future's waiters, as it is "
                             "a Runnable; its run() resumes the coroutine."));
    turn();
    CHECK(told == "x1, x2");
}

TEST_CASE_FIXTURE(TaskTest,
                  "F21: awaiting a future that is done does not give up control") {
    future.set_result();
    const Task task(loop, counts_turns(*this));
    turn();
    CHECK_MESSAGE(
        told == "0, 1, 2",
        reported("a coroutine awaits a future that is done, three times. There is "
                 "nothing to wait for, so it isn't suspended: it runs to its end in its "
                 "first turn."));
}

TEST_CASE_FIXTURE(
    TaskTest, "F22: all waiting tasks get the outcome, in the order in which they came") {
    const Task x(loop, waits(*this, "x", future));
    const Task y(loop, waits(*this, "y", other));
    const Task z(loop, waits(*this, "z", future));
    turn();
    CHECK(told == "x1, y1, z1");
    future.set_result();
    turn();
    CHECK_MESSAGE(
        told == "x1, y1, z1, x2, z2",
        reported("x and z wait for one future, which is done now, and y for another."));
    other.set_result();
    turn();
    CHECK(told == "x1, y1, z1, x2, z2, y2");
}

TEST_CASE_FIXTURE(TaskTest, "a future that fails throws at the co_await") {
    std::string expected = "it rains";
    SUBCASE("while a task waits") {
        const Task task(loop, hears_of(*this));
        turn();
        future.fail(rain());
        turn();
    }
    SUBCASE("before a task waits") {
        future.fail(rain());
        const Task task(loop, hears_of(*this));
        turn();
    }
    SUBCASE("because it is cancelled") {
        const Task task(loop, hears_of(*this));
        turn();
        future.cancel();
        turn();
        expected = "cancelled";
    }
    CHECK_MESSAGE(told == expected,
                  reported("the future has failed, and its co_await throws that."));
}

TEST_CASE_FIXTURE(TaskTest, "F23: all waiting tasks get the same exception object") {
    std::vector<const Rain*> seen;
    const Task a(loop, see_what_comes(future, seen));
    const Task b(loop, see_what_comes(future, seen));
    turn();
    future.fail(rain());
    turn();
    REQUIRE(seen.size() == 2);
    CHECK_MESSAGE(seen[0] == seen[1], "two tasks wait for a future that fails, and one "
                                      "of them catches only a copy of the exception.");
}

// ---- The task's end ----

TEST_CASE_FIXTURE(TaskTest, "K5: a task resumes one turn after its future is done") {
    const Task task(loop, outer(*this));
    turn();
    future.set_result();
    REQUIRE(news() == "inner waits");
    turn();
    CHECK(told == "inner goes on, inner gives back, outer goes on, outer gives back");
    REQUIRE_MESSAGE(task.done(), "its coroutine has ended, but the task is not done.");
    REQUIRE_MESSAGE(
        end_of(task) == "well",
        "its coroutine has returned, but the task has failed: " << end_of(task));
}

TEST_CASE_FIXTURE(TaskTest,
                  "K2: a step runs until the task waits for a future that is not done") {
    future.set_result();
    const Task task(loop, stubborn(*this));
    turn();
    REQUIRE_MESSAGE(told == "inner waits, inner goes on, inner gives back",
                    reported("the first future that the task awaits is done, so it goes "
                             "on, and waits for the second."));
    REQUIRE(!task.done());
    other.set_result();
    turn();
    REQUIRE(end_of(task) == "well");
}

TEST_CASE_FIXTURE(TaskTest, "K4: a task fails with what its coroutine throws") {
    const Task task(loop, fail(*this));
    turn();
    future.set_result();
    bool left_the_turn = false;
    try {
        turn();
    } catch (const Rain&) {
        left_the_turn = true;
    }
    REQUIRE_MESSAGE(!left_the_turn,
                    "an exception of a task's coroutine came out of the loop's turn, "
                    "which has no use for it: keep the exception in the task.");
    for (const std::string time : {"first", "second"})
        REQUIRE_MESSAGE(
            end_of(task) == "it rains",
            "the coroutine has thrown \"it rains\". A caller that asks the task for the "
                << time << " time hears: " << end_of(task));
}

TEST_CASE_FIXTURE(TaskTest, "K7: a task is a future: others can await it") {
    std::string expected;
    const auto ends_as_expected = [&](Task& task) {
        const Task one(loop, wait_for_it(task));
        const Task two(loop, wait_for_it(task));
        turn();
        future.set_result();
        turn(2);
        for (const Task* waiter : {&one, &two})
            REQUIRE_MESSAGE(end_of(*waiter) == expected,
                            "co_await task returns when the task has returned, and "
                            "throws what the task has thrown. The task has ended: "
                                << end_of(task)
                                << ". A task that waited for it: " << end_of(*waiter));
    };
    SUBCASE("and it returns") {
        expected = "well";
        Task task(loop, outer(*this));
        ends_as_expected(task);
    }
    SUBCASE("and it throws") {
        expected = "it rains";
        Task task(loop, fail(*this));
        ends_as_expected(task);
    }
}

TEST_CASE_FIXTURE(TaskTest,
                  "L11: run_until_complete returns when the task is done, or throws") {
    Later later(loop, future);
    Task returns(loop, outer(*this));
    REQUIRE_MESSAGE(ends(returns), reported("the task never ends."));
    REQUIRE_MESSAGE(returns.done(),
                    "run_until_complete has returned, but the task is not done.");
    Task throws(loop, fail(*this));
    std::string thrown = "nothing";
    try {
        run_until_complete(loop, throws);
    } catch (const std::runtime_error& error) {
        thrown = error.what();
    }
    REQUIRE_MESSAGE(thrown == "it rains",
                    "the task has failed with \"it rains\", so run_until_complete throws "
                    "that. It has thrown: "
                        << thrown);
}

// ---- Asked to end ----

TEST_CASE_FIXTURE(TaskTest, "K10: cancel only asks") {
    Task task(loop, outer(*this));
    turn();
    told.clear();
    const bool asked = task.cancel();
    REQUIRE_MESSAGE(told.empty(), "something ran inside cancel: " << told);
    REQUIRE_MESSAGE(asked, "the task waits, so cancel asks it to end and returns true.");
    REQUIRE_MESSAGE(!task.done(), "the task is done right after cancel, before its "
                                  "coroutine has even heard of it.");
}

TEST_CASE_FIXTURE(TaskTest, "K11: cancel cancels the future that the task waits for, and "
                            "a turn later Cancelled is thrown") {
    Task task(loop, outer(*this));
    turn();
    told.clear();
    task.cancel();
    REQUIRE_MESSAGE(future.done(),
                    "the task waits for a future: cancel that, and the rest follows.");
    turn();
    REQUIRE_MESSAGE(told == "inner gives back, outer gives back",
                    reported("in the next turn, Cancelled is thrown where the innermost "
                             "coroutine waits, and travels outwards."));
    REQUIRE_MESSAGE(
        end_of(task) == "cancelled",
        is(task, "no handler has caught Cancelled, so the task has ended with it."));
}

TEST_CASE_FIXTURE(TaskTest, "K15: a coroutine may catch Cancelled, and return") {
    Task task(loop, refuse(*this));
    turn();
    told.clear();
    task.cancel();
    turn();
    REQUIRE_MESSAGE(told == "inner gives back, no, thanks",
                    reported("its coroutine catches Cancelled."));
    REQUIRE_MESSAGE(end_of(task) == "well", is(task, "the task refused, and returned."));
}

TEST_CASE_FIXTURE(TaskTest,
                  "K16: a coroutine may catch Cancelled, and wait for something else") {
    Task task(loop, stubborn(*this));
    turn();
    task.cancel();
    turn(2);
    REQUIRE_MESSAGE(!other.done(),
                    "the task was asked once, and refused. But the next future that it "
                    "waits for was cancelled as well.");
    REQUIRE_MESSAGE(end_of(task) == "not done",
                    is(task, "the task refused, and waits for something else."));
    other.set_result();
    turn();
    REQUIRE_MESSAGE(end_of(task) == "well", is(task, "the task refused, and returned."));
}

TEST_CASE_FIXTURE(TaskTest, "K12: a task that waits for a task passes the request on") {
    Task child(loop, outer(*this));
    Task parent(loop, wait_for_it(child));
    turn();
    REQUIRE(parent.cancel());
    REQUIRE_MESSAGE((!child.done() && !parent.done()),
                    "right after cancel, neither the task nor the one that it waits for "
                    "is done.");
    turn();
    REQUIRE_MESSAGE(end_of(child) == "cancelled",
                    "the task waits for another task, so the other task is asked in its "
                    "place. The other task: "
                        << end_of(child));
    REQUIRE_MESSAGE(!parent.done(),
                    "the parent has ended before the task that it waits for.");
    turn();
    REQUIRE_MESSAGE(end_of(parent) == "cancelled",
                    "the task it waited for was cancelled, so co_await throws Cancelled. "
                    "The parent: "
                        << end_of(parent));
}

TEST_CASE_FIXTURE(TaskTest, "K13: if the inner task refuses, the outer one continues") {
    Task child(loop, stubborn(*this));
    Task parent(loop, wait_for_it(child));
    turn();
    parent.cancel();
    turn();
    other.set_result();
    turn(3);
    REQUIRE_MESSAGE(end_of(child) == "well", "the other task: " << end_of(child));
    REQUIRE_MESSAGE(end_of(parent) == "well",
                    "the task that the parent waits for was asked in its place, and "
                    "refused. So the parent carries on as well. The parent is: "
                        << end_of(parent));
}

TEST_CASE_FIXTURE(
    TaskTest,
    "K19: a task that is cancelled between result and resumption gets Cancelled") {
    Task task(loop, outer(*this));
    turn();
    future.set_result();
    REQUIRE_MESSAGE(task.cancel(), "the task is not done: it can be asked.");
    turn();
    REQUIRE_MESSAGE(
        end_of(task) == "cancelled",
        "the future that the task waited for is done, but the task was asked before its "
        "turn came: its co_await still throws. The task has ended: "
            << end_of(task));
}

namespace {

/// Counts how often it was asked.
class Asked : public Future {
  public:
    using Future::Future;
    bool cancel() override {
        ++times;
        return Future::cancel();
    }
    int times = 0;
};

/// Runs `then`, after it has asked itself to end.
Coroutine<> ask_itself(EventLoop& loop, Task*& self, Coroutine<> then) {
    self->cancel();
    Future done(loop);
    done.set_result();
    co_await done; // no wait
    co_await std::move(then);
}

/// A task that asks itself to end.
struct AsksItself {
    AsksItself(EventLoop& loop, Coroutine<> then)
        : task(loop, ask_itself(loop, self, std::move(then))) {}

    Task* self = &task;
    Task task;
};

Coroutine<> end_at_once(bool well) {
    if (!well)
        throw Rain();
    co_return;
}

Coroutine<> fail_when_asked(Future& future) {
    try {
        co_await future;
    } catch (const Cancelled&) {
        throw Rain();
    }
}

} // namespace

TEST_CASE_FIXTURE(TaskTest, "cancel also asks what a ready task waited for") {
    Asked asked(loop);
    Task task(loop, wait_for_it(asked));
    turn();
    asked.set_result();
    task.cancel();
    CHECK_MESSAGE(
        asked.times == 1,
        "the future that the task waits for is done; ask it nevertheless. Its cancel "
        "returns false, but the future may want to know: a time limit (Y07) does.");
    turn();
    CHECK(end_of(task) == "cancelled");
}

TEST_CASE_FIXTURE(TaskTest,
                  "K17: a task that cancels itself gets Cancelled at its next wait") {
    SUBCASE("and ends") {
        const AsksItself one(loop, inner(*this));
        turn();
        REQUIRE_MESSAGE(told == "inner waits",
                        reported("a request does nothing to a task that runs until it "
                                 "waits for something."));
        turn();
        REQUIRE_MESSAGE(
            end_of(one.task) == "cancelled",
            is(one.task, "the task was asked while it ran, so its next wait throws."));
    }
    SUBCASE("and refuses") {
        const AsksItself one(loop, stubborn(*this));
        turn(3);
        REQUIRE_MESSAGE(!other.done(),
                        "the task was asked while it ran, so its next wait throws "
                        "Cancelled. But the wait after that has thrown it again.");
        other.set_result();
        turn();
        REQUIRE_MESSAGE(end_of(one.task) == "well",
                        is(one.task, "the task refused, and returned."));
    }
}

TEST_CASE_FIXTURE(TaskTest, "N1: a task that is cancelled before it begins ends at its "
                            "first wait at the latest") {
    Task task(loop, outer(*this));
    REQUIRE_MESSAGE(task.cancel(),
                    "the task has not begun, so it is not done: it can be asked.");
    REQUIRE_MESSAGE(!task.done(), "cancel only asks: the task ends when its turn comes.");
    turn(3);
    REQUIRE_MESSAGE(
        end_of(task) == "cancelled",
        is(task, "the task was asked before it began, so its first wait throws."));
}

TEST_CASE_FIXTURE(
    TaskTest,
    "K24: a task fails with another exception thrown while Cancelled is handled") {
    Task handles(loop, fail_when_asked(future));
    const AsksItself runs(loop, end_at_once(false));
    turn();
    REQUIRE_MESSAGE(end_of(runs.task) == "it rains",
                    "the task was asked while it ran, and threw something else: the task "
                    "has failed with that. It is: "
                        << end_of(runs.task));
    handles.cancel();
    turn();
    REQUIRE_MESSAGE(end_of(handles) == "it rains",
                    "the task was asked while it waited, and threw something else. It "
                    "is: "
                        << end_of(handles));
}

TEST_CASE_FIXTURE(TaskTest, "K21: two requests before a task runs throw one Cancelled") {
    Task task(loop, stubborn(*this));
    turn();
    task.cancel();
    REQUIRE_MESSAGE(task.cancel(), "the task is not done: it can be asked again.");
    turn(2);
    REQUIRE_MESSAGE(!other.done(),
                    "the task was asked twice before its turn came, and Cancelled was "
                    "thrown twice. Once is enough.");
    other.set_result();
    turn();
    REQUIRE_MESSAGE(end_of(task) == "well", "it is: " << end_of(task));
}

TEST_CASE_FIXTURE(TaskTest, "K23: a task that is done can't be cancelled") {
    Task task(loop, outer(*this));
    turn();
    future.set_result();
    turn();
    REQUIRE_MESSAGE(
        !task.cancel(),
        "the task has already ended: it's too late to ask, so cancel returns false.");
    REQUIRE_MESSAGE(end_of(task) == "well",
                    is(task, "the task had ended well, and was cancelled after that."));
}

TEST_CASE("O1: in every order, each task ends, and no request to end is lost") {
    if (!tests::a_case_has_failed())
        tests::check_every_order(orders::tasks);
}
