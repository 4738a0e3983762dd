// What a semaphore promises: the rows S1 to S7 of the table in conformance.txt. The
// comment of each case names the tests of CPython that show the same of asyncio:
// SemaphoreTests in test_locks.py of Lib/test/test_asyncio.
#include "stage3_queue_crawler/runtime/sync/semaphore.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/runtime/loop_test.h"

using namespace stage3;
using namespace tests;

namespace {

Coroutine<Permit> get(Semaphore& semaphore) {
    Permit permit = co_await semaphore.acquire();
    co_return permit;
}

/// Holds a permit for the given time.
Coroutine<> hold(LoopTest& test, Semaphore& semaphore, std::string name,
                 EventLoop::Duration time = 1s) {
    const Permit permit = co_await semaphore.acquire();
    test.note(name);
    co_await stage3::sleep(time);
}

} // namespace

TEST_CASE_FIXTURE(LoopTest, "S1: acquiring a free permit does not give up control") {
    // test_acquire_no_hang, test_semaphore
    run([](LoopTest& test) -> Coroutine<> {
        Semaphore semaphore(2);
        test.loop.call_soon(test.noting("next turn"));
        {
            const Permit one = co_await semaphore.acquire();
            CHECK(semaphore.available() == 1);
            const Permit two = co_await semaphore.acquire();
            CHECK(semaphore.available() == 0);
        }
        CHECK(semaphore.available() == 2);
        test.note("both");
        co_await stage3::next_turn();
    }(*this));
    CHECK(log == Log{"both", "next turn"});
}

TEST_CASE_FIXTURE(LoopTest,
                  "S2: without a free permit, a task waits until one is given back") {
    // test_acquire, test_initial_value_zero
    Semaphore semaphore(2);
    for (const char* name : {"a", "b", "c", "d", "e"})
        task(hold(*this, semaphore, name)).done();
    turns(3);
    CHECK(log == Log{"a", "b"});
    run(stage3::sleep(1500ms));
    CHECK(log == Log{"a", "b", "c", "d"});
    run(stage3::sleep(10s));
    CHECK(log.size() == 5);
    CHECK(semaphore.available() == 2);
}

TEST_CASE_FIXTURE(LoopTest, "S3: first come, first served") {
    // test_acquire_fifo_order, _2, _3
    Semaphore semaphore(1);
    for (int i = 0; i < 9; ++i)
        task(hold(*this, semaphore, std::to_string(i), 0s)).done();
    run(stage3::sleep(1s));
    CHECK(log == Log{"0", "1", "2", "3", "4", "5", "6", "7", "8"});
}

TEST_CASE_FIXTURE(LoopTest, "S4: a cancelled task leaves the line") {
    // test_acquire_cancel, test_acquire_cancel_before_awoken
    Semaphore semaphore(1);
    const auto a = task(hold(*this, semaphore, "a"));
    auto b = task(hold(*this, semaphore, "b"));
    const auto c = task(hold(*this, semaphore, "c"));
    turns(3);
    b.cancel();
    run(stage3::sleep(10s));
    CHECK(b.cancelled());
    CHECK(log == Log{"a", "c"});
    CHECK(semaphore.available() == 1);
}

TEST_CASE_FIXTURE(
    LoopTest, "S5: a task that is cancelled after it was served passes the permit on") {
    // test_acquire_cancel_before_awoken
    Semaphore semaphore(1);
    std::optional<Permit> permit;
    run([](Semaphore& s, std::optional<Permit>& p) -> Coroutine<> {
        p = co_await s.acquire();
    }(semaphore, permit));
    auto b = task(hold(*this, semaphore, "b"));
    const auto c = task(hold(*this, semaphore, "c"));
    turns(3);
    permit.reset(); // it belongs to b now, which does not know it yet
    b.cancel();
    turns(3);
    CHECK(b.cancelled());
    CHECK(log == Log{"c"});
    run(stage3::sleep(2s));
    CHECK(semaphore.available() == 1);
    // And if no other task waits, the permit is free.
    permit.emplace(run(get(semaphore)));
    auto d = task(hold(*this, semaphore, "d"));
    turns(3);
    permit.reset();
    d.cancel();
    turns(3);
    CHECK(semaphore.available() == 1);
}

TEST_CASE_FIXTURE(LoopTest, "S6: no task jumps the line") {
    // test_acquire_fifo_order_2
    Semaphore semaphore(1);
    std::optional<Permit> permit(run(get(semaphore)));
    const auto a = task(hold(*this, semaphore, "a"));
    turns(2);
    permit.reset();
    const auto b = task(hold(*this, semaphore, "b")); // before a has its turn
    turns(2);
    CHECK(log == Log{"a"});
    run(stage3::sleep(3s));
    CHECK(log == Log{"a", "b"});
}

TEST_CASE_FIXTURE(LoopTest, "S7: a permit is given back once, wherever it was moved") {
    // test_release_not_acquired: here, such a program
    // does not compile
    Semaphore semaphore(2);
    {
        Permit one = run(get(semaphore));
        Permit two = run(get(semaphore));
        CHECK(semaphore.available() == 0);
        {
            const Permit moved(std::move(one));
        }
        CHECK(semaphore.available() == 1);
        {
            Permit three = run(get(semaphore));
            two = std::move(three);
            CHECK(semaphore.available() == 1); // what `two` held is given back
        }
        CHECK(semaphore.available() == 1);
    }
    CHECK(semaphore.available() == 2);
}

TEST_CASE_FIXTURE(LoopTest, "a loop may be closed while a task waits for a permit") {
    Semaphore semaphore(1);
    const auto a = task(hold(*this, semaphore, "a", 1h));
    const auto b = task(hold(*this, semaphore, "b"));
    turns(3);
    loop.close();
    CHECK(reports.size() == 2);
    CHECK(log == Log{"a"});
    CHECK(semaphore.available() == 1);
}

TEST_CASE_FIXTURE(LoopTest, "a permit and a waiting task may outlive their semaphore") {
    std::optional<Semaphore> semaphore(1);
    std::optional<Permit> permit(run(get(*semaphore)));
    const auto waits = task(hold(*this, *semaphore, "waits"));
    turns(2);
    semaphore.reset();
    permit.reset();
    turns(2);
    CHECK(log == Log{"waits"});
}

TEST_CASE_FIXTURE(LoopTest,
                  "waiting and giving up again and again leaves nothing behind") {
    Semaphore semaphore(1);
    std::optional<Permit> permit(run(get(semaphore)));
    int timeouts = 0;
    for (int i = 0; i < 1000; ++i) {
        try {
            const Permit none = run(stage3::wait_for(get(semaphore), 1ms));
        } catch (const stage3::Timeout&) {
            ++timeouts;
        }
    }
    CHECK(timeouts == 1000);
    const auto last = task(hold(*this, semaphore, "last"));
    turns(2);
    permit.reset();
    turns(2);
    CHECK(log == Log{"last"});
}
