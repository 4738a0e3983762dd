// What the helpers promise that wait: the rows W1 to W14 and R1 to R3 of the table in
// conformance.txt. The comment of each case names the tests of CPython
// (Lib/test/test_asyncio) that show the same of asyncio; "wf" is test_waitfor.py, "task"
// is test_tasks.py, "lock" is test_locks.py, "run" is test_runners.py.
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/runtime/loop_test.h"

#include <tuple>

#include <unistd.h>

using namespace stage3;
using namespace tests;

namespace {

Coroutine<int> after(stage3::EventLoop::Duration delay, int value) {
    co_await stage3::sleep(delay);
    co_return value;
}

Coroutine<int> fail_after(stage3::EventLoop::Duration delay) {
    co_await stage3::sleep(delay);
    throw Rain();
}

/// When it is asked to end, it takes another second to do so.
Coroutine<int> slow_to_end(LoopTest& test) {
    co_await until_asked();
    co_await stage3::sleep(1s);
    test.note("ended");
    throw Cancelled{};
    co_return 0;
}

/// Answers a request to end with a value, after so many turns.
Coroutine<int> refuse(int value, int turns = 0) {
    co_await until_asked();
    for (int i = 0; i < turns; ++i)
        co_await next_turn();
    co_return value;
}

Coroutine<int> fail_when_cancelled() {
    co_await until_asked();
    throw Rain();
    co_return 0;
}

Coroutine<> wait_and_note(Event& event, LoopTest& test, std::string name) {
    co_await event.wait();
    test.note(name);
}

} // namespace

TEST_CASE_FIXTURE(
    LoopTest, "W1: wait_for returns a result that comes in time, and cancels its timer") {
    // wf::AsyncioWaitForTest.test_wait_for_race_condition
    CHECK(run(wait_for(after(1s, 7), 1h)) == 7);
    CHECK(elapsed() == 1000);
    loop.call_later(1s, [&] { loop.stop(); });
    loop.run_forever();
    CHECK(loop.timers() == 0);
    CHECK(elapsed() == 2000);
}

TEST_CASE_FIXTURE(
    LoopTest,
    "W2: a late inner task is asked to end and waited for, then Timeout is thrown") {
    // wf::AsyncioWaitForTest.test_wait_for, .test_wait_for_waits_for_task_cancellation
    const auto inner = task(slow_to_end(*this));
    CHECK_THROWS_AS(run(wait_for(inner, 5s)), Timeout);
    CHECK(log == Log{"ended"});
    CHECK(elapsed() == 6000);
    CHECK(inner.cancelled());
}

TEST_CASE_FIXTURE(
    LoopTest,
    "W2: a late inner task is waited for even if the waiter is cancelled meanwhile") {
    // asyncio's wait_for abandons the inner task in this case.
    const auto inner = task([](LoopTest& test) -> Coroutine<int> {
        co_await until_asked();
        for (bool is_clean = false; !is_clean;) { // however often it is asked
            try {
                co_await stage3::sleep(1s);
                test.note("cleaned up");
                is_clean = true;
            } catch (const Cancelled& again) {
                test.note("asked again: " + again.message);
            }
        }
        throw Cancelled{};
    }(*this));
    auto waiter = task(wait_for(inner, 5s));
    loop.call_later(5500ms, [&] { waiter.cancel("hurry"); });
    CHECK_THROWS_AS(stage3::run_until_complete<int>(loop, waiter), Cancelled);
    CHECK(inner.done());
    CHECK(log == Log{"asked again: hurry", "cleaned up"});
}

TEST_CASE_FIXTURE(LoopTest, "W2: a plain future is cancelled, too") {
    const auto f = future<int>();
    CHECK_THROWS_AS(run(wait_for(f, 5s)), Timeout);
    CHECK(f.cancelled());
}

TEST_CASE_FIXTURE(LoopTest, "W3: a value that comes despite the time limit wins") {
    // wf::AsyncioWaitForTest.test_wait_for_cancellation_race_condition
    CHECK(run(wait_for(refuse(7), 1s)) == 7);
}

TEST_CASE_FIXTURE(LoopTest,
                  "W4: another exception that the time limit causes is thrown") {
    // wf::AsyncioWaitForTest.test_wait_for_reraises_exception_during_cancellation
    CHECK_THROWS_AS(run(wait_for(fail_when_cancelled(), 1s)), Rain);
}

TEST_CASE_FIXTURE(
    LoopTest, "W5: if the result comes in the turn in which the time is up, it counts") {
    const auto f = future<int>();
    loop.call_later(1s, [&] { f.set_result(7); });
    CHECK(run(wait_for(f, 1s)) == 7);
    // Now the other way round, with the timer first.
    const auto g = future<int>();
    const auto t = task(wait_for(g, 1s));
    turns(1);
    loop.call_later(1s, [&] { g.set_result(8); });
    CHECK(stage3::run_until_complete<int>(loop, t) == 8);
}

TEST_CASE_FIXTURE(
    LoopTest,
    "W6: with no time at all, only a finished task counts, and nothing begins") {
    // wf::AsyncioWaitForTest.test_wait_for_timeout_less_then_0_or_0_future_done,
    // .test_wait_for_timeout_less_then_0_or_0_coroutine_do_not_started
    const auto done = future<int>();
    done.set_result(7);
    for (const auto timeout : {0s, -1s}) {
        CHECK(run(wait_for(done, timeout)) == 7);
        CHECK_THROWS_AS(run(wait_for(
                            [](LoopTest& test) -> Coroutine<> {
                                test.note("begun");
                                co_return;
                            }(*this),
                            timeout)),
                        Timeout);
    }
    CHECK(log.empty());
}

TEST_CASE_FIXTURE(
    LoopTest,
    "W7: cancelling the waiting task asks the inner task to end, and waits for it") {
    // wf::AsyncioWaitForTest.test_cancel_wait_for, .test_asyncio_wait_for_cancelled
    const auto inner = task(slow_to_end(*this));
    auto waiter = task(wait_for(inner, 1h));
    turns(1);
    waiter.cancel();
    turns(2);
    CHECK_FALSE(waiter.done());
    CHECK_THROWS_AS(stage3::run_until_complete<int>(loop, waiter), Cancelled);
    CHECK(log == Log{"ended"});
    CHECK(elapsed() == 1000);
}

TEST_CASE_FIXTURE(
    LoopTest,
    "W7: if the waiter is cancelled in the turn of the result, neither is lost") {
    // asyncio up to 3.11 forgets the request here, and from 3.12 on the result.
    const auto f = future<int>();
    auto waiter = task([](LoopTest& test, Future<int> awaited) -> Coroutine<> {
        const int value = co_await wait_for(awaited, 1h);
        test.note("value " + std::to_string(value));
        co_await Future<>();
        test.note("never");
    }(*this, f));
    turns(1);
    f.set_result(7);
    turns(1); // the result is on its way
    waiter.cancel();
    turns(3);
    CHECK(log == Log{"value 7"});
    CHECK(waiter.cancelled());
}

namespace {

/// Notes what wait_for returns or throws, and whether the next wait throws Cancelled.
Coroutine<> note_what_comes(LoopTest& test, Coroutine<int> inner) {
    try {
        const int value = co_await wait_for(std::move(inner), 1h);
        test.note("value " + std::to_string(value));
    } catch (const Rain&) {
        test.note("rain");
    }
    try {
        co_await next_turn();
        test.note("never asked");
    } catch (const Cancelled& cancelled) {
        test.note("asked: " + cancelled.message);
        throw;
    }
}

} // namespace

TEST_CASE_FIXTURE(LoopTest, "W7: if the inner task answers the request with a value, "
                            "the value comes first, then the request") {
    // asyncio drops the value.
    for (int i = 0; i < 4; ++i) {
        CAPTURE(i);
        log.clear();
        auto waiter = task(note_what_comes(*this, refuse(42, i)));
        turns(2);
        waiter.cancel("enough");
        turns(i + 6);
        CHECK(log == Log{"value 42", "asked: enough"});
        CHECK(waiter.cancelled());
    }
}

TEST_CASE_FIXTURE(LoopTest, "W7: if the inner task answers the request with an error, "
                            "the error comes first, then the request") {
    auto waiter = task(note_what_comes(*this, fail_when_cancelled()));
    turns(2);
    waiter.cancel("enough");
    turns(6);
    CHECK(log == Log{"rain", "asked: enough"});
    CHECK(waiter.cancelled());
}

TEST_CASE_FIXTURE(LoopTest, "W7: if the inner task ends as it was asked to, the waiter "
                            "gets Cancelled at once") {
    auto waiter = task(note_what_comes(*this, after(2h, 1)));
    turns(2);
    waiter.cancel("enough");
    turns(6);
    CHECK(log.empty());
    CHECK(waiter.cancelled());
}

TEST_CASE_FIXTURE(LoopTest, "fail_after keeps the future alive") {
    const auto f = future<int>();
    loop.call_soon([&] { stage3::fail_after(Future<int>(f), 1ms); });
    turns(1);
    time.now += 1ms;
    turns(1);
    CHECK_THROWS_AS(static_cast<void>(f.result()), Timeout);
}

// ---- Descriptors ----

namespace {

/// Waits for the descriptor, and notes how that ended.
Coroutine<> wait_and_note(Coroutine<> ready, Log& log, std::string name) {
    try {
        co_await std::move(ready);
        log.push_back(name + " woken");
    } catch (const std::logic_error&) {
        log.push_back(name + " refused");
    }
}

Coroutine<> some_turns() {
    for (int i = 0; i < 20; ++i)
        co_await next_turn();
}

} // namespace

TEST_CASE("a second task that waits until it can read or write a descriptor is refused") {
    const auto play = [](bool reads) -> Coroutine<> {
        const tests::Pipe pipe;
        for (const int fd : {pipe.read.fd(), pipe.write.fd()})
            CHECK_FALSE(common::make_nonblocking(fd));
        std::vector<char> bytes(4096);
        const auto fill = [&] {
            while (::write(pipe.write.fd(), bytes.data(), bytes.size()) > 0) {
            }
        };
        const auto drain = [&] {
            while (::read(pipe.read.fd(), bytes.data(), bytes.size()) > 0) {
            }
        };
        if (!reads)
            fill();
        const auto ready = [&] {
            return reads ? stage3::readable(pipe.read.fd())
                         : stage3::writable(pipe.write.fd());
        };
        Log log;
        const auto first = create_task(wait_and_note(ready(), log, "first"));
        const auto second = create_task(wait_and_note(ready(), log, "second"));
        co_await some_turns();
        CHECK(log == Log{"second refused"});
        if (reads)
            fill();
        else
            drain();
        co_await some_turns();
        CHECK(log == Log{"second refused", "first woken"});
        const auto third = create_task(wait_and_note(ready(), log, "third")); // alone
        co_await some_turns();
        CHECK(log.back() == "third woken");
    };
    stage3::run(play(true));
    stage3::run(play(false));
}

TEST_CASE_FIXTURE(LoopTest,
                  "W8: gather returns the results in order, whichever came first") {
    // task::GatherTestsBase.test_success
    const auto results = run([](LoopTest&) -> Coroutine<std::vector<int>> {
        std::vector<Future<int>> all{stage3::create_task(after(3s, 1)),
                                     stage3::create_task(after(1s, 2)),
                                     stage3::create_task(after(2s, 3))};
        auto values = co_await stage3::gather(std::move(all));
        co_return values;
    }(*this));
    CHECK(results == std::vector<int>{1, 2, 3});
    CHECK(elapsed() == 3000); // side by side
    CHECK(run(stage3::gather(std::vector<Future<int>>())).empty());
}

TEST_CASE_FIXTURE(LoopTest,
                  "W8: gather takes several types and results that can't be copied") {
    run([](LoopTest& test) -> Coroutine<> {
        const auto nothing = test.future<>();
        nothing.set_result();
        const auto pointer = test.future<std::unique_ptr<int>>();
        pointer.set_result(std::make_unique<int>(7));
        auto results = co_await stage3::gather(stage3::ensure_future(after(1s, 1)),
                                               Future<>(nothing),
                                               Future<std::unique_ptr<int>>(pointer));
        CHECK(std::get<0>(results) == 1);
        CHECK(*std::get<2>(results) == 7);
    }(*this));
}

TEST_CASE_FIXTURE(LoopTest, "W9: gather throws the first exception at once, and the "
                            "others keep running unheard") {
    // task::GatherTestsBase.test_one_exception,
    // CoroutineGatherTests.test_exception_marking
    {
        const auto slow = task(after(10s, 1));
        const auto failing = task(fail_after(1s));
        const auto failing_too = task(fail_after(2s));
        CHECK_THROWS_AS(
            run(stage3::gather(std::vector<Future<int>>{slow, failing, failing_too})),
            Rain);
        CHECK(elapsed() == 1000);
        CHECK_FALSE(slow.done());
        CHECK(stage3::run_until_complete<int>(loop, slow) == 1);
    }
    CHECK(reports.empty());
}

TEST_CASE_FIXTURE(LoopTest, "W10: cancelling the gather cancels every child that is not "
                            "done") {
    // task::CoroutineGatherTests.test_cancellation_broadcast
    const auto done = task(after(0s, 1));
    const auto a = task(after(1h, 2));
    const auto b = task(after(1h, 3));
    auto all = task(stage3::gather(std::vector<Future<int>>{done, a, b}));
    turns(3);
    all.cancel("enough");
    turns(4);
    CHECK(done.result() == 1);
    CHECK(a.cancelled());
    CHECK(b.cancelled());
    CHECK(all.cancelled());
}

TEST_CASE_FIXTURE(LoopTest, "W10: a child that is cancelled from elsewhere counts as "
                            "failed, and its siblings continue") {
    // task::FutureGatherTests.test_one_cancellation
    auto a = task(after(1h, 2));
    const auto b = task(after(1s, 3));
    const auto all = task(stage3::gather(std::vector<Future<int>>{a, b}));
    turns(2);
    a.cancel();
    turns(3);
    CHECK(all.cancelled());
    CHECK_FALSE(b.done());
    CHECK(stage3::run_until_complete<int>(loop, b) == 3);
}

TEST_CASE_FIXTURE(LoopTest,
                  "W11: wait leaves unfinished tasks alone and throws nothing") {
    // task::BaseTaskTests.test_wait_with_timeout, .test_yield_wait_does_not_shield_cancel
    const auto failing = task(fail_after(1s));
    const auto slow = task(after(10s, 1));
    const std::vector<Task<int>> all{failing, slow};
    CHECK_FALSE(run(stage3::wait(all, 5s)));
    CHECK(elapsed() == 5000);
    CHECK_FALSE(slow.done());
    auto waiter = task(stage3::wait(all));
    turns(2);
    waiter.cancel();
    turns(2);
    CHECK(waiter.cancelled());
    CHECK_FALSE(slow.done());
    CHECK(run(stage3::wait(all)));
    CHECK(elapsed() == 10'000);
    CHECK_THROWS_AS(failing.result(), Rain);
}

TEST_CASE_FIXTURE(LoopTest, "W13: an event wakes all waiting tasks in their order") {
    // lock::EventTests.test_wait, .test_wait_on_set, .test_clear_with_waiters
    Event event;
    const auto a = task(wait_and_note(event, *this, "a"));
    const auto b = task(wait_and_note(event, *this, "b"));
    turns(2);
    CHECK(log.empty());
    event.set();
    CHECK(event.is_set());
    event.clear(); // the tasks already woken stay awake
    turns(1);
    CHECK(log == Log{"a", "b"});

    const auto c = task(wait_and_note(event, *this, "c"));
    turns(2);
    CHECK(log == Log{"a", "b"});
    event.set();
    const auto d = task(wait_and_note(event, *this, "d"));
    turns(1);
    CHECK(log == Log{"a", "b", "c", "d"}); // d found the event set, and did not wait
}

TEST_CASE_FIXTURE(LoopTest, "W14: a cancelled waiter leaves the line") {
    // lock::EventTests.test_wait_cancel
    Event event;
    auto a = task(wait_and_note(event, *this, "a"));
    const auto b = task(wait_and_note(event, *this, "b"));
    turns(1);
    a.cancel();
    event.set(); // in the same turn
    turns(1);
    CHECK(log == Log{"b"});
    CHECK(a.cancelled());
}

TEST_CASE("R1: run returns what main returns and throws what it throws") {
    // run::RunTests.test_asyncio_run_return, .test_asyncio_run_raises
    CHECK(stage3::run(after(1ms, 7)) == 7);
    CHECK_THROWS_AS(stage3::run(fail_after(1ms)), Rain);
    const auto pointer = stage3::run([]() -> Coroutine<std::unique_ptr<int>> {
        co_return std::make_unique<int>(8);
    }());
    CHECK(*pointer == 8);
}

namespace {

Coroutine<> leave_tasks(LoopTest& test) {
    stage3::running_loop().set_exception_handler(
        [&test](const stage3::Report& report) { test.reports.push_back(report); });
    static_cast<void>(stage3::create_task([](LoopTest& t) -> Coroutine<> {
        co_await until_asked();
        t.note("cancelled");
        co_await stage3::sleep(1ms);
        t.note("waited for");
    }(test)));
    static_cast<void>(stage3::create_task(fail_when_cancelled()));
    co_await next_turn();
}

} // namespace

TEST_CASE("R2: tasks that main leaves are cancelled and waited for, and their exceptions "
          "are reported") {
    // run::RunTests.test_asyncio_run_cancels_hanging_tasks,
    // .test_asyncio_run_reports_hanging_tasks_errors
    LoopTest test;
    stage3::run(leave_tasks(test));
    CHECK(test.log == Log{"cancelled", "waited for"});
    REQUIRE(test.reports.size() == 1);
    CHECK_THROWS_AS(std::rethrow_exception(test.reports[0].exception), Rain);
    CHECK(test.reports[0].message.starts_with("a task was asked to end"));
    REQUIRE(test.reports[0].chain.size() == 1);
}

TEST_CASE("R2: tasks that main leaves are cancelled even if main throws") {
    LoopTest test;
    CHECK_THROWS_AS(stage3::run([](LoopTest& t) -> Coroutine<> {
                        co_await leave_tasks(t);
                        throw Rain();
                    }(test)),
                    Rain);
    CHECK(test.log == Log{"cancelled", "waited for"});
}

namespace {

Coroutine<> say(LoopTest& test, std::string words) {
    try {
        co_await stage3::sleep(1s);
        test.note(words);
    } catch (const Cancelled&) {
        test.note(words + " asked to end");
    }
    if (words == "goodbye")
        static_cast<void>(create_task(say(test, "last words")));
}

/// Cleans up by starting another task, as one that says goodbye to a server does.
Coroutine<> leave_politely(LoopTest& test) {
    co_await until_asked();
    test.note("asked to end");
    static_cast<void>(create_task(say(test, "goodbye")));
}

} // namespace

TEST_CASE("R2: a task that is started by one that was asked to end is waited for, and "
          "isn't asked to end") {
    // asyncio destroys it.
    LoopTest test;
    stage3::run(
        [](LoopTest& t) -> Coroutine<> {
            stage3::running_loop().set_exception_handler(
                [&t](const stage3::Report& report) { t.reports.push_back(report); });
            static_cast<void>(create_task(leave_politely(t)));
            co_await next_turn();
            co_await next_turn();
        }(test),
        test.time.options());
    CHECK(test.log == Log{"asked to end", "goodbye", "last words"});
    CHECK(test.reports.empty());
    CHECK(test.elapsed() == 2000);
}

TEST_CASE("R2: no exception is on its way while the tasks that main leaves end") {
    LoopTest test;
    CHECK_THROWS_AS(stage3::run([](LoopTest& t) -> Coroutine<> {
                        static_cast<void>(create_task([](LoopTest& u) -> Coroutine<> {
                            co_await until_asked();
                            u.note(std::to_string(std::uncaught_exceptions()));
                        }(t)));
                        co_await next_turn();
                        throw Rain();
                    }(test)),
                    Rain);
    CHECK(test.log == Log{"0"});
}

TEST_CASE_FIXTURE(LoopTest, "R3: run inside a running loop is refused") {
    // run::RunTests.test_asyncio_run_from_running_loop
    loop.call_soon([&] {
        CHECK_THROWS_AS(stage3::run(after(0s, 1)), std::logic_error);
        note("refused");
    });
    turns(1);
    CHECK(log == Log{"refused"});
}

namespace {

Coroutine<> count_cancellations(Task<> inner, int& thrown) {
    try {
        co_await wait_for(inner, 2h);
    } catch (const Cancelled&) {
        ++thrown;
    }
    try {
        co_await stage3::next_turn();
    } catch (const Cancelled&) {
        ++thrown;
    }
}

} // namespace

TEST_CASE_FIXTURE(LoopTest,
                  "a task that ends with the one that it waits for gets one Cancelled") {
    const auto inner = task(stage3::sleep(1h));
    int thrown = 0;
    const auto outer = task(count_cancellations(inner, thrown));
    turns(3);
    stage3::cancel_all_tasks(loop);
    CHECK(thrown == 1);
    CHECK(outer.done());
}
