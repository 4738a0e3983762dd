// What a task group promises: the rows G1 to G15 of the table in conformance.txt. The
// comment of each case names the tests of CPython that show the same of asyncio; "tg" is
// test_taskgroups.py of Lib/test/test_asyncio.
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/runtime/loop_test.h"

using namespace stage3;
using namespace tests;

namespace {

/// Another exception that these tests throw.
struct Snow : std::runtime_error {
    Snow() : std::runtime_error("it snows") {}
};

/// Sleeps, and notes how that ended.
Coroutine<int> child(LoopTest& test, std::string name, EventLoop::Duration time,
                     int value = 0) {
    try {
        co_await stage3::sleep(time);
    } catch (const Cancelled&) {
        test.note(name + " cancelled");
        throw;
    }
    test.note(name);
    co_return value;
}

template <class Error>
Coroutine<> fail_after(EventLoop::Duration time) {
    co_await stage3::sleep(time);
    throw Error();
}

/// Fails as soon as it is asked to end.
Coroutine<> fail_when_asked() {
    co_await until_asked();
    throw Rain();
}

/// When it is asked to end, it takes a second to do so, and then fails if `fails`.
Coroutine<> end_slowly(LoopTest& test, std::string name, bool fails = false) {
    co_await until_asked();
    for (bool has_slept = false; !has_slept;) {
        try {
            co_await stage3::sleep(1s);
            has_slept = true;
        } catch (const Cancelled&) {
            test.note(name + " asked again");
        }
    }
    test.note(name + " ended");
    if (fails)
        throw Snow();
    throw Cancelled{};
}

/// A body that makes two children, and then sleeps.
Coroutine<> two_children(LoopTest& test, TaskGroup& group, EventLoop::Duration own) {
    group.start(child(test, "a", 1s));
    group.start(child(test, "b", 2s));
    co_await child(test, "body", own);
}

Coroutine<> run_two(LoopTest& test, EventLoop::Duration own) {
    TaskGroup group;
    co_await group.run(two_children(test, group, own));
    test.note("all");
}

/// Runs a group. Its body calls `begin`, and awaits the coroutine that this returns.
Coroutine<> in_group(std::function<Coroutine<>(TaskGroup&)> begin) {
    TaskGroup group;
    co_await group.run(
        [](TaskGroup& g, std::function<Coroutine<>(TaskGroup&)> b) -> Coroutine<> {
            co_await b(g);
        }(group, std::move(begin)));
}

Coroutine<> nothing() { co_return; }

} // namespace

TEST_CASE_FIXTURE(LoopTest, "G1: run ends when the body and all children have ended") {
    // tg.test_taskgroup_01, _02, _03
    run(run_two(*this, 0s));
    CHECK(log == Log{"body", "a", "b", "all"});
    CHECK(elapsed() == 2000);
    log.clear();
    run(run_two(*this, 5s));
    CHECK(log == Log{"a", "b", "body", "all"});
    CHECK(elapsed() == 7000);
}

TEST_CASE_FIXTURE(LoopTest, "G1: the body may return a value and await its children") {
    const int sum = run([](LoopTest& test) -> Coroutine<int> {
        TaskGroup group;
        const int value =
            co_await group.run([](LoopTest& t, TaskGroup& g) -> Coroutine<int> {
                const Task<int> one = g.create_task(child(t, "one", 1s, 1));
                const Task<int> two = g.create_task(child(t, "two", 2s, 2));
                const int first = co_await one;
                const int second = co_await two;
                co_return first + second;
            }(test, group));
        co_return value;
    }(*this));
    CHECK(sum == 3);
}

TEST_CASE_FIXTURE(
    LoopTest,
    "G2: if a child fails, the others and the body are asked to end, and run throws") {
    // tg.test_cancel_children_on_child_error, .test_taskgroup_04, _07
    const auto failing = task(in_group([this](TaskGroup& group) {
        group.start(fail_after<Rain>(1500ms));
        return two_children(*this, group, 1h);
    }));
    CHECK_THROWS_AS(stage3::run_until_complete<void>(loop, failing), Rain);
    CHECK(log == Log{"a", "b cancelled", "body cancelled"});
    CHECK(elapsed() == 1500);
    CHECK(failing.cancelling() == 0); // the request came from the group itself
}

TEST_CASE_FIXTURE(LoopTest, "G2: a child's failure counts even when the body has ended") {
    CHECK_THROWS_AS(run(in_group([this](TaskGroup& group) {
                        group.start(child(*this, "a", 1h));
                        group.start(fail_after<Rain>(1s));
                        return nothing();
                    })),
                    Rain);
    CHECK(log == Log{"a cancelled"});
    CHECK(elapsed() == 1000);
}

TEST_CASE_FIXTURE(LoopTest, "G2: a child's exception keeps its traceback") {
    const auto failing = task(in_group([](TaskGroup& group) {
        group.start(fail_after<Rain>(1s));
        return nothing();
    }));
    CHECK_THROWS_AS(stage3::run_until_complete<void>(loop, failing), Rain);
    const std::vector<common::Place> way = failing.traceback();
    REQUIRE(way.size() == 3);
    const auto name_at = [&](std::size_t i) {
        return std::string(way[i].function.function_name());
    };
    CHECK(name_at(0).find("in_group") != std::string::npos);
    CHECK(name_at(1).find("run") != std::string::npos);
    CHECK(name_at(2).find("fail_after") != std::string::npos);
}

TEST_CASE_FIXTURE(LoopTest,
                  "G3: if the body fails, the children are asked to end and waited for") {
    // tg.test_taskgroup_13, _15
    CHECK_THROWS_AS(run(in_group([this](TaskGroup& group) {
                        group.start(end_slowly(*this, "slow"));
                        return fail_after<Rain>(1s);
                    })),
                    Rain);
    CHECK(log == Log{"slow ended"});
    CHECK(elapsed() == 2000);
}

TEST_CASE_FIXTURE(LoopTest, "G4: a group that is cancelled in its body ends its "
                            "children, waits, and throws Cancelled") {
    // tg.test_taskgroup_08, _09, .test_cancellation
    auto parent = task(run_two(*this, 1h));
    loop.call_later(1500ms, [&] { parent.cancel("enough"); });
    CHECK(request_that_ends(loop, parent) == "enough");
    CHECK(log == Log{"a", "body cancelled", "b cancelled"});
}

TEST_CASE_FIXTURE(LoopTest, "G5: a group that is cancelled while it waits ends its "
                            "children and throws Cancelled") {
    // tg.test_taskgroup_10, _11
    auto parent = task(run_two(*this, 0s));
    loop.call_later(1500ms, [&] { parent.cancel("enough"); });
    CHECK_THROWS_AS(stage3::run_until_complete<void>(loop, parent), Cancelled);
    CHECK(parent.cancelled());
    CHECK(log == Log{"body", "a", "b cancelled"});
}

TEST_CASE_FIXTURE(LoopTest, "G6: a group that is cancelled again while its children end "
                            "still waits and asks only once") {
    // tg.test_taskgroup_21a, _23
    auto parent = task(in_group([this](TaskGroup& group) {
        group.start(end_slowly(*this, "slow"));
        return nothing();
    }));
    loop.call_later(1s, [&] { parent.cancel("first"); });
    loop.call_later(1500ms, [&] { parent.cancel("second"); });
    loop.call_later(1600ms, [&] { parent.cancel("third"); });
    CHECK_THROWS_AS(stage3::run_until_complete<void>(loop, parent), Cancelled);
    CHECK(log == Log{"slow ended"});
    CHECK(elapsed() == 2000);
}

TEST_CASE_FIXTURE(
    LoopTest, "G7: of several failures the first is thrown and the others are reported") {
    // tg.test_taskgroup_04, _16, _17 (asyncio throws all in one)
    CHECK_THROWS_AS(run(in_group([this](TaskGroup& group) {
                        group.start(end_slowly(*this, "slow", true));
                        group.start(fail_after<Rain>(1s));
                        return end_slowly(*this, "body", true);
                    })),
                    Rain);
    CHECK(log == Log{"slow ended", "body ended"});
    REQUIRE(reports.size() == 2);
    for (const stage3::Report& report : reports) {
        CHECK(report.message == "another task of the group has failed, too");
        CHECK_THROWS_AS(std::rethrow_exception(report.exception), Snow);
        const std::string last(report.chain.back().function.function_name());
        CHECK(last.find("end_slowly") != std::string::npos);
    }
}

TEST_CASE_FIXTURE(LoopTest,
                  "G7: one exception that reaches several children is one failure") {
    const auto shared = future<int>();
    const auto wait = [](Future<int> f) -> Coroutine<> { co_await f; };
    loop.call_later(1s, [&] { shared.set_exception(Rain()); });
    CHECK_THROWS_AS(run(in_group([&](TaskGroup& group) {
                        group.start(wait(shared));
                        group.start(wait(shared));
                        return wait(shared);
                    })),
                    Rain);
    CHECK(reports.empty());
}

TEST_CASE_FIXTURE(
    LoopTest, "G8: a failure outweighs a request to end, which comes at the next wait") {
    // tg.test_taskgroup_22; and, of Python 3.13, .test_cancelling_level_preserved
    auto parent = task([](LoopTest& test) -> Coroutine<> {
        TaskGroup group;
        try {
            co_await group.run([](LoopTest& t, TaskGroup& g) -> Coroutine<> {
                g.start(end_slowly(t, "slow", true));
                co_await Future<>();
            }(test, group));
        } catch (const Snow&) {
            test.note("snow");
        }
        test.note("goes on");
        co_await stage3::next_turn();
        test.note("never");
    }(*this));
    loop.call_later(1s, [&] { parent.cancel("enough"); });
    CHECK(request_that_ends(loop, parent) == "enough");
    CHECK(log == Log{"slow ended", "snow", "goes on"});
}

TEST_CASE_FIXTURE(
    LoopTest,
    "G8: a task that catches the failure and was not asked to end continues unharmed") {
    // tg.test_taskgroup_25
    run([](LoopTest& test) -> Coroutine<> {
        for (int i = 0; i < 2; ++i) {
            TaskGroup group;
            try {
                co_await group.run([](TaskGroup& g) -> Coroutine<> {
                    g.start(fail_after<Rain>(1s));
                    co_await Future<>();
                }(group));
            } catch (const Rain&) {
                test.note("rain");
            }
            co_await stage3::sleep(1s);
            test.note("goes on");
        }
    }(*this));
    CHECK(log == Log{"rain", "goes on", "rain", "goes on"});
}

TEST_CASE_FIXTURE(
    LoopTest, "G8: a body that put off the group's request leaves its task unharmed") {
    // wait_for puts off a request that comes in the turn of its result.
    const auto ready = future<>();
    loop.call_later(1s, [&] { ready.set_result(); });
    const auto parent = task([](LoopTest& test, Future<> r) -> Coroutine<int> {
        TaskGroup group;
        try {
            co_await group.run([](TaskGroup& g, Future<> f) -> Coroutine<> {
                g.start([](Future<> same) -> Coroutine<> {
                    co_await same;
                    throw Rain();
                }(f));
                co_await stage3::next_turn();
                co_await stage3::wait_for(std::move(f), 1h);
            }(group, r));
        } catch (const Rain&) {
            test.note("rain");
        }
        co_await stage3::sleep(1s);
        test.note("goes on");
        co_return 7;
    }(*this, ready));
    CHECK(stage3::run_until_complete<int>(loop, parent) == 7);
    CHECK(log == Log{"rain", "goes on"});
    CHECK(parent.cancelling() == 0);
}

TEST_CASE_FIXTURE(
    LoopTest,
    "G8: a group around it that fails in the same turn leaves its task unharmed") {
    const auto parent = task([](LoopTest& test) -> Coroutine<int> {
        try {
            TaskGroup outer;
            co_await outer.run([](TaskGroup& g) -> Coroutine<> {
                g.start(fail_after<Snow>(1s));
                TaskGroup inner;
                co_await inner.run([](TaskGroup& i) -> Coroutine<> {
                    i.start(fail_after<Rain>(1s));
                    co_await Future<>();
                }(inner));
            }(outer));
        } catch (const std::runtime_error& error) {
            test.note(error.what());
        }
        co_await stage3::sleep(1s);
        test.note("goes on");
        co_return 7;
    }(*this));
    CHECK(stage3::run_until_complete<int>(loop, parent) == 7);
    CHECK(log == Log{"it snows", "goes on"});
    CHECK(parent.cancelling() == 0);
}

TEST_CASE_FIXTURE(LoopTest,
                  "G8: the message of a request that comes after the failure isn't "
                  "lost") {
    auto parent = task([](LoopTest& test) -> Coroutine<> {
        try {
            co_await in_group([&test](TaskGroup& group) {
                group.start(end_slowly(test, "slow"));
                return fail_after<Rain>(1s);
            });
        } catch (const Rain&) {
            test.note("rain");
        }
        co_await stage3::sleep(1s);
    }(*this));
    loop.call_later(1500ms, [&] { parent.cancel("shutdown"); });
    CHECK(request_that_ends(loop, parent) == "shutdown");
}

namespace {

/// A group in a group. A child of the inner one fails after a second.
Coroutine<> inner_fails(LoopTest& test, bool caught) {
    TaskGroup group;
    try {
        co_await group.run([](LoopTest& t, TaskGroup& g) -> Coroutine<> {
            g.start(child(t, "inner", 1h));
            g.start(fail_after<Rain>(1s));
            co_await child(t, "inner body", 1h);
        }(test, group));
    } catch (const Rain&) {
        if (!caught)
            throw;
        test.note("caught");
    }
}

Coroutine<> nested(LoopTest& test, bool caught) {
    TaskGroup group;
    co_await group.run([](LoopTest& t, TaskGroup& g, bool c) -> Coroutine<> {
        g.start(child(t, "outer", 2s));
        co_await inner_fails(t, c);
        co_await child(t, "outer body", 5s);
    }(test, group, caught));
}

} // namespace

TEST_CASE_FIXTURE(
    LoopTest,
    "G9: a failure caught between two nested groups leaves the outer one alone") {
    // tg.test_taskgroup_20, _20a, _18
    run(nested(*this, true));
    CHECK(log
          == Log{"inner cancelled", "inner body cancelled", "caught", "outer",
                 "outer body"});
    CHECK(elapsed() == 6000);
}

TEST_CASE_FIXTURE(LoopTest, "G9: a failure that isn't caught ends the outer group, too") {
    CHECK_THROWS_AS(run(nested(*this, false)), Rain);
    CHECK(log == Log{"inner cancelled", "inner body cancelled", "outer cancelled"});
    CHECK(elapsed() == 1000);
    CHECK(reports.empty());
}

TEST_CASE_FIXTURE(LoopTest,
                  "G9: a failure of the outer group reaches the inner one's children") {
    CHECK_THROWS_AS(run(in_group([this](TaskGroup& outer) {
                        outer.start(run_two(*this, 1h));
                        return fail_after<Rain>(500ms);
                    })),
                    Rain);
    CHECK(log == Log{"body cancelled", "a cancelled", "b cancelled"});
}

TEST_CASE_FIXTURE(LoopTest, "G10: an empty group does not give up control") {
    run([](LoopTest& test) -> Coroutine<> {
        test.loop.call_soon(test.noting("next turn"));
        co_await in_group([](TaskGroup&) { return nothing(); });
        test.note("done");
        co_await stage3::next_turn();
    }(*this));
    CHECK(log == Log{"done", "next turn"});
}

TEST_CASE_FIXTURE(LoopTest, "G11: a child that was cancelled has not failed") {
    // tg.test_taskgroup_19
    run([](LoopTest& test) -> Coroutine<> {
        TaskGroup group;
        co_await group.run([](LoopTest& t, TaskGroup& g) -> Coroutine<> {
            Task<int> a = g.create_task(child(t, "a", 1h));
            g.start(child(t, "b", 2s));
            co_await stage3::sleep(1s);
            a.cancel();
        }(test, group));
    }(*this));
    CHECK(log == Log{"a cancelled", "b"});
}

TEST_CASE_FIXTURE(LoopTest, "G12: a group runs once and makes tasks only while it runs") {
    // tg.test_taskgroup_already_entered, .test_taskgroup_finished,
    // .test_taskgroup_not_entered
    run([](LoopTest& test) -> Coroutine<> {
        TaskGroup group;
        CHECK_THROWS_AS(group.start(child(test, "early", 0s)), std::logic_error);
        co_await group.run(nothing());
        CHECK_THROWS_AS(group.start(child(test, "late", 0s)), std::logic_error);
        bool refused = false;
        try {
            co_await group.run(nothing());
        } catch (const std::logic_error&) {
            refused = true;
        }
        CHECK(refused);
        co_await stage3::sleep(1s);
    }(*this));
    CHECK(log.empty());
}

TEST_CASE_FIXTURE(LoopTest,
                  "G13: children may start siblings, even when the body has ended") {
    // tg.test_taskgroup_12
    run(in_group([this](TaskGroup& group) {
        group.start([](LoopTest& test, TaskGroup& g) -> Coroutine<> {
            co_await stage3::sleep(1s);
            g.start(child(test, "younger", 1s));
            test.note("older");
        }(*this, group));
        return nothing();
    }));
    CHECK(log == Log{"older", "younger"});
}

TEST_CASE_FIXTURE(LoopTest,
                  "G14: a child that is made when all are asked to end is asked, too") {
    // asyncio refuses: tg.test_taskgroup_no_create_parentafter_failure
    CHECK_THROWS_AS(run(in_group([this](TaskGroup& group) {
                        group.start([](LoopTest& test, TaskGroup& g) -> Coroutine<> {
                            co_await until_asked();
                            test.note("asked");
                            const auto late = g.create_task(child(test, "late", 1h));
                            co_await stage3::next_turn();
                            CHECK(late.cancelled());
                        }(*this, group));
                        return fail_after<Rain>(1s);
                    })),
                    Rain);
    CHECK(log == Log{"asked"}); // not a line of the late child has run
    CHECK(elapsed() == 1000);
}

TEST_CASE_FIXTURE(LoopTest, "G15: cancel ends the children, and none counts as failed") {
    const auto size = run([](LoopTest& test) -> Coroutine<std::size_t> {
        TaskGroup group;
        std::size_t before = 0;
        co_await group.run(
            [](LoopTest& t, TaskGroup& g, std::size_t& count) -> Coroutine<> {
                g.start(child(t, "a", 1h));
                g.start(end_slowly(t, "slow"));
                co_await stage3::sleep(1s);
                count = g.size();
                g.cancel();
                g.cancel();
                co_await child(t, "body", 500ms);
            }(test, group, before));
        CHECK(group.size() == 0);
        co_return before;
    }(*this));
    CHECK(size == 2);
    CHECK(log == Log{"a cancelled", "body", "slow ended"});
    CHECK(elapsed() == 2000);
}

TEST_CASE_FIXTURE(
    LoopTest, "G15: a failure after cancel wakes the group, and then who waits for the "
              "child") {
    std::optional<Task<>> failing;
    const Task<> main =
        task([](LoopTest& test, std::optional<Task<>>& failing_child) -> Coroutine<> {
            TaskGroup group;
            bool has_failed = false;
            try {
                co_await group.run([](LoopTest& t, TaskGroup& g,
                                      std::optional<Task<>>& first) -> Coroutine<> {
                    first = g.create_task(fail_when_asked());
                    g.start(child(t, "other", 1h));
                    for (int turn = 0; turn < 3; ++turn)
                        co_await stage3::next_turn();
                    g.cancel();
                }(test, group, failing_child));
            } catch (const Rain&) {
                has_failed = true;
            }
            test.note(has_failed ? "group" : "no failure");
        }(*this, failing));
    turns(2);
    const Task<> waiter = task([](LoopTest& test, const Task<>& awaited) -> Coroutine<> {
        bool has_failed = false;
        try {
            co_await stage3::wait_for(awaited, 1h);
        } catch (const Rain&) {
            has_failed = true;
        }
        test.note(has_failed ? "waiter" : "no failure");
    }(*this, failing.value()));
    turns(10);
    CHECK(main.done());
    CHECK(waiter.done());
    CHECK(log == Log{"other cancelled", "group", "waiter"});
}

TEST_CASE_FIXTURE(LoopTest,
                  "G15: if a child fails after cancel, the body is asked to end, too") {
    CHECK_THROWS_AS(run(in_group([this](TaskGroup& group) {
                        group.start(end_slowly(*this, "slow", true));
                        return [](LoopTest& test, TaskGroup& g) -> Coroutine<> {
                            co_await stage3::sleep(1s);
                            g.cancel();
                            co_await child(test, "body", 1h);
                        }(*this, group);
                    })),
                    Snow);
    CHECK(log == Log{"slow ended", "body cancelled"});
}

TEST_CASE_FIXTURE(LoopTest, "G15: a request to end that comes after cancel isn't lost") {
    auto parent = task(in_group([this](TaskGroup& group) {
        group.start(end_slowly(*this, "slow"));
        return [](TaskGroup& g) -> Coroutine<> {
            co_await stage3::sleep(1s);
            g.cancel();
        }(group);
    }));
    loop.call_later(1500ms, [&] { parent.cancel(); });
    CHECK_THROWS_AS(stage3::run_until_complete<void>(loop, parent), Cancelled);
    CHECK(log == Log{"slow ended"});
}

TEST_CASE_FIXTURE(LoopTest, "a loop may be closed around a group") {
    const auto parent = task(run_two(*this, 1h));
    turns(3);
    loop.close();
    CHECK(reports.size() == 3); // the parent and its children
    CHECK(log.empty());         // no task was asked to end
    CHECK_FALSE(parent.done());
}

TEST_CASE_FIXTURE(LoopTest, "a group of ten thousand ends and asks each child once") {
    std::size_t ended = 0;
    CHECK_THROWS_AS(run(in_group([&](TaskGroup& group) {
                        for (int i = 0; i < 10'000; ++i)
                            group.start([](std::size_t& count) -> Coroutine<> {
                                for (int k = 0; k < 2; ++k) {
                                    try {
                                        co_await stage3::sleep(2s);
                                    } catch (const Cancelled&) {
                                        ++count;
                                    }
                                }
                            }(ended));
                        return fail_after<Rain>(1s);
                    })),
                    Rain);
    CHECK(ended == 10'000);
}
