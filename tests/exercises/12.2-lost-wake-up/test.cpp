#include "exercise.h"
#include "tests/support/prelude.h"

#include <chrono>
#include <list>

using stage3::small::Cancelled;
using stage3::small::Coroutine;
using stage3::small::EventLoop;
using stage3::small::Task;

using Log = std::vector<std::string>;

namespace {

struct QueueTest {
    EventLoop loop;
    SimpleQueue queue{loop};
    Log log;

    void turns(int count) {
        for (int i = 0; i < count; ++i)
            loop.turn(std::chrono::milliseconds(0));
    }
};

Coroutine<> work(QueueTest& test, std::string name) {
    const int item = co_await test.queue.get();
    test.log.push_back(name + std::to_string(item));
}

bool was_cancelled(const Task& task) {
    try {
        task.throw_if_failed();
    } catch (const Cancelled&) {
        return true;
    }
    return false;
}

} // namespace

TEST_CASE_FIXTURE(QueueTest, "a waiting worker gets the item") {
    const Task a(loop, work(*this, "a"));
    turns(1);
    queue.put(1);
    turns(2);
    CHECK(log == Log{"a1"});
}

TEST_CASE_FIXTURE(QueueTest, "as many workers wake as there are items") {
    const Task a(loop, work(*this, "a"));
    const Task b(loop, work(*this, "b"));
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

TEST_CASE_FIXTURE(QueueTest, "a cancelled worker ends") {
    Task a(loop, work(*this, "a"));
    turns(1);
    a.cancel();
    turns(5);
    CHECK_MESSAGE(was_cancelled(a),
                  "a was cancelled while it waited, and it waits again. A `get` that "
                  "catches Cancelled must throw it on, or its worker never hears of it.");
}

TEST_CASE_FIXTURE(QueueTest, "a worker cancelled after its wake-up passes it on") {
    Task a(loop, work(*this, "a"));
    const Task b(loop, work(*this, "b"));
    turns(1);
    queue.put(1);
    a.cancel();
    turns(5);
    CHECK(was_cancelled(a));
    CHECK_MESSAGE(log == Log{"b1"},
                  "a was woken and then cancelled, before its turn. There is an item, b "
                  "waits for one, and nothing will ever wake b. A worker that was woken "
                  "and takes no item must pass the wake-up on.");
}

TEST_CASE_FIXTURE(QueueTest, "no wake-up goes to a cancelled worker") {
    Task a(loop, work(*this, "a"));
    const Task b(loop, work(*this, "b"));
    turns(1);
    a.cancel();
    turns(1);
    queue.put(1);
    turns(5);
    CHECK_MESSAGE(log == Log{"b1"},
                  "The wake-up went to a worker that was already gone.");
}

TEST_CASE_FIXTURE(QueueTest, "no wake-up is lost on a worker that was just cancelled") {
    Task a(loop, work(*this, "a"));
    const Task b(loop, work(*this, "b"));
    turns(1);
    a.cancel();
    queue.put(1);
    turns(5);
    CHECK_MESSAGE(
        log == Log{"b1"},
        "a was cancelled before the item came, but had not had its turn yet. The "
        "wake-up went to it all the same, and b sleeps.");
}

TEST_CASE_FIXTURE(QueueTest, "every worker ends, though some of many are cancelled") {
    std::list<Task> workers;
    for (int i = 0; i < 100; ++i)
        workers.emplace_back(loop, work(*this, "w"));
    turns(1);
    int i = 0;
    for (Task& worker : workers) {
        queue.put(i);
        if (i % 3 == 0)
            worker.cancel();
        ++i;
    }
    turns(10);
    for (const Task& worker : workers)
        CHECK(worker.done());
}
