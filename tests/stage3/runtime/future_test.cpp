// What a future promises: the rows F1 to F23 of the table in conformance.txt. The comment
// of each case names the tests of CPython (Lib/test/test_asyncio) that show the same of
// asyncio; "fut" is test_futures.py, "task" is test_tasks.py.
#include "stage3_queue_crawler/runtime/task/future.h"
#include "tests/stage3/runtime/loop_test.h"

using namespace stage3;
using namespace tests;

namespace {

Coroutine<> note_result(LoopTest& test, Future<int> future, std::string name) {
    const int value = co_await future;
    test.note(name + std::to_string(value));
}

} // namespace

TEST_CASE_FIXTURE(LoopTest, "F1: a new future is pending") {
    // fut::BaseFutureTests.test_initial_state
    const auto f = future<int>();
    CHECK_FALSE(f.done());
    CHECK_FALSE(f.cancelled());
}

TEST_CASE_FIXTURE(LoopTest, "F2: a pending future has neither result nor exception") {
    // fut::BaseFutureTests.test_result, .test_exception
    const auto f = future<int>();
    CHECK_THROWS_AS(f.result(), InvalidState);
    CHECK_THROWS_AS(f.exception(), InvalidState);
}

TEST_CASE_FIXTURE(LoopTest, "F3: set_result makes it done; the result can be asked for "
                            "again and again") {
    // fut::BaseFutureTests.test_result
    const auto f = future<int>();
    f.set_result(7);
    CHECK(f.done());
    CHECK_FALSE(f.cancelled());
    CHECK(f.result() == 7);
    CHECK(f.result() == 7);
    CHECK_FALSE(f.exception());
}

TEST_CASE_FIXTURE(LoopTest, "F4: a second outcome is refused, and the first one stands") {
    // fut::BaseFutureTests.test_result, .test_exception
    const auto f = future<int>();
    f.set_result(7);
    CHECK_THROWS_AS(f.set_result(8), InvalidState);
    CHECK_THROWS_AS(f.set_exception(Rain()), InvalidState);
    CHECK_FALSE(f.set_result_unless_done(9));
    CHECK(f.result() == 7);

    const auto g = future<int>();
    g.set_exception(Rain());
    CHECK_THROWS_AS(g.set_result(8), InvalidState);
    CHECK_THROWS_AS(g.result(), Rain);
}

TEST_CASE_FIXTURE(LoopTest, "F5: a future may hold an exception instead of a result") {
    // fut::BaseFutureTests.test_exception
    const auto f = future<int>();
    f.set_exception(Rain());
    CHECK(f.done());
    CHECK_THROWS_WITH_AS(f.result(), "it rains", Rain);
    CHECK(f.exception()); // without throwing it
    CHECK_THROWS_AS(std::rethrow_exception(f.exception()), Rain);
    CHECK_THROWS_AS(future<int>().set_exception(std::exception_ptr()),
                    std::invalid_argument);
}

TEST_CASE_FIXTURE(LoopTest, "F6: cancel ends a pending future") {
    // fut::BaseFutureTests.test_cancel
    auto f = future<int>();
    CHECK(f.cancel());
    CHECK(f.done());
    CHECK(f.cancelled());
}

TEST_CASE_FIXTURE(LoopTest, "F7: result and exception of a cancelled future both throw") {
    // fut::BaseFutureTests.test_cancel
    auto f = future<int>();
    f.cancel("no more");
    CHECK_THROWS_AS(f.result(), Cancelled);
    CHECK_THROWS_AS(f.exception(), Cancelled);
    CHECK(request_that_ends(loop, f) == "no more");
}

TEST_CASE_FIXTURE(LoopTest, "F8: a cancelled future takes no result") {
    // fut::BaseFutureTests.test_cancel, .test_set_result_unless_cancelled
    auto f = future<int>();
    f.cancel();
    CHECK_THROWS_AS(f.set_result(1), InvalidState);
    CHECK_THROWS_AS(f.set_exception(Rain()), InvalidState);
    CHECK_FALSE(f.set_result_unless_done(1));
}

TEST_CASE_FIXTURE(LoopTest, "F9: a future that is done can't be cancelled") {
    // fut::BaseFutureTests.test_result, .test_exception, .test_cancel
    auto f = future<int>();
    f.set_result(7);
    CHECK_FALSE(f.cancel());
    CHECK_FALSE(f.cancelled());
    CHECK(f.result() == 7);
    auto g = future<int>();
    g.cancel("first");
    CHECK_FALSE(g.cancel("second"));
    CHECK(request_that_ends(loop, g) == "first");
}

TEST_CASE_FIXTURE(LoopTest,
                  "F10: callbacks run in a later turn, never inside set_result") {
    // fut::BaseFutureDoneCallbackTests.test_callbacks_invoked_on_set_result
    const auto f = future<int>();
    f.add_done_callback([&](const auto&) { note("callback"); });
    note("before");
    f.set_result(1);
    note("after");
    turns(1);
    CHECK(log == Log{"before", "after", "callback"});
}

TEST_CASE_FIXTURE(LoopTest,
                  "F11: callbacks run in their order, once each, and get the future") {
    // fut::BaseFutureDoneCallbackTests.test_callbacks_invoked_on_set_result
    const auto f = future<int>();
    for (const char* name : {"a", "b", "c"})
        f.add_done_callback(
            [&, name](const auto& done) { note(name + std::to_string(done.result())); });
    f.set_result(5);
    turns(3);
    CHECK(log == Log{"a5", "b5", "c5"});
}

TEST_CASE_FIXTURE(LoopTest, "F11: a future lives until its callbacks have run") {
    {
        const auto f = future<int>();
        f.add_done_callback(
            [&](const auto& done) { note(std::to_string(done.result())); });
        f.set_result(5);
    } // the last handle is gone
    turns(2);
    CHECK(log == Log{"5"});
}

TEST_CASE_FIXTURE(LoopTest, "F12: callbacks run for exceptions and cancellations, too") {
    // fut::BaseFutureDoneCallbackTests.test_callbacks_invoked_on_set_exception;
    // task::FutureGatherTests.test_one_cancellation
    const auto f = future<int>();
    f.add_done_callback(
        [&](const auto& done) { note(done.exception() ? "exception" : "result"); });
    f.set_exception(Rain());
    auto g = future<int>();
    g.add_done_callback(
        [&](const auto& done) { note(done.cancelled() ? "cancelled" : "result"); });
    g.cancel();
    turns(1);
    CHECK(log == Log{"exception", "cancelled"});
}

TEST_CASE_FIXTURE(LoopTest,
                  "F13: a callback that is added too late is called in the next turn") {
    const auto f = future<int>();
    f.set_result(1);
    turns(1);
    f.add_done_callback([&](const auto&) { note("late"); });
    CHECK(log.empty());
    turns(1);
    CHECK(log == Log{"late"});
}

TEST_CASE_FIXTURE(LoopTest, "F14: a callback can be removed") {
    // fut::BaseFutureDoneCallbackTests.test_remove_done_callback. Functions can't be
    // compared in C++, so each registration has its own handle.
    const auto f = future<int>();
    auto a = f.add_done_callback([&](const auto&) { note("a"); });
    f.add_done_callback([&](const auto&) { note("b"); });
    a.cancel();
    a.cancel(); // cancelling twice is allowed
    CHECK(a.cancelled());
    f.set_result(1);
    turns(1);
    CHECK(log == Log{"b"});
}

TEST_CASE_FIXTURE(LoopTest, "F15: callbacks may add and remove callbacks") {
    // fut::BaseFutureDoneCallbackTests.test_schedule_callbacks_list_mutation_1, _2
    const auto f = future<int>();
    stage3::Handle c;
    f.add_done_callback([&](const auto&) {
        note("a");
        c.cancel();
        f.add_done_callback([&](const auto&) { note("d"); });
    });
    f.add_done_callback([&](const auto&) { note("b"); });
    c = f.add_done_callback([&](const auto&) { note("c"); });
    f.set_result(1);
    turns(1);
    CHECK(log == Log{"a", "b"});
    turns(1);
    CHECK(log == Log{"a", "b", "d"});
}

TEST_CASE_FIXTURE(LoopTest, "F16: an exception that was never looked at is reported") {
    // fut::BaseFutureTests.test_tb_logger_exception_unretrieved
    {
        const auto f = future<int>();
        f.set_exception(Rain());
        CHECK(reports.empty());
    }
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].message.find("was never retrieved") != std::string::npos);
    CHECK_THROWS_AS(std::rethrow_exception(reports[0].exception), Rain);
}

TEST_CASE_FIXTURE(LoopTest,
                  "F17: asking for the result or the exception counts as looking") {
    // fut::BaseFutureTests.test_tb_logger_exception_retrieved,
    // .test_tb_logger_exception_result_retrieved
    {
        const auto f = future<int>();
        f.set_exception(Rain());
        CHECK(f.exception());
        const auto g = future<int>();
        g.set_exception(Rain());
        CHECK_THROWS_AS(g.result(), Rain);
    }
    CHECK(reports.empty());
}

TEST_CASE_FIXTURE(LoopTest,
                  "F18: a future that never failed, or was cancelled, is not reported") {
    // fut::BaseFutureTests.test_tb_logger_abandoned, .test_tb_logger_result_unretrieved,
    // .test_tb_logger_not_called_after_cancel
    {
        const auto f = future<int>();
        const auto g = future<int>();
        g.set_result(1);
        auto h = future<int>();
        h.cancel();
    }
    CHECK(reports.empty());
}

TEST_CASE_FIXTURE(LoopTest, "F19: cancelling too late silences the exception") {
    // fut::BaseFutureTests.test_tb_logger_not_called_after_cancel
    {
        auto f = future<int>();
        f.set_exception(Rain());
        CHECK_FALSE(f.cancel());
    }
    CHECK(reports.empty());
}

TEST_CASE_FIXTURE(LoopTest, "F20: awaiting a pending future suspends and gives its "
                            "value, as often as it is awaited") {
    // fut::BaseFutureTests.test_yield_from_twice, .test_iter;
    // task::BaseTaskTests.test_step_result_future
    const auto f = future<int>();
    const auto t = task([](Future<int> awaited) -> Coroutine<int> {
        const int first = co_await awaited;
        const int second = co_await awaited;
        co_return first + second;
    }(f));
    turns(3);
    CHECK_FALSE(t.done());
    f.set_result(21);
    turns(1);
    CHECK(t.result() == 42);
}

TEST_CASE_FIXTURE(LoopTest,
                  "F21: awaiting a future that is done does not give up control") {
    const auto f = future<int>();
    f.set_result(1);
    const auto a = task([](LoopTest& t, Future<int> done) -> Coroutine<> {
        for (int i = 0; i < 3; ++i) {
            co_await done;
            t.note("a");
        }
    }(*this, f));
    const auto b = task([](LoopTest& t) -> Coroutine<> {
        t.note("b");
        co_return;
    }(*this));
    turns(1);
    CHECK(log == Log{"a", "a", "a", "b"});
}

TEST_CASE_FIXTURE(
    LoopTest, "F22: all waiting tasks get the outcome, in the order in which they came") {
    const auto f = future<int>();
    const auto a = task(note_result(*this, f, "a"));
    const auto b = task(note_result(*this, f, "b"));
    turns(1);
    f.add_done_callback([&](const auto&) { note("callback"); });
    const auto c = task(note_result(*this, f, "c"));
    turns(1);
    f.set_result(1);
    turns(1);
    CHECK(log == Log{"a1", "b1", "callback", "c1"});
}

TEST_CASE_FIXTURE(LoopTest, "F23: all waiting tasks get the same exception") {
    const auto f = future<int>();
    const auto catching = [](Future<int> failing) -> Coroutine<const Rain*> {
        try {
            co_await failing;
        } catch (const Rain& rain) {
            co_return &rain;
        }
        co_return nullptr;
    };
    const auto a = task(catching(f));
    const auto b = task(catching(f));
    turns(1);
    f.set_exception(Rain());
    turns(1);
    CHECK(a.result() != nullptr);
    CHECK(a.result() == b.result());
}

TEST_CASE_FIXTURE(LoopTest, "a result is moved out if no one else could ask for it, and "
                            "copied otherwise") {
    const int value = run([](LoopTest& t) -> Coroutine<int> {
        const auto f = t.future<std::unique_ptr<int>>();
        f.set_result(std::make_unique<int>(7));
        const int seen = *co_await f; // the value stays in the future
        std::unique_ptr<int> taken = co_await stage3::Future(f);
        const auto text = t.future<std::string>();
        text.set_result("a word, and too long for a short string");
        const std::string copy = co_await stage3::Future(text); // a second handle
        CHECK(copy == text.result());
        co_return *taken + seen;
    }(*this));
    CHECK(value == 14);
}

TEST_CASE("a future may outlive its loop") {
    Future<int> pending = [] {
        stage3::EventLoop loop;
        return Future<int>(loop);
    }();
    CHECK_FALSE(pending.done());
    CHECK_THROWS_AS(pending.add_done_callback([](const auto&) {}), stage3::LoopClosed);
    pending.set_result(1); // no callback is called
    CHECK(pending.result() == 1);
}
