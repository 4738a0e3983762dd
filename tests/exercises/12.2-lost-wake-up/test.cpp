// start fails in: as many wake as there are items
// start fails with: one wake-up for two items
#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using stage3::Coroutine;
using stage3::Task;
using tests::Log;
using tests::LoopTest;

namespace {

Coroutine<> work(LoopTest& test, SimpleQueue& queue, std::string name) {
    const int item = co_await queue.get();
    test.note(name + std::to_string(item));
}

} // namespace

TEST_CASE_FIXTURE(LoopTest, "one and one") {
    SimpleQueue queue;
    const Task<> a = task(work(*this, queue, "a"));
    turns(1);
    queue.put(1);
    turns(2);
    CHECK(log == Log{"a1"});
}

TEST_CASE_FIXTURE(LoopTest, "as many wake as there are items") {
    SimpleQueue queue;
    const Task<> a = task(work(*this, queue, "a"));
    const Task<> b = task(work(*this, queue, "b"));
    turns(1);
    queue.put(1);
    queue.put(2);
    turns(5);
    CHECK_MESSAGE(
        log.size() == 2,
        "two wait, two items come before anybody has had a turn, and only "
            << log.size()
            << " got one. There was one wake-up for two items. That the queue isn't "
               "empty does not mean that somebody is coming for all of it.");
}

TEST_CASE_FIXTURE(LoopTest, "who was woken may go away") {
    SimpleQueue queue;
    Task<> a = task(work(*this, queue, "a"));
    const Task<> b = task(work(*this, queue, "b"));
    turns(1);
    queue.put(1);
    a.cancel();
    turns(5);
    CHECK(a.cancelled());
    CHECK_MESSAGE(log == Log{"b1"},
                  "a was woken and then cancelled, before its turn. There is an item, "
                  "and b waits for one, and nobody will ever wake b. Whoever was woken "
                  "and does not take an item must pass the wake-up on.");
    loop.close();
}

TEST_CASE_FIXTURE(LoopTest, "who has gone need not be woken") {
    SimpleQueue queue;
    Task<> a = task(work(*this, queue, "a"));
    const Task<> b = task(work(*this, queue, "b"));
    turns(1);
    a.cancel();
    queue.put(1);
    turns(5);
    CHECK_MESSAGE(log == Log{"b1"}, "the wake-up went to somebody who had gone.");
    loop.close();
}

TEST_CASE_FIXTURE(LoopTest, "many") {
    SimpleQueue queue;
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
    loop.close();
}
