// start fails in: select sleeps until the next timer
// start fails with: A timer is due in 50 ms, and select may sleep for ever
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "exercise.h"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <system_error>

#include <sys/socket.h>

using namespace std::chrono_literals;

TEST_CASE("select sleeps until the next timer") {
    const auto timers = make_your_timers();
    CHECK_MESSAGE(!timers->timeout(0ms), "Without a timer, select may sleep for ever.");
    timers->call_at(80ms, [] {});
    timers->call_at(50ms, [] {});
    REQUIRE_MESSAGE(timers->timeout(0ms),
                    "A timer is due in 50 ms, and select may sleep for ever.");
    CHECK(timers->timeout(0ms) == 50ms);
    CHECK(timers->timeout(30ms) == 20ms);
    CHECK_MESSAGE(
        timers->timeout(60ms) == 0ms,
        "A timer is late. Select should not sleep at all, and a negative timeout "
        "means \"for ever\" to poll and epoll.");
}

TEST_CASE("what is due is called once, in the order of time") {
    const auto timers = make_your_timers();
    std::string called;
    timers->call_at(30ms, [&] { called += "c"; });
    timers->call_at(10ms, [&] { called += "a"; });
    timers->call_at(20ms, [&] { called += "b"; });
    timers->call_at(20ms, [&] { called += "B"; });
    timers->run_due(9ms);
    CHECK(called.empty());
    timers->run_due(20ms);
    CHECK(called == "abB");
    timers->run_due(20ms);
    CHECK(called == "abB");
    CHECK(timers->timeout(20ms) == 10ms);
    timers->run_due(1s);
    CHECK(called == "abBc");
    CHECK_FALSE(timers->timeout(1s));
}

TEST_CASE("a timer that was taken back is not called") {
    const auto timers = make_your_timers();
    std::string called;
    const auto first = timers->call_at(10ms, [&] { called += "1"; });
    timers->call_at(20ms, [&] { called += "2"; });
    timers->cancel(first);
    CHECK(timers->timeout(0ms) == 20ms);
    timers->run_due(50ms);
    CHECK(called == "2");
    timers->cancel(first); // once more, and too late: no harm done
}

TEST_CASE("a callback may take back one that is due as well") {
    const auto timers = make_your_timers();
    bool called = false;
    Timers::Id second = 0;
    timers->call_at(10ms, [&] { timers->cancel(second); });
    second = timers->call_at(10ms, [&] { called = true; });
    timers->run_due(10ms);
    CHECK_MESSAGE(!called, "A timer was called that was taken back by another callback, "
                           "just before its turn.");
}

TEST_CASE("a callback may make a timer, which waits for the next time") {
    const auto timers = make_your_timers();
    int calls = 0;
    std::function<void()> again = [&] {
        if (++calls < 100) // so that the test ends in any case
            timers->call_at(0ms, again);
    };
    timers->call_at(0ms, again);
    timers->run_due(10ms);
    CHECK_MESSAGE(calls == 1,
                  "A timer that makes itself anew was called "
                      << calls << " times in one go. It must leave the sockets a turn.");
    timers->run_due(10ms);
    CHECK_MESSAGE((calls == 2 || calls == 100), "What was made is due the next time.");
}

TEST_CASE("a socket that never answers is given up in time") {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    const common::Socket near(ends[0]);
    const common::Socket far(ends[1]);
    const auto selector = common::make_selector();
    selector->register_fd(near.fd(), common::Events::read, 0);
    const auto start = std::chrono::steady_clock::now();
    const auto now = [&] {
        return std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now()
                                                        - start);
    };

    const auto timers = make_your_timers();
    bool given_up = false;
    timers->call_at(20ms, [&] {
        selector->unregister_fd(near.fd());
        given_up = true;
    });
    for (int turn = 0; turn < 100 && !given_up; ++turn) {
        // Bounded, so that the test ends in any case.
        const auto timeout = timers->timeout(now());
        REQUIRE(timeout);
        CHECK(selector->select(std::min(*timeout, 1000ms)).empty());
        timers->run_due(now());
    }
    CHECK(given_up);
    CHECK(now() >= 20ms);
}
