// What the loop promises: the rows L1 to L19 of the table in conformance.txt. The comment
// of each case names the tests of CPython (Lib/test/test_asyncio) that show the same of
// asyncio; "ev" is test_events.py, "base" is test_base_events.py, "task" is
// test_tasks.py.
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "tests/stage3/runtime/loop_test.h"
#include "tests/support/in_bulk.h"

#include <csignal>
#include <future>

#include <unistd.h>

using namespace stage3;
using namespace tests;

namespace {

void put(const Pipe& pipe) { REQUIRE(::write(pipe.write.fd(), "x", 1) == 1); }

void take(const Pipe& pipe) {
    char byte = 0;
    REQUIRE(::read(pipe.read.fd(), &byte, 1) == 1);
}

} // namespace

TEST_CASE_FIXTURE(LoopTest, "L1: calls of call_soon run first in, first out, each once") {
    // ev::EventLoopTestsMixin.test_call_soon
    for (const char* name : {"a", "b", "c"})
        loop.call_soon(noting(name));
    CHECK(log.empty());
    turns(3);
    CHECK(log == Log{"a", "b", "c"});
}

TEST_CASE_FIXTURE(LoopTest, "L2: a call that a callback queues runs in the next turn, "
                            "after the selector was asked") {
    // base::BaseEventLoopTests.test__run_once_schedule_handle
    loop.call_soon([&] {
        note("a");
        loop.call_soon(noting("c"));
    });
    loop.call_soon(noting("b"));
    const Pipe pipe;
    loop.add_reader(pipe.read.fd(), noting("reader"));
    turns(1);
    CHECK(log == Log{"a", "b"});
    time.ready = {{.fd = pipe.read.fd(), .events = common::Events::read, .data = 0}};
    turns(1);
    // Calls queued before the selector was asked run first, then those for its events.
    CHECK(log == Log{"a", "b", "c", "reader"});
}

TEST_CASE_FIXTURE(LoopTest, "L3: a call can be cancelled, even when it is ready") {
    // base::BaseEventLoopTests.test__add_callback_cancelled_handle; ev::HandleTests
    Handle b;
    loop.call_soon([&] {
        note("a");
        b.cancel();
    });
    b = loop.call_soon(noting("b"));
    Handle c = loop.call_soon(noting("c"));
    c.cancel();
    CHECK(c.cancelled());
    turns(1);
    CHECK(log == Log{"a"});
}

TEST_CASE_FIXTURE(LoopTest, "L3: a cancelled call releases what it holds, but not while "
                            "it runs") {
    auto held = std::make_shared<std::string>("held");
    Handle handle = loop.call_later(1h, [held] {});
    CHECK(held.use_count() == 2);
    handle.cancel();
    CHECK(held.use_count() == 1);
    handle = loop.call_soon([&, held] {
        handle.cancel(); // itself
        note(*held);     // it still exists
    });
    turns(1);
    CHECK(log == Log{"held"});
}

TEST_CASE_FIXTURE(LoopTest, "L4: call_later and call_at follow the loop's clock") {
    // ev::EventLoopTestsMixin.test_call_later; base::BaseEventLoopTests.
    // test_time_and_call_at
    loop.call_later(100ms, noting("100"));
    loop.call_at(loop.time() + 50ms, noting("50"));
    loop.call_later(200ms, [&] { loop.stop(); });
    CHECK(log.empty());
    time.now += 49ms;
    turns(1);
    CHECK(log.empty());
    loop.run_forever();
    CHECK(log == Log{"50", "100"});
    CHECK(elapsed() == 200);
}

TEST_CASE("L4: no call comes early by a real clock") {
    EventLoop loop;
    for (const auto delay : {1us, 700us, 1500us, 3000us}) {
        const auto start = std::chrono::steady_clock::now();
        auto end = start;
        loop.call_later(delay, [&] {
            end = std::chrono::steady_clock::now();
            loop.stop();
        });
        loop.run_forever();
        CHECK(end - start >= delay);
    }
}

TEST_CASE_FIXTURE(LoopTest, "L4: an endless delay does not become a time in the past") {
    loop.call_later(EventLoop::Duration::max(), noting("never"));
    loop.call_later(1h, [&] { loop.stop(); });
    loop.run_forever();
    CHECK(log.empty());
}

TEST_CASE_FIXTURE(LoopTest,
                  "L5: calls that are due run at once, in the order of their times") {
    // base::BaseEventLoopTests.test_call_later_negative_delays
    loop.call_later(-1s, noting("-1"));
    loop.call_later(-2s, noting("-2"));
    loop.call_later(0s, noting("0"));
    loop.call_later(EventLoop::Duration::min(), noting("long ago"));
    loop.call_at(EventLoop::TimePoint::min(), noting("earliest"));
    loop.call_later(1s, [&] { loop.stop(); });
    loop.run_forever();
    CHECK(log == Log{"earliest", "long ago", "-2", "-1", "0"});
    CHECK(elapsed() == 1000);
}

TEST_CASE_FIXTURE(
    LoopTest, "L6: of timers with the same time, the one made first is called first") {
    for (int i = 0; i < 20; ++i)
        loop.call_at(loop.time() + 10ms, noting(std::to_string(i)));
    time.now += 10ms;
    turns(1);
    Log expected;
    for (int i = 0; i < 20; ++i)
        expected.push_back(std::to_string(i));
    CHECK(log == expected);
}

TEST_CASE_FIXTURE(LoopTest,
                  "L7: the loop sleeps until the earliest timer that was not cancelled") {
    // base::BaseEventLoopTests.test__run_once
    const Pipe pipe;
    loop.add_reader(pipe.read.fd(), [] {}); // so that the selector is asked in any case
    Handle cancelled = loop.call_later(5ms, noting("cancelled"));
    loop.call_later(10ms, noting("10"));
    cancelled.cancel();
    loop.call_later(20ms, [&] {
        loop.call_soon([&] { loop.stop(); });
        time.timeouts.push_back(-99);
    });
    loop.run_forever();
    CHECK(log == Log{"10"});
    CHECK(time.timeouts == std::vector<int>{10, 10, -99, 0});
}

TEST_CASE_FIXTURE(
    LoopTest,
    "L7: if no task waits for a descriptor, timers that are due don't ask the selector") {
    loop.call_later(5ms, [&] { time.now += 5ms; }); // so that the next timer is due
    loop.call_later(10ms, noting("10"));
    bool watched = false;
    SUBCASE("without descriptors, the selector isn't asked") {}
    SUBCASE("with a signal handler, the selector is asked") {
        watched = true;
        loop.add_signal_handler(SIGUSR1, [] {});
    }
    loop.call_later(10ms, [&] { loop.stop(); });
    loop.run_forever();
    CHECK(log == Log{"10"});
    CHECK(time.timeouts == (watched ? std::vector<int>{5, 0} : std::vector<int>{5}));
    loop.remove_signal_handler(SIGUSR1);
}

TEST_CASE_FIXTURE(LoopTest, "L7: a fraction of a millisecond is rounded up") {
    loop.call_later(300us, [&] { loop.stop(); });
    loop.run_forever();
    CHECK(time.timeouts == std::vector<int>{1});
}

TEST_CASE_FIXTURE(LoopTest,
                  "L7: without a timer, the loop sleeps until something else happens") {
    CHECK_THROWS_WITH(loop.run_forever(), "all tasks wait, and nothing will ever happen");
    CHECK(time.timeouts == std::vector<int>{-1});
    CHECK_FALSE(loop.running());
    turns(1); // the exception has left the loop usable
}

TEST_CASE_FIXTURE(LoopTest, "L8: timers that were cancelled don't pile up") {
    // base::BaseEventLoopTests.test__run_once_cancelled_event_cleanup
    loop.call_later(1ms, noting("alive"));
    for (int i = 0; i < tests::in_bulk(100'000); ++i)
        loop.call_later(1h, noting("cancelled")).cancel();
    CHECK(loop.timers() <= 200);
    loop.call_later(2ms, [&] { loop.stop(); });
    loop.run_forever();
    CHECK(log == Log{"alive"});
}

TEST_CASE_FIXTURE(LoopTest,
                  "L9: a callback that throws is reported, and the turn continues") {
    // base::BaseEventLoopTests.test_default_exc_handler_callback;
    // ev::HandleTests.test_callback_with_exception
    loop.call_soon([] { throw std::runtime_error("it rains"); });
    loop.call_soon(noting("b"));
    turns(1);
    CHECK(log == Log{"b"});
    REQUIRE(reports.size() == 1);
    CHECK(describe(reports[0]) == "an exception has left a callback\n  it rains\n");
}

TEST_CASE_FIXTURE(LoopTest, "L10: a handler that throws doesn't end the loop") {
    // base::BaseEventLoopTests.test_set_exc_handler_custom, .test_set_exc_handler_broken
    loop.set_exception_handler([&](const stage3::Report& report) {
        note(report.message);
        throw std::logic_error("(the test of a broken handler prints this)");
    });
    loop.call_soon([] { throw std::runtime_error("(and this)"); });
    loop.call_soon(noting("b"));
    turns(1);
    CHECK(log == Log{"an exception has left a callback", "b"});
}

TEST_CASE_FIXTURE(LoopTest, "L11: run_until_complete returns the value, or throws") {
    // base::BaseEventLoopTests.test_run_until_complete_loop;
    // ev::EventLoopTestsMixin.test_run_until_complete
    CHECK(run([]() -> Coroutine<int> { co_return 7; }()) == 7);
    CHECK_THROWS_WITH_AS(run([]() -> Coroutine<int> {
                             co_await stage3::sleep(1ms);
                             throw std::runtime_error("it rains");
                         }()),
                         "it rains", std::runtime_error);
    const auto f = future<std::string>();
    loop.call_later(1s, [&] { f.set_result("late"); });
    CHECK(stage3::run_until_complete(loop, f) == "late");
    CHECK(stage3::run_until_complete(loop, f) == "late"); // done already
}

TEST_CASE_FIXTURE(LoopTest,
                  "L12: a loop that is stopped before the future is done can run again") {
    // ev::EventLoopTestsMixin.test_run_until_complete_stopped;
    // task::BaseTaskTests.test_stop_while_run_in_complete
    const auto t = task([]() -> Coroutine<int> {
        co_await stage3::sleep(10s);
        co_return 7;
    }());
    loop.call_later(1s, [&] { loop.stop(); });
    CHECK_THROWS_AS(stage3::run_until_complete<int>(loop, t), stage3::LoopStopped);
    CHECK(elapsed() == 1000);
    CHECK_FALSE(t.done());
    CHECK(stage3::run_until_complete<int>(loop, t) == 7);
    CHECK(elapsed() == 10'000);
    turns(1); // the callback of the first future no longer stops the loop
    CHECK(reports.empty());
}

TEST_CASE_FIXTURE(
    LoopTest,
    "L13: a loop that is stopped before it runs makes one turn without waiting") {
    // base::BaseEventLoopTests.test_run_forever_pre_stopped
    const Pipe pipe;
    loop.add_reader(pipe.read.fd(), [] {});
    loop.call_soon(noting("a"));
    loop.stop();
    loop.run_forever();
    CHECK(log == Log{"a"});
    CHECK(time.timeouts == std::vector<int>{0});
}

TEST_CASE_FIXTURE(LoopTest, "L14: a loop inside a loop is refused") {
    // base::RunningLoopTests.test_running_loop_within_a_loop;
    // ev::EventLoopTestsMixin.test_run_until_complete_nesting
    EventLoop other;
    loop.call_soon([&] {
        CHECK_THROWS_AS(loop.run_forever(), std::logic_error);
        CHECK_THROWS_AS(other.run_forever(), std::logic_error);
        CHECK_THROWS_AS(
            stage3::run_until_complete(other, []() -> Coroutine<> { co_return; }()),
            std::logic_error);
        CHECK_THROWS_AS(loop.close(), std::logic_error);
        CHECK(&stage3::running_loop() == &loop);
        note("checked");
    });
    turns(1);
    CHECK(log == Log{"checked"});
    CHECK_THROWS_AS(stage3::running_loop(), std::logic_error);
    CHECK(reports.empty());
}

TEST_CASE_FIXTURE(LoopTest, "L15: a closed loop refuses everything") {
    // base::BaseEventLoopTests.test_close
    loop.close();
    CHECK(loop.closed());
    CHECK_THROWS_AS(loop.call_soon([] {}), LoopClosed);
    CHECK_THROWS_AS(loop.call_later(1s, [] {}), LoopClosed);
    CHECK_THROWS_AS(loop.call_soon_threadsafe([] {}), LoopClosed);
    CHECK_THROWS_AS(loop.add_reader(0, [] {}), LoopClosed);
    CHECK_THROWS_AS(loop.run_forever(), LoopClosed);
    CHECK_THROWS_AS(loop.thread_pool(), LoopClosed);
    CHECK_THROWS_AS(static_cast<void>(future<int>()), LoopClosed);
    CHECK_THROWS_AS(static_cast<void>(task([]() -> Coroutine<> { co_return; }())),
                    LoopClosed);
    loop.close(); // closing twice is allowed
}

TEST_CASE_FIXTURE(LoopTest, "L15: a loop that closes drops what it still holds") {
    auto held = std::make_shared<int>();
    const Pipe pipe;
    loop.call_soon([held] {});
    loop.call_later(1s, [held] {});
    loop.add_reader(pipe.read.fd(), [held] {});
    loop.call_soon_threadsafe([held] {});
    const auto f = future<int>();
    f.add_done_callback([held](const auto&) {});
    CHECK(held.use_count() == 6);
    loop.close();
    CHECK(held.use_count() == 1);
}

TEST_CASE("L16: an event is delivered once, even to a loop that was stopped by it") {
    // ev::EventLoopTestsMixin.test_single_selecter_event_callback_after_stopping
    EventLoop loop;
    const Pipe pipe;
    int called = 0;
    loop.add_reader(pipe.read.fd(), [&] {
        ++called;
        take(pipe);
        loop.stop();
    });
    put(pipe);
    loop.run_forever();
    CHECK(called == 1);
    loop.stop();
    loop.run_forever();
    CHECK(called == 1);
}

TEST_CASE_FIXTURE(LoopTest, "L18: sleep(0) gives up control for exactly one turn") {
    // task::SleepTests.test_sleep_zero
    const auto sleeper = [](LoopTest& t, std::string name) -> Coroutine<> {
        for (int i = 0; i < 2; ++i) {
            t.note(name + std::to_string(i));
            co_await stage3::sleep(0s);
        }
    };
    const auto a = task(sleeper(*this, "a"));
    const auto b = task(sleeper(*this, "b"));
    const auto turns_before = loop.turns();
    turns(1);
    CHECK(log == Log{"a0", "b0"});
    turns(1);
    CHECK(log == Log{"a0", "b0", "a1", "b1"});
    turns(1);
    CHECK(a.done());
    CHECK(loop.turns() - turns_before == 3);
    CHECK(elapsed() == 0);
}

TEST_CASE_FIXTURE(LoopTest, "L19: a cancelled sleep cancels its timer") {
    // task::BaseTaskTests.test_sleep_cancel, .test_task_cancel_sleeping_task
    auto t = task([]() -> Coroutine<> { co_await stage3::sleep(1h); }());
    turns(1);
    CHECK(loop.timers() == 1);
    t.cancel();
    turns(2);
    CHECK(t.cancelled());
    loop.call_later(1s, [&] { loop.stop(); });
    loop.run_forever();
    CHECK(loop.timers() == 0); // removed when it reached the top of the heap
    CHECK(elapsed() == 1000);
}

TEST_CASE("one descriptor can have a reader and a writer") {
    EventLoop loop;
    const Pipe pipe;
    Log log;
    CHECK_FALSE(loop.remove_reader(pipe.read.fd()));
    loop.add_reader(pipe.read.fd(), [&] { log.emplace_back("replaced"); });
    loop.add_reader(pipe.read.fd(), [&] {
        log.emplace_back("read");
        take(pipe);
    });
    loop.add_writer(pipe.write.fd(), [&] {
        log.emplace_back("write");
        put(pipe);
        CHECK(loop.remove_writer(pipe.write.fd()));
        loop.call_later(1ms, [&] { loop.stop(); });
    });
    loop.run_forever();
    CHECK(log == Log{"write", "read"});
    CHECK(loop.remove_reader(pipe.read.fd()));
    CHECK_FALSE(loop.remove_reader(pipe.read.fd()));
}

TEST_CASE("a reader that another one removes in the same turn isn't called") {
    EventLoop loop;
    const Pipe a;
    const Pipe b;
    int called = 0;
    const auto reader = [&] {
        ++called;
        loop.remove_reader(a.read.fd());
        loop.remove_reader(b.read.fd());
        loop.stop();
    };
    loop.add_reader(a.read.fd(), reader);
    loop.add_reader(b.read.fd(), reader);
    put(a);
    put(b);
    loop.run_forever();
    CHECK(called == 1);
}

namespace {

/// A real loop that notes its reports.
struct Reporting {
    Reporting() {
        loop.set_exception_handler(
            [this](const stage3::Report& report) { reports.push_back(report.message); });
    }
    void turns(int count) {
        for (int i = 0; i < count; ++i) {
            loop.stop();
            loop.run_forever();
        }
    }

    Log reports;
    EventLoop loop;
};

} // namespace

TEST_CASE_FIXTURE(Reporting,
                  "a descriptor that was closed too early is reported, and forgotten") {
    Pipe pipe;
    const int in = pipe.read.fd();
    const int out = pipe.write.fd();
    SUBCASE("it has a reader") {
        loop.add_reader(in, [] {});
        pipe.read.close();
        CHECK(loop.remove_reader(in));
    }
    SUBCASE("it has a writer") {
        loop.add_writer(out, [] {});
        pipe.write.close();
        CHECK(loop.remove_writer(out));
    }
    SUBCASE("it has both") {
        loop.add_reader(in, [] {});
        loop.add_writer(in, [] {});
        pipe.read.close();
        CHECK(loop.remove_reader(in));
        loop.remove_writer(in); // forgotten already, or is now
    }
    SUBCASE("its file is still open under another number") {
        loop.add_reader(in, [] {});
        const common::Socket other(::dup(in));
        pipe.read.close();
        CHECK(loop.remove_reader(in));
    }
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].find("closed") != std::string::npos);
    CHECK(loop.watched() == 0);
    CHECK_FALSE(loop.remove_reader(in));
    CHECK_FALSE(loop.remove_writer(out));
    turns(2);
    CHECK(reports.size() == 1);
}

TEST_CASE_FIXTURE(Reporting, "what watched a closed descriptor never watches another") {
    const Pipe first;
    const Pipe second;
    const int number = first.read.fd();
    int old = 0;
    loop.add_reader(number, [&] { ++old; });
    loop.add_writer(number, [&] { ++old; });
    REQUIRE(::dup2(second.read.fd(), number) == number); // closes it first
    put(second);
    SUBCASE("its writer is removed") { CHECK(loop.remove_writer(number)); }
    SUBCASE("the other one gets a writer") {
        loop.add_writer(number, [] {});
    }
    CHECK_FALSE(loop.has_reader(number));
    turns(3);
    CHECK(old == 0);
    CHECK(reports.size() == 1);
    loop.remove_writer(number);
}

TEST_CASE_FIXTURE(Reporting,
                  "a descriptor's number is watched anew if it was closed too early") {
    const Pipe first;
    const Pipe second;
    const int number = first.read.fd();
    int old = 0;
    int called = 0;
    loop.add_reader(number, [&] { ++old; });
    SUBCASE("for the same event") {
        REQUIRE(::dup2(second.read.fd(), number) == number); // closes it first
        loop.add_reader(number, [&] {
            ++called;
            char byte = 0;
            CHECK(::read(number, &byte, 1) == 1);
        });
        turns(2);
        CHECK(called == 0);
        put(second);
        turns(2);
        CHECK(called == 1);
        CHECK(loop.remove_reader(number));
    }
    SUBCASE("for another event, too") {
        REQUIRE(::dup2(second.write.fd(), number) == number);
        loop.add_writer(number, [&] {
            ++called;
            CHECK(loop.remove_writer(number));
        });
        turns(3);
        CHECK(called == 1);
        loop.remove_reader(number);
    }
    CHECK(old == 0);
    CHECK(loop.watched() == 0);
}

TEST_CASE_FIXTURE(Reporting, "two tasks wait for one descriptor, which is closed: "
                             "cancelling them doesn't abort") {
    Pipe pipe;
    const int fd = pipe.read.fd();
    auto reads = stage3::create_task(loop, stage3::readable(fd));
    auto writes = stage3::create_task(loop, [](int number) -> Coroutine<> {
        co_await stage3::writable(number); // a pipe's end for reading can't be written
    }(fd));
    turns(2);
    pipe.read.close();
    reads.cancel();
    turns(2);
    writes.cancel();
    turns(2);
    CHECK(reads.cancelled());
    CHECK(writes.cancelled());
    CHECK(reports.size() == 1);
    CHECK(loop.watched() == 0);
}

TEST_CASE_FIXTURE(Reporting, "what the loop calls may hold what can't be copied") {
    const Pipe pipe;
    int sum = 0;
    loop.call_soon_threadsafe([&sum, one = std::make_unique<int>(1)] { sum += *one; });
    loop.add_reader(pipe.read.fd(), [&, two = std::make_unique<int>(2)] {
        sum += *two;
        take(pipe);
    });
    loop.add_writer(pipe.write.fd(), [&, four = std::make_unique<int>(4)] {
        sum += *four;
        put(pipe);
        loop.remove_writer(pipe.write.fd());
    });
    loop.add_signal_handler(SIGUSR1,
                            [&sum, eight = std::make_unique<int>(8)] { sum += *eight; });
    CHECK(std::raise(SIGUSR1) == 0);
    const stage3::Future<> future(loop);
    future.add_done_callback(
        [&sum, sixteen = std::make_unique<int>(16)](const auto&) { sum += *sixteen; });
    future.set_result();
    turns(4);
    CHECK(sum == 31);
}

TEST_CASE("call_soon_threadsafe wakes the loop from another thread") {
    EventLoop loop;
    std::size_t called = 0;
    auto other = std::async(std::launch::async, [&] {
        for (int i = 0; i < 1000; ++i)
            loop.call_soon_threadsafe([&] { ++called; });
        loop.call_soon_threadsafe([&] { loop.stop(); });
    });
    loop.run_forever();
    other.get();
    CHECK(called == 1000);
}

TEST_CASE("a signal calls its handler in a turn, and no other handler") {
    EventLoop loop;
    Log log;
    loop.add_signal_handler(SIGUSR1, [&] {
        log.emplace_back("USR1");
        loop.stop();
    });
    loop.call_soon([&] {
        std::raise(SIGUSR1);
        log.emplace_back("raised");
    });
    loop.run_forever();
    CHECK(log == Log{"raised", "USR1"});

    SUBCASE("another loop can't handle the same signal") {
        EventLoop other;
        CHECK_THROWS_AS(other.add_signal_handler(SIGUSR1, [] {}), std::invalid_argument);
        CHECK(loop.remove_signal_handler(SIGUSR1));
        CHECK_FALSE(loop.remove_signal_handler(SIGUSR1));
        other.add_signal_handler(SIGUSR1, [] {});
    }
    SUBCASE("the handler can be replaced") {
        loop.add_signal_handler(SIGUSR1, [&] {
            log.emplace_back("second");
            loop.stop();
        });
        std::raise(SIGUSR1);
        loop.run_forever();
        CHECK(log.back() == "second");
    }
    SUBCASE("some signals can't be caught, and others don't exist") {
        CHECK_THROWS_AS(loop.add_signal_handler(SIGKILL, [] {}), std::invalid_argument);
        CHECK_THROWS_AS(loop.add_signal_handler(0, [] {}), std::invalid_argument);
        CHECK_THROWS_AS(loop.add_signal_handler(1000, [] {}), std::invalid_argument);
    }
    SUBCASE("when the loop is gone, the signal does what it did before") {
        loop.close();
        struct sigaction now{};
        ::sigaction(SIGUSR1, nullptr, &now);
        CHECK((now.sa_handler == SIG_DFL));
    }
}

TEST_CASE("two loops in two threads don't affect each other") {
    const auto count = [](int& turns) -> Coroutine<> {
        for (; turns < 10'000; ++turns)
            co_await stage3::next_turn();
    };
    int a = 0;
    int b = 0;
    auto other = std::async(std::launch::async, [&] { stage3::run(count(a)); });
    stage3::run(count(b));
    other.get();
    CHECK(a == 10'000);
    CHECK(b == 10'000);
}
