// start fails in: the faster one wins, at either place
// start fails with: as long as the slower one
#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace std::chrono_literals;
using stage3::Cancelled;
using stage3::Coroutine;
using stage3::Task;
using tests::LoopTest;

namespace {

/// An answer that takes its time; and when it's cancelled, 100 ms for its clean-up.
Coroutine<int> answer(LoopTest& test, std::chrono::milliseconds time, int value) {
    bool cancelled = false;
    try {
        co_await stage3::sleep(time);
    } catch (const Cancelled&) {
        cancelled = true;
    }
    if (cancelled) {
        co_await stage3::sleep(100ms);
        test.note("cleaned up " + std::to_string(value));
        throw Cancelled{};
    }
    co_return value;
}

} // namespace

TEST_CASE_FIXTURE(LoopTest, "the faster one wins, at either place") {
    const Task<int> slow = task(answer(*this, 10'000ms, 1));
    const Task<int> fast = task(answer(*this, 1000ms, 2));
    const int value = run(first_of(slow, fast));
    CHECK_MESSAGE(elapsed() < 5000,
                  "it took as long as the slower one. Whichever is done first must wake "
                  "it: give both a done callback, and cancel the slower one.");
    CHECK_MESSAGE(value == 2, "the first answer was 2. Yours: " << value);
    const Task<int> fast_again = task(answer(*this, 1000ms, 3));
    const Task<int> slow_again = task(answer(*this, 10'000ms, 4));
    CHECK(run(first_of(fast_again, slow_again)) == 3);
}

TEST_CASE_FIXTURE(LoopTest, "nothing is left running") {
    const Task<int> slow = task(answer(*this, 10'000ms, 1));
    const Task<int> fast = task(answer(*this, 1000ms, 2));
    run(first_of(slow, fast));
    CHECK_MESSAGE(slow.done(),
                  "first_of has returned, and the slower one is still running: it cleans "
                  "up. Cancel it, and wait until it has ended.");
}

TEST_CASE_FIXTURE(LoopTest, "both at once") {
    const Task<int> one = task(answer(*this, 0ms, 1));
    const Task<int> other = task(answer(*this, 0ms, 2));
    turns(3);
    CHECK_MESSAGE(run(first_of(one, other)) == 1,
                  "if both are done, the first one counts.");
}

TEST_CASE_FIXTURE(LoopTest, "cancelled") {
    const Task<int> one = task(answer(*this, 10'000ms, 1));
    const Task<int> other = task(answer(*this, 10'000ms, 2));
    Task<int> waiter = task(first_of(one, other));
    turns(2);
    waiter.cancel();
    loop.call_later(1000ms, [this] { loop.stop(); });
    loop.run_forever();
    CHECK_MESSAGE(
        (one.cancelled() && other.cancelled()),
        "whoever waited was cancelled, and the two go on: nobody needs their "
        "answers any more. Catch Cancelled, take a note, and behind the handler "
        "cancel both and wait for them.");
    REQUIRE_MESSAGE(waiter.done(), "it should be over by now.");
    CHECK_MESSAGE(
        waiter.cancelled(),
        "the request was swallowed. When all is cleaned up, it must be thrown on.");
    CHECK_MESSAGE(log.size() == 2, "both need to be waited for, not only cancelled.");
}
