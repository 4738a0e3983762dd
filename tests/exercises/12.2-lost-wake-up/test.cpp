#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

using stage3::Coroutine;
using stage3::Task;
using tests::Log;
using tests::LoopTest;

namespace {

/// A loop that is closed before its queue goes.
struct QueueTest : LoopTest {
    QueueTest() = default;
    QueueTest(const QueueTest&) = delete;
    QueueTest& operator=(const QueueTest&) = delete;
    ~QueueTest() { loop.close(); }

    SimpleQueue queue;
};

Coroutine<> work(LoopTest& test, SimpleQueue& queue, std::string name) {
    const int item = co_await queue.get();
    test.note(name + std::to_string(item));
}

} // namespace

TEST_CASE_FIXTURE(QueueTest, "a waiting worker gets the item") {
    const Task<> a = task(work(*this, queue, "a"));
    turns(1);
    queue.put(1);
    turns(2);
    CHECK(log == Log{"a1"});
}

TEST_CASE_FIXTURE(QueueTest, "as many workers wake as there are items") {
    const Task<> a = task(work(*this, queue, "a"));
    const Task<> b = task(work(*this, queue, "b"));
    turns(1);
    queue.put(1);
    queue.put(2);
    turns(5);
    CHECK_MESSAGE(log.size() == 2,
                  "Two workers wait, and two items come before either has its turn. Only "
                      << log.size()
                      << " got one, because there was one wake-up for two items. A queue "
                         "that isn't empty doesn't mean that a worker is on its way for "
                         "every item.");
}

TEST_CASE_FIXTURE(QueueTest, "a worker cancelled after its wake-up passes it on") {
    Task<> a = task(work(*this, queue, "a"));
    const Task<> b = task(work(*this, queue, "b"));
    turns(1);
    queue.put(1);
    a.cancel();
    turns(5);
    CHECK(a.cancelled());
    CHECK_MESSAGE(log == Log{"b1"},
                  "a was woken and then cancelled, before its turn. There is an item, b "
                  "waits for one, and nothing will ever wake b. A worker that was woken "
                  "and takes no item must pass the wake-up on.");
}

TEST_CASE_FIXTURE(QueueTest, "no wake-up goes to a cancelled worker") {
    Task<> a = task(work(*this, queue, "a"));
    const Task<> b = task(work(*this, queue, "b"));
    turns(1);
    a.cancel();
    queue.put(1);
    turns(5);
    CHECK_MESSAGE(log == Log{"b1"},
                  "The wake-up went to a worker that was already gone.");
}

TEST_CASE_FIXTURE(QueueTest, "a worker destroyed after its wake-up passes it on") {
    LoopTest other; // when a loop is closed, the frames of its tasks are destroyed
    static_cast<void>(other.task(work(other, queue, "a")));
    other.turns(1);
    const Task<> b = task(work(*this, queue, "b"));
    turns(1);
    queue.put(1);
    other.loop.close();
    turns(5);
    CHECK_MESSAGE(
        log == Log{"b1"},
        "a was woken, and its frame was destroyed before its turn. Nothing is "
        "thrown in a frame that is destroyed, so it does not get to a `catch`; "
        "only destructors run. There is an item, and nothing will ever wake b.");
}

TEST_CASE_FIXTURE(QueueTest, "no wake-up goes to a destroyed worker") {
    LoopTest other;
    static_cast<void>(other.task(work(other, queue, "a")));
    other.turns(1);
    const Task<> b = task(work(*this, queue, "b"));
    turns(1);
    other.loop.close();
    queue.put(1);
    turns(5);
    CHECK_MESSAGE(log == Log{"b1"},
                  "a's frame was destroyed while it waited, and the wake-up still went "
                  "to its future. A future that no worker waits for must not be chosen: "
                  "a destructor in the worker's frame can cancel it.");
}

TEST_CASE_FIXTURE(QueueTest, "every worker ends, though some of many are cancelled") {
    std::vector<Task<>> workers;
    for (int i = 0; i < 100; ++i)
        workers.push_back(task(work(*this, queue, "w")));
    turns(1);
    for (int i = 0; i < 100; ++i) {
        queue.put(i);
        if (i % 3 == 0)
            workers[static_cast<std::size_t>(i)].cancel();
    }
    turns(10);
    for (const auto& worker : workers)
        CHECK(worker.done());
}
