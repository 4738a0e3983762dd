// What a queue promises: the rows Q1 to Q22 and J1 to J10 of the table in
// conformance.txt. The comment of each case names the tests of CPython
// (Lib/test/test_asyncio/test_queues.py: "q") and Tornado (tornado/test/queues_test.py:
// "tq") that show the same of theirs.
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "tests/stage3/runtime/loop_test.h"
#include "tests/support/in_bulk.h"

using namespace stage3;
using namespace tests;

namespace {

/// Gets an item, and notes which.
template <class AnyQueue>
Coroutine<> get(LoopTest& test, AnyQueue& queue, std::string name, TimeLimit limit = {}) {
    try {
        const int item = co_await queue.get(limit);
        test.note(fmt::format("{} got {}", name, item));
    } catch (const Timeout&) {
        test.note(name + " timed out");
    }
}

/// Puts an item, and notes when it is in.
template <class AnyQueue>
Coroutine<> put(LoopTest& test, AnyQueue& queue, int item, TimeLimit limit = {}) {
    try {
        co_await queue.put(item, limit);
        test.note(fmt::format("put {}", item));
    } catch (const Timeout&) {
        test.note(fmt::format("no room for {}", item));
    }
}

template <class AnyQueue>
Coroutine<> join(LoopTest& test, AnyQueue& queue, std::string name,
                 TimeLimit limit = {}) {
    try {
        co_await queue.join(limit);
        test.note(name + " joined");
    } catch (const Timeout&) {
        test.note(name + " timed out");
    }
}

template <class AnyQueue>
std::vector<int> drain(AnyQueue& queue) {
    std::vector<int> items;
    while (!queue.empty())
        items.push_back(queue.get_nowait());
    return items;
}

/// Fills a queue.
template <class AnyQueue>
void fill(AnyQueue& queue, const std::vector<int>& items) {
    for (const int item : items)
        queue.put_nowait(item);
}

} // namespace

TEST_CASE("Q1: the queue's order decides which item leaves next") {
    // q::QueueBasicTests.test_order, LifoQueueTests.test_order,
    // PriorityQueueTests.test_order
    Queue<int> fifo;
    LifoQueue<int> lifo;
    PriorityQueue<int> smallest;
    PriorityQueue<int, std::greater<>> largest;
    fill(fifo, {3, 1, 2});
    fill(lifo, {3, 1, 2});
    fill(smallest, {3, 1, 2});
    fill(largest, {3, 1, 2});
    CHECK(drain(fifo) == std::vector{3, 1, 2});
    CHECK(drain(lifo) == std::vector{2, 1, 3});
    CHECK(drain(smallest) == std::vector{1, 2, 3});
    CHECK(drain(largest) == std::vector{3, 2, 1});
}

TEST_CASE("Q2: a queue without a maximum is never full") {
    // q::QueueBasicTests.test_full; tq::QueueBasicTest.test_maxsize
    Queue<int> queue;
    CHECK(queue.max_size() == 0);
    for (int i = 0; i < 10'000; ++i)
        queue.put_nowait(i);
    CHECK_FALSE(queue.full());
    CHECK(queue.size() == 10'000);
}

TEST_CASE("Q3: a queue with a maximum is full when that is reached") {
    // q::QueueBasicTests.test_full, .test_maxsize
    Queue<int> queue(2);
    CHECK(queue.empty());
    queue.put_nowait(1);
    CHECK_FALSE(queue.full());
    CHECK_FALSE(queue.empty());
    queue.put_nowait(2);
    CHECK(queue.full());
    queue.get_nowait();
    CHECK_FALSE(queue.full());
}

TEST_CASE("Q4: an operation that can't be done at once is an error") {
    // q::QueueGetTests.test_nonblocking_get_exception,
    // QueuePutTests.test_nonblocking_put_exception
    Queue<int> queue(1);
    CHECK_THROWS_AS(queue.get_nowait(), QueueEmpty);
    queue.put_nowait(1);
    CHECK_THROWS_AS(queue.put_nowait(2), QueueFull);
    CHECK(queue.get_nowait() == 1);
    CHECK(queue.unfinished() == 1); // the refused item does not count
}

TEST_CASE_FIXTURE(LoopTest, "Q5: put waits for room, and get for an item") {
    // q::QueuePutTests.test_blocking_put_wait, QueueGetTests.test_blocking_get_wait
    Queue<int> queue(1);
    const auto getter = task(get(*this, queue, "a"));
    turns(3);
    CHECK_FALSE(getter.done());
    const auto putters =
        std::vector<Task<>>{task(put(*this, queue, 1)), task(put(*this, queue, 2)),
                            task(put(*this, queue, 3))};
    turns(3);
    CHECK(log == Log{"put 1", "put 2", "a got 1"});
    CHECK_FALSE(putters[2].done());
    CHECK(queue.get_nowait() == 2);
    turns(1);
    CHECK(putters[2].done());
    CHECK(queue.get_nowait() == 3);
}

TEST_CASE_FIXTURE(LoopTest, "Q6: neither put nor get gives up control without need") {
    // q::QueuePutTests.test_blocking_put, QueueGetTests.test_blocking_get
    Queue<int> queue(2);
    const auto one = task([](LoopTest& test, Queue<int>& q) -> Coroutine<> {
        co_await q.put(1);
        co_await q.put(2);
        const int first = co_await q.get();
        co_await q.put(3);
        const int second = co_await q.get();
        test.note(fmt::format("{} {}", first, second));
    }(*this, queue));
    loop.call_soon(noting("another"));
    turns(1);
    CHECK(log == Log{"1 2", "another"});
}

TEST_CASE_FIXTURE(LoopTest, "Q7: a get wakes a putter, and a put wakes a getter") {
    // q::QueueGetTests.test_get_with_putters, .test_get_with_waiting_putters,
    // QueuePutTests.test_put_with_waiting_getters
    Queue<int> queue(1);
    queue.put_nowait(0);
    const auto putter = task(put(*this, queue, 1));
    turns(1);
    const auto getter = task(get(*this, queue, "a"));
    turns(2);
    CHECK(log == Log{"a got 0", "put 1"});
    CHECK(queue.get_nowait() == 1);

    const auto waiting = task(get(*this, queue, "b"));
    turns(1);
    queue.put_nowait(2);
    turns(1);
    CHECK(log.back() == "b got 2");
}

TEST_CASE_FIXTURE(LoopTest, "Q8: a cancelled get leaves the line, and swallows nothing") {
    // q::QueueGetTests.test_get_cancelled_race,
    // .test_cancelled_getters_not_being_held_in_self_getters
    Queue<int> queue;
    auto a = task(get(*this, queue, "a"));
    const auto b = task(get(*this, queue, "b"));
    turns(1);
    a.cancel();
    queue.put_nowait(1); // before a has had its turn
    turns(1);
    CHECK(a.cancelled());
    CHECK(log == Log{"b got 1"});
    CHECK(queue.describe().find("to get: 0") != std::string::npos);
}

TEST_CASE_FIXTURE(LoopTest,
                  "Q9: a get that is cancelled after it was served passes the item on") {
    // q::QueuePutTests.test_get_cancel_drop_one_pending_reader,
    // .test_get_cancel_drop_many_pending_readers
    Queue<int> queue;
    std::vector<Task<>> getters;
    for (const char* name : {"a", "b", "c", "d"})
        getters.push_back(task(get(*this, queue, name)));
    turns(1);
    fill(queue, {1, 2, 3});
    getters[0].cancel();
    getters[2].cancel();
    turns(2);
    // The item of a goes to d, which waits. No task waits for the item of c, so it is
    // the next one again.
    CHECK(log == Log{"b got 2", "d got 1"});
    CHECK(drain(queue) == std::vector{3});
    CHECK(queue.unfinished() == 3);
}

TEST_CASE_FIXTURE(LoopTest, "Q9: an item that is given back is where it was before") {
    const auto check = [this](auto& queue, const std::vector<int>& rest,
                              std::vector<int> expected) {
        auto getter = task(get(*this, queue, "a"));
        turns(1);
        queue.put_nowait(5);
        fill(queue, rest);
        getter.cancel();
        turns(1);
        CHECK(getter.cancelled());
        CHECK(drain(queue) == expected);
    };
    Queue<int> fifo;
    check(fifo, {1, 9}, {5, 1, 9});
    LifoQueue<int> lifo;
    check(lifo, {1, 9}, {9, 1, 5});
    PriorityQueue<int> priority;
    check(priority, {1, 9}, {1, 5, 9});
    Queue<int> bounded(2);
    check(bounded, {1, 9}, {5, 1, 9}); // one too many for a moment
}

TEST_CASE_FIXTURE(LoopTest, "Q10: a put that is cancelled after it was let in takes its "
                            "item out again") {
    // q::QueuePutTests.test_put_cancel_drop, .test_put_cancelled_race
    const auto check = [this](auto& queue) {
        queue.put_nowait(0);
        auto a = task(put(*this, queue, 1));
        const auto b = task(put(*this, queue, 2));
        turns(1);
        CHECK(queue.get_nowait() == 0); // makes room for a's item
        a.cancel();
        turns(2);
        CHECK(a.cancelled());
        CHECK(b.done()); // and now there is room for b's
        CHECK(drain(queue) == std::vector{2});
        CHECK(queue.unfinished() == 2);
    };
    Queue<int> fifo(1);
    check(fifo);
    LifoQueue<int> lifo(1);
    check(lifo);
    PriorityQueue<int> priority(1);
    check(priority);
}

TEST_CASE_FIXTURE(
    LoopTest,
    "Q10: if the item has left, put succeeds and the request comes at the next wait") {
    Queue<int> queue(1);
    queue.put_nowait(0);
    auto putter = task([](LoopTest& test, Queue<int>& q) -> Coroutine<> {
        co_await q.put(1);
        test.note("put");
        co_await next_turn();
        test.note("never");
    }(*this, queue));
    turns(1);
    CHECK(drain(queue) == std::vector{0, 1});
    putter.cancel();
    turns(2);
    CHECK(log == Log{"put"});
    CHECK(putter.cancelled());
}

TEST_CASE_FIXTURE(LoopTest,
                  "Q11: a put that is cancelled while it waits leaves the line") {
    // q::QueuePutTests.test_cancelled_puts_not_being_held_in_self_putters,
    // .test_cancelled_put_silence_value_error_exception
    Queue<int> queue(1);
    queue.put_nowait(0);
    auto a = task(put(*this, queue, 1));
    const auto b = task(put(*this, queue, 2));
    turns(1);
    a.cancel();
    CHECK(queue.get_nowait() == 0); // before a has had its turn
    turns(1);
    CHECK(a.cancelled());
    CHECK(drain(queue) == std::vector{2});
    CHECK(queue.unfinished() == 2);
}

TEST_CASE_FIXTURE(LoopTest, "Q12: as many putters come in as there is room for") {
    // q::QueuePutTests.test_why_are_putters_waiting;
    // QueueGetTests.test_why_are_getters_waiting
    Queue<int> queue(2);
    fill(queue, {0, 1});
    std::vector<Task<>> putters;
    for (int i = 2; i < 6; ++i)
        putters.push_back(task(put(*this, queue, i)));
    turns(1);
    queue.get_nowait();
    queue.get_nowait();
    turns(1);
    CHECK(log == Log{"put 2", "put 3"});
    CHECK(queue.size() == 2);
    CHECK(drain(queue) == std::vector{2, 3, 4, 5});
}

TEST_CASE_FIXTURE(LoopTest, "Q13: waiting tasks are served in turn") {
    // tq::QueuePutTest.test_put_with_getters, .test_blocking_put_wait
    Queue<int> queue;
    std::vector<Task<>> getters;
    for (int i = 0; i < 5; ++i)
        getters.push_back(task(get(*this, queue, std::to_string(i))));
    turns(1);
    for (int i = 0; i < 5; ++i)
        queue.put_nowait(i);
    turns(1);
    CHECK(log == Log{"0 got 0", "1 got 1", "2 got 2", "3 got 3", "4 got 4"});
}

TEST_CASE_FIXTURE(LoopTest, "Q14: no getter jumps the line") {
    // In asyncio, a woken getter whose item was taken goes to the back of the line, so
    // getter 2 is served before getter 1. Here the item belongs to getter 1 at once.
    Queue<int> queue;
    const auto first = task(get(*this, queue, "1"));
    const auto second = task(get(*this, queue, "2"));
    turns(1);
    queue.put_nowait(7);
    CHECK_THROWS_AS(queue.get_nowait(), QueueEmpty); // it belongs to getter 1
    turns(1);
    queue.put_nowait(8);
    turns(1);
    CHECK(log == Log{"1 got 7", "2 got 8"});
}

TEST_CASE_FIXTURE(LoopTest, "Q14: no putter jumps the line") {
    // In asyncio, a new put may take the room that was made for a waiting one, so the
    // items leave as 9, 1, 2.
    Queue<int> queue(1);
    queue.put_nowait(0);
    const auto waiting =
        std::vector<Task<>>{task(put(*this, queue, 1)), task(put(*this, queue, 2))};
    turns(1);
    std::vector<int> left{queue.get_nowait()};
    CHECK_THROWS_AS(queue.put_nowait(9), QueueFull); // the room belongs to putter 1
    const auto fresh = task(put(*this, queue, 9));
    turns(1);
    while (!queue.empty()) {
        left.push_back(queue.get_nowait());
        turns(1);
    }
    CHECK(left == std::vector{0, 1, 2, 9});
}

TEST_CASE_FIXTURE(LoopTest, "Q15: a served get that is cancelled loses nothing") {
    // In Tornado, the item is gone: neither the second getter nor the queue has it.
    Queue<int> queue;
    auto first = task(get(*this, queue, "1"));
    const auto second = task(get(*this, queue, "2"));
    turns(1);
    queue.put_nowait(7);
    first.cancel();
    turns(2);
    CHECK(log == Log{"2 got 7"});
}

TEST_CASE_FIXTURE(
    LoopTest, "Q16: the queue is fair and loses nothing, whenever a frame is destroyed") {
    // A served getter's frame may also be destroyed before the getter has its turn.
    Queue<int> queue;
    {
        LoopTest other;
        static_cast<void>(other.task(get(other, queue, "1")));
        other.turns(1);
        queue.put_nowait(7);
        other.loop.close();
    }
    CHECK(drain(queue) == std::vector{7});
}

TEST_CASE_FIXTURE(LoopTest, "Q17: get and put can have a time limit") {
    // tq::QueueGetTest.test_get_timeout, QueuePutTest.test_put_timeout,
    // .test_get_clears_timed_out_putters, .test_put_clears_timed_out_getters
    Queue<int> queue(1);
    run(get(*this, queue, "a", 5s));
    CHECK(log == Log{"a timed out"});
    CHECK(elapsed() == 5000);
    queue.put_nowait(1);
    run(put(*this, queue, 2, 5s));
    CHECK(log.back() == "no room for 2");
    CHECK(elapsed() == 10'000);
    CHECK(drain(queue) == std::vector{1});
    CHECK(queue.unfinished() == 1);
    CHECK(queue.describe()
          == "items: 0 of 1, waiting to get: 0, to put: 0, unfinished: 1");
}

TEST_CASE_FIXTURE(LoopTest,
                  "Q18: a time limit that loses against an item leaves no trace") {
    // tq::QueueGetTest.test_get_timeout_preempted,
    // QueuePutTest.test_put_timeout_preempted
    Queue<int> queue(1);
    loop.call_later(1s, [&] { queue.put_nowait(1); });
    run(get(*this, queue, "a", 1h));
    CHECK(log == Log{"a got 1"});
    queue.put_nowait(2);
    loop.call_later(1s, [&] { queue.get_nowait(); });
    run(put(*this, queue, 3, 1h));
    CHECK(log.back() == "put 3");
    loop.call_later(1s, [&] { loop.stop(); });
    loop.run_forever();
    CHECK(loop.timers() == 0);
    CHECK(elapsed() == 3000);
}

TEST_CASE_FIXTURE(
    LoopTest, "Q19: with no time at all, get and put succeed at once or throw Timeout") {
    // tq::QueueGetTest.test_get_zero_timeout
    Queue<int> queue(1);
    run(get(*this, queue, "a", 0s));
    queue.put_nowait(1);
    run(put(*this, queue, 2, 0s));
    run(get(*this, queue, "b", 0s));
    run(put(*this, queue, 3, 0s));
    CHECK(log == Log{"a timed out", "no room for 2", "b got 1", "put 3"});
    CHECK(elapsed() == 0);
}

TEST_CASE("Q20: items of equal priority leave first in, first out") {
    struct Item {
        int priority = 0;
        char name = ' ';
        bool operator<(const Item& other) const { return priority < other.priority; }
    };
    PriorityQueue<Item> queue;
    for (const char name : {'a', 'b', 'c', 'd', 'e', 'f'})
        queue.put_nowait({name < 'd' ? 2 : 1, name});
    std::string names;
    while (!queue.empty())
        names += queue.get_nowait().name;
    CHECK(names == "defabc");
}

TEST_CASE_FIXTURE(LoopTest, "Q21: describe shows the queue's state to people") {
    // q::QueueBasicTests.test_repr; tq::QueueBasicTest.test_repr_and_str
    Queue<int> queue;
    const auto getter = task(get(*this, queue, "a"));
    turns(1);
    CHECK(queue.describe() == "items: 0, waiting to get: 1, to put: 0, unfinished: 0");
}

TEST_CASE_FIXTURE(LoopTest, "Q22: workers can take items until a sentinel comes") {
    // tq::QueueGetTest.test_async_for. C++ has no loop that awaits; a sentinel ends it.
    Queue<std::optional<int>> queue;
    const auto worker = [](LoopTest& test,
                           Queue<std::optional<int>>& q) -> Coroutine<int> {
        int sum = 0;
        for (;;) {
            const std::optional<int> item = co_await q.get();
            if (!item) {
                q.task_done();
                co_return sum;
            }
            co_await next_turn();
            sum += *item;
            test.note(std::to_string(*item));
            q.task_done();
        }
    };
    const auto a = task(worker(*this, queue));
    const auto b = task(worker(*this, queue));
    for (int i = 1; i <= 4; ++i)
        queue.put_nowait(i);
    for (int i = 0; i < 2; ++i)
        queue.put_nowait(std::nullopt);
    run(queue.join());
    turns(1);
    CHECK(log == Log{"1", "2", "3", "4"});
    CHECK(a.result() + b.result() == 10);
}

TEST_CASE_FIXTURE(LoopTest, "J1: join returns at once if nothing is unfinished") {
    // q::_QueueJoinTestMixin.test_join_empty_queue;
    // tq::QueueJoinTest.test_join_empty_queue
    Queue<int> queue;
    const auto joiner = task([](Queue<int>& q) -> Coroutine<> {
        co_await q.join();
        co_await q.join();
    }(queue));
    turns(1);
    CHECK(joiner.done());
}

TEST_CASE_FIXTURE(LoopTest,
                  "J2: an item counts when it is put in, not while it waits for room") {
    Queue<int> queue(1);
    queue.put_nowait(0);
    const auto putter = task(put(*this, queue, 1));
    turns(1);
    CHECK(queue.unfinished() == 1);
    queue.get_nowait();
    CHECK(queue.unfinished() == 2);
}

TEST_CASE_FIXTURE(
    LoopTest,
    "J3: join waits for task_done of every item, not only until they are taken") {
    // q::_QueueJoinTestMixin.test_task_done; tq::QueueJoinTest.test_task_done_delay
    Queue<int> queue;
    fill(queue, {1, 2});
    const auto joiner = task(join(*this, queue, "j"));
    drain(queue);
    turns(2);
    CHECK(log.empty()); // the items were taken, but are not done
    queue.task_done();
    turns(2);
    CHECK(log.empty());
    queue.task_done();
    turns(1);
    CHECK(log == Log{"j joined"});
}

TEST_CASE("J4: one task_done too many is an error") {
    // q::_QueueJoinTestMixin.test_task_done_underflow;
    // tq::QueueJoinTest.test_task_done_underflow
    Queue<int> queue;
    CHECK_THROWS_AS(queue.task_done(), std::logic_error);
    queue.put_nowait(1);
    queue.task_done();
    CHECK_THROWS_AS(queue.task_done(), std::logic_error);
    CHECK(queue.unfinished() == 0);
}

TEST_CASE_FIXTURE(LoopTest, "J5: task_done only counts: it needs no get") {
    Queue<int> queue;
    queue.put_nowait(1);
    queue.task_done();
    const auto joiner = task(queue.join());
    turns(1);
    CHECK(joiner.done());
    CHECK(queue.size() == 1);
}

TEST_CASE_FIXTURE(LoopTest, "J6: all tasks that join wake when the count is 0") {
    Queue<int> queue;
    queue.put_nowait(1);
    const auto a = task(join(*this, queue, "a"));
    const auto b = task(join(*this, queue, "b"));
    turns(1);
    queue.task_done();
    turns(1);
    CHECK(log == Log{"a joined", "b joined"});
}

TEST_CASE_FIXTURE(LoopTest, "J7: an item that comes after the last task_done does not "
                            "hold back the tasks it woke") {
    Queue<int> queue;
    queue.put_nowait(1);
    const auto a = task(join(*this, queue, "a"));
    turns(1);
    queue.task_done();
    queue.put_nowait(2);
    const auto b = task(join(*this, queue, "b"));
    turns(2);
    CHECK(log == Log{"a joined"});
}

TEST_CASE_FIXTURE(LoopTest, "J8: join is the same for every order") {
    // q::LifoQueueJoinTests, PriorityQueueJoinTests
    const auto check = [this](auto& queue) {
        fill(queue, {2, 1, 3});
        const auto joiner = task(join(*this, queue, "j"));
        for (int i = 0; i < 3; ++i) {
            turns(1);
            CHECK_FALSE(joiner.done());
            queue.get_nowait();
            queue.task_done();
        }
        turns(1);
        CHECK(joiner.done());
    };
    LifoQueue<int> lifo;
    check(lifo);
    PriorityQueue<int> priority;
    check(priority);
}

TEST_CASE_FIXTURE(LoopTest,
                  "J9: a join that times out harms nothing, and another join works") {
    // tq::QueueJoinTest.test_join_timeout
    Queue<int> queue;
    queue.put_nowait(1);
    run(join(*this, queue, "a", 5s));
    CHECK(log == Log{"a timed out"});
    CHECK(elapsed() == 5000);
    CHECK(queue.size() == 1);
    CHECK(queue.unfinished() == 1);
    queue.task_done();
    run(join(*this, queue, "b", 5s));
    CHECK(log.back() == "b joined");
}

TEST_CASE_FIXTURE(LoopTest, "J10: cancelling a task that joins affects no other") {
    Queue<int> queue;
    queue.put_nowait(1);
    auto a = task(join(*this, queue, "a"));
    const auto b = task(join(*this, queue, "b"));
    turns(1);
    a.cancel();
    turns(1);
    queue.task_done();
    turns(1);
    CHECK(a.cancelled());
    CHECK(log == Log{"b joined"});
}

TEST_CASE_FIXTURE(
    LoopTest, "a task that waits at a queue that is gone waits until its loop closes") {
    {
        Queue<int> queue(1);
        queue.put_nowait(0);
        static_cast<void>(task(put(*this, queue, 1)));
        Queue<int> another;
        static_cast<void>(task(get(*this, another, "a")));
        static_cast<void>(task(queue.join()));
        turns(2);
    }
    turns(2);
    CHECK(log.empty());
    loop.close();
    CHECK(reports.size() == 3);
}

TEST_CASE_FIXTURE(LoopTest, "a queue can hold items that can't be copied") {
    Queue<std::unique_ptr<int>> queue(1);
    const auto getter = task([](Queue<std::unique_ptr<int>>& q) -> Coroutine<int> {
        const std::unique_ptr<int> first = co_await q.get();
        co_await next_turn();
        const std::unique_ptr<int> second = co_await q.get();
        co_return *first + *second;
    }(queue));
    turns(1);
    for (int i = 1; i <= 2; ++i)
        run(queue.put(std::make_unique<int>(i)));
    CHECK(stage3::run_until_complete<int>(loop, getter) == 3);
}

TEST_CASE_FIXTURE(LoopTest,
                  "a hundred thousand waiting getters cost no more each than ten") {
    Queue<int> queue;
    const int many = tests::in_bulk(100'000);
    std::vector<Task<>> getters;
    for (int i = 0; i < many; ++i)
        getters.push_back(
            task([](Queue<int>& q) -> Coroutine<> { co_await q.get(); }(queue)));
    turns(1);
    for (int i = 0; i < many; ++i) {
        if (i % 2 == 0)
            getters[static_cast<std::size_t>(i)].cancel();
        else
            queue.put_nowait(i);
    }
    turns(2);
    for (const auto& getter : getters)
        REQUIRE(getter.done());
    CHECK(queue.empty());
}
