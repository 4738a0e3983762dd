// Who may begin, and when: each host's limits, and the line at its gate.
#include "stage3_queue_crawler/crawler/gate.h"
#include "tests/stage3/runtime/loop_test.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <chrono>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using stage3::EventLoop;
using stage3::GateLimits;
using tests::Log;

namespace {

/// A gate. The log says who was called, and how many milliseconds after the beginning.
struct GateTest : tests::LoopTest {
    explicit GateTest(GateLimits limits)
        : gate(loop, limits,
               [this](int item) { note(fmt::format("{} at {}", item, elapsed())); }) {}

    /// May it begin?
    bool comes(int item, const std::string& host = "h") {
        return gate.pass(host, item, false);
    }
    /// The same, of one that was called.
    bool comes_as_called(int item, const std::string& host = "h") {
        return gate.pass(host, item, true);
    }
    void hold(EventLoop::Duration duration) { gate.hold("h", loop.time() + duration); }
    /// Lets so much time go by.
    void wait(EventLoop::Duration duration) {
        loop.call_later(duration, [this] { loop.stop(); });
        loop.run_forever();
    }

    stage3::Gate<int> gate;
};

} // namespace

TEST_CASE("so many at once, and whoever ends lets the next one in") {
    GateTest test({.max_per_host = 2});
    CHECK(test.comes(1));
    CHECK(test.comes(2));
    CHECK_FALSE(test.comes(3));
    CHECK_FALSE(test.comes(4));
    CHECK(test.gate.size() == 2);
    CHECK(test.log.empty());
    test.gate.end("h");
    CHECK(test.log == Log{"3 at 0"});
    CHECK(test.gate.size() == 1);
    CHECK(test.comes_as_called(3));
    CHECK(test.log == Log{"3 at 0"}); // two are in again
    test.gate.end("h");
    CHECK(test.log == Log{"3 at 0", "4 at 0"});
    CHECK(test.comes_as_called(4));
    CHECK(test.gate.size() == 0);
}

TEST_CASE("a pause is from start to start, and each is called when it's over") {
    GateTest test({.delay = 100ms});
    CHECK(test.comes(1));
    CHECK_FALSE(test.comes(2));
    CHECK_FALSE(test.comes(3));
    test.gate.end("h");
    test.wait(99ms);
    CHECK(test.log.empty());
    test.wait(11ms);
    CHECK(test.log == Log{"2 at 100"});
    CHECK(test.comes_as_called(2)); // 10 ms late
    test.wait(200ms);
    CHECK(test.log == Log{"2 at 100", "3 at 210"});
    CHECK(test.comes_as_called(3));
    test.wait(100ms);
    CHECK(test.comes(4));
}

TEST_CASE("of the two pauses, ours and the host's, the longer one counts") {
    GateTest test({.delay = 100ms});
    test.gate.set_delay("slow", 300ms);
    test.gate.set_delay("quick", 50ms);
    for (const char* host : {"slow", "quick", "any"}) {
        CHECK(test.comes(1, host));
        test.gate.end(host);
    }
    CHECK_FALSE(test.comes(2, "slow"));
    CHECK_FALSE(test.comes(3, "quick"));
    CHECK_FALSE(test.comes(4, "any"));
    test.wait(1s);
    CHECK(test.log == Log{"3 at 100", "4 at 100", "2 at 300"});
}

TEST_CASE("a host's line, limit and hold are no other's") {
    GateTest test({.max_per_host = 1});
    CHECK(test.comes(1));
    CHECK_FALSE(test.comes(2));
    test.hold(100ms);
    CHECK(test.comes(3, "other"));
    CHECK_FALSE(test.comes(4, "other"));
    test.gate.end("other");
    CHECK(test.log == Log{"4 at 0"});
    CHECK(test.gate.size() == 1);
}

TEST_CASE("nobody overtakes who was called, and is on its way") {
    GateTest test({.max_per_host = 1});
    CHECK(test.comes(1));
    CHECK_FALSE(test.comes(2));
    test.gate.end("h");
    CHECK(test.log == Log{"2 at 0"});
    CHECK_FALSE(test.comes(3)); // though there is room
    CHECK(test.comes_as_called(2));
}

TEST_CASE("nobody overtakes who will be called, as soon as the loop looks at its clock") {
    GateTest test({.delay = 100ms});
    CHECK(test.comes(1));
    CHECK_FALSE(test.comes(2));
    test.time.now += 100ms;
    CHECK_FALSE(test.comes(3));
    CHECK(test.log == Log{"2 at 100"});
    CHECK(test.gate.size() == 1);
}

TEST_CASE("one is called at a time, and the next one when that has come") {
    GateTest test({.max_per_host = 2});
    for (const int item : {1, 2, 3, 4})
        CHECK(test.comes(item) == (item <= 2));
    test.gate.end("h");
    test.gate.end("h");
    CHECK(test.log == Log{"3 at 0"});
    CHECK(test.comes_as_called(3));
    CHECK(test.log == Log{"3 at 0", "4 at 0"});
}

TEST_CASE("or when that has left") {
    GateTest test({.max_per_host = 1});
    CHECK(test.comes(1));
    CHECK_FALSE(test.comes(2));
    CHECK_FALSE(test.comes(3));
    test.gate.end("h");
    test.gate.has_left("h");
    CHECK(test.log == Log{"2 at 0", "3 at 0"});
    test.gate.has_left("h");
    CHECK(test.comes(4)); // as if they had never been there
}

TEST_CASE("who was called, and finds the gate shut, is the first in line again") {
    GateTest test({.max_per_host = 1});
    CHECK(test.comes(1));
    CHECK_FALSE(test.comes(2));
    CHECK_FALSE(test.comes(3));
    test.gate.end("h");
    test.hold(100ms);
    CHECK_FALSE(test.comes_as_called(2));
    CHECK(test.gate.size() == 2);
    test.wait(200ms);
    CHECK(test.log == Log{"2 at 0", "2 at 100"});
    CHECK(test.comes_as_called(2));
}

TEST_CASE("a hold is obeyed by all, and made longer by another, but never shorter") {
    GateTest test({.delay = 100ms});
    CHECK(test.comes(1));
    test.hold(50ms); // the pause is longer
    CHECK_FALSE(test.comes(2));
    test.hold(300ms);
    test.hold(200ms);
    test.wait(250ms);
    CHECK(test.log.empty());
    test.wait(100ms);
    CHECK(test.log == Log{"2 at 300"});
}

TEST_CASE("call_all calls everybody, whatever the limits, and then nobody is in line") {
    GateTest test({.max_per_host = 1, .delay = 1h});
    CHECK(test.comes(1));
    for (const int item : {2, 3, 4})
        CHECK_FALSE(test.comes(item));
    CHECK(test.comes(5, "other"));
    CHECK_FALSE(test.comes(6, "other"));
    test.gate.call_all();
    std::erase(test.log, "6 at 0"); // hosts are in no order
    CHECK(test.log == Log{"2 at 0", "3 at 0", "4 at 0"});
    CHECK(test.gate.size() == 0);
    test.gate.end("h");
    test.wait(2h);
    CHECK(test.log.size() == 3); // nobody is called twice
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(test.comes(7 + i)); // some are on their way
        test.gate.has_left("h");
    }
    CHECK(test.log.back() == "7 at 7200000");
}

TEST_CASE("once the loop is closed, who ends calls nobody") {
    for (const auto delay : {0ms, 100ms}) {
        GateTest test({.max_per_host = 1, .delay = delay});
        CHECK(test.comes(1));
        CHECK_FALSE(test.comes(2));
        test.loop.close();
        test.gate.end("h"); // as a fetch does that the loop destroys
        CHECK(test.log.empty());
    }
}
