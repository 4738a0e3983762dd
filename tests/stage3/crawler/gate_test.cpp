// Which items may begin, and when: each host's limits, and the line at its gate.
#include "stage3_queue_crawler/crawler/gate.h"
#include "tests/stage3/runtime/loop_test.h"

#include <initializer_list>

using namespace stage3;
using tests::Log;

namespace {

/// A gate. The log has the items that were let in, each with its time in milliseconds.
struct GateTest : tests::LoopTest {
    explicit GateTest(GateLimits limits)
        : gate(loop, limits, {}, [this](int item, Passage passage) {
              note(fmt::format("{} at {}", item, elapsed()));
              if (passage == Passage::from_line)
                  waited.push_back(item);
          }) {}

    void enter(std::initializer_list<int> items, const std::string& host = "h") {
        for (const int item : items)
            gate.enter(host, item);
    }
    /// An item that was let in begins.
    void begin(const std::string& host = "h") { gate.begin(host); }
    /// An item that has begun ends.
    void end(const std::string& host = "h") { gate.leave(host, true); }
    /// Lets time pass.
    void wait(EventLoop::Duration duration) {
        loop.call_later(duration, [this] { loop.stop(); });
        loop.run_forever();
    }

    stage3::Gate<int> gate;
    std::vector<int> waited; ///< the items that had to stand in line
};

} // namespace

TEST_CASE("as many items are in as allowed, and each that leaves lets the next one in") {
    GateTest test({.max_per_host = 2});
    test.enter({1, 2, 3, 4});
    CHECK(test.log == Log{"1 at 0", "2 at 0"}); // although they haven't begun
    CHECK(test.gate.size() == 2);
    test.begin();
    CHECK(test.gate.size() == 2);
    test.end();
    CHECK(test.log == Log{"1 at 0", "2 at 0", "3 at 0"});
    test.gate.leave("h", false); // the second item, which never began
    CHECK(test.log.back() == "4 at 0");
    CHECK(test.gate.size() == 0);
    CHECK(test.waited == std::vector{3, 4});
}

TEST_CASE("a pause is counted from start to start, however long an item stays") {
    GateTest test({.delay = 100ms});
    test.enter({1, 2, 3});
    CHECK(test.log == Log{"1 at 0"});
    test.wait(1s);
    CHECK(test.log == Log{"1 at 0"}); // item 1 hasn't begun
    test.begin();
    test.end();
    test.wait(99ms);
    CHECK(test.log == Log{"1 at 0"});
    test.wait(11ms);
    CHECK(test.log == Log{"1 at 0", "2 at 1100"});
    test.begin(); // 10 ms after it was let in
    test.wait(200ms);
    CHECK(test.log.back() == "3 at 1210");
}

TEST_CASE("the longer of our pause and the host's counts") {
    GateTest test({.delay = 100ms});
    test.gate.set_delay("slow", 300ms);
    test.gate.set_delay("quick", 50ms);
    test.wait(300ms); // that much after robots.txt
    test.enter({1, 2}, "slow");
    test.enter({3, 4}, "quick");
    test.enter({5, 6}, "any");
    test.log.clear();
    for (const char* host : {"slow", "quick", "any"}) {
        test.begin(host);
        test.end(host);
    }
    test.wait(1s);
    CHECK(test.log == Log{"4 at 400", "6 at 400", "2 at 600"});
}

TEST_CASE("an item that was let in and never began causes no pause") {
    GateTest test({.delay = 100ms});
    test.enter({1, 2});
    test.gate.leave("h", false);
    CHECK(test.log == Log{"1 at 0", "2 at 0"});
}

TEST_CASE("a host's line, limit and hold affect no other host") {
    GateTest test({.max_per_host = 1});
    test.gate.hold("h", 100ms);
    test.enter({1, 2});
    test.enter({3, 4}, "other");
    CHECK(test.log == Log{"3 at 0"});
    test.begin("other");
    test.end("other");
    CHECK(test.log == Log{"3 at 0", "4 at 0"});
    CHECK(test.gate.size() == 2);
    test.wait(200ms);
    CHECK(test.log.back() == "1 at 100");
}

TEST_CASE("all items obey a hold, which a later one can make longer but not shorter") {
    GateTest test({.delay = 100ms});
    test.enter({1, 2});
    test.begin();
    test.gate.hold("h", 50ms); // the pause is longer
    test.gate.hold("h", 300ms);
    test.gate.hold("h", 200ms);
    test.wait(250ms);
    CHECK(test.log == Log{"1 at 0"});
    test.wait(100ms);
    CHECK(test.log == Log{"1 at 0", "2 at 300"});
}

TEST_CASE("an item that was let in may not begin while its host is held") {
    GateTest test({});
    test.enter({1});
    CHECK(test.gate.may_begin("h"));
    test.gate.hold("h", 100ms);
    CHECK_FALSE(test.gate.may_begin("h"));
    test.gate.leave("h", false);
    test.enter({1});
    test.wait(99ms);
    CHECK(test.log == Log{"1 at 0"});
    test.wait(2ms);
    CHECK(test.log == Log{"1 at 0", "1 at 100"});
    CHECK(test.gate.may_begin("h"));
}

TEST_CASE("a host that has refused lets in one item, then one more with each answer") {
    GateTest test({});
    test.enter({1});
    test.begin();
    test.gate.refused("h", test.gate.epoch("h"));
    test.gate.hold("h", 1s);
    test.end();
    test.enter({2, 3, 4, 5});
    test.wait(1s);
    CHECK(test.log == Log{"1 at 0", "2 at 1000"});
    test.begin();
    test.gate.answered("h");
    test.end();
    test.wait(1s);
    CHECK(test.log == Log{"1 at 0", "2 at 1000", "3 at 1000", "4 at 1000"});
    CHECK(test.gate.refused_for("h") == 0s);
}

TEST_CASE("after a refusal, what was let in before may not begin beside another") {
    GateTest test({});
    test.enter({1, 2, 3});
    test.begin(); // 1, which takes long
    test.begin(); // 2
    test.gate.refused("h", test.gate.epoch("h"));
    test.end();
    CHECK_FALSE(test.gate.may_begin("h")); // 3, as long as 1 is under way
    test.end();
    CHECK(test.gate.may_begin("h"));
}

TEST_CASE("after a refusal, items keep the distance that was seen to be right") {
    GateTest test({});
    test.enter({1, 2});
    test.begin();
    test.gate.answered("h");
    test.end();
    test.begin();
    test.gate.refused("h", test.gate.epoch("h"));
    test.end();
    test.wait(500ms); // one answer in this time
    test.enter({3, 4});
    test.begin();
    test.gate.answered("h");
    test.end();
    test.wait(250ms);
    CHECK(test.log.back() == "3 at 500");
    test.wait(250ms);
    CHECK(test.log.back() == "4 at 1000");
}

TEST_CASE("a host's delay lets one item in at a time, and begins when that one ends") {
    GateTest test({});
    test.gate.set_delay("h", 1s); // it has just been asked for robots.txt
    test.enter({1, 2});
    CHECK(test.log.empty());
    test.wait(1s);
    test.begin();
    test.wait(5s);
    CHECK(test.log == Log{"1 at 1000"});
    test.end();
    test.wait(1s);
    CHECK(test.log == Log{"1 at 1000", "2 at 7000"});

    GateTest several({.max_per_host = 2}); // the user has said how many
    several.gate.set_delay("h", 1s);
    several.enter({1, 2, 3});
    several.wait(1s);
    several.begin();
    several.wait(1s);
    several.begin();
    several.wait(5s);
    CHECK(several.log == Log{"1 at 1000", "2 at 2000"});
}

TEST_CASE("a host's own items can be taken out") {
    GateTest test({.max_per_host = 1});
    test.enter({1, 2, 3});
    test.enter({4, 5}, "other");
    CHECK(test.gate.take_all_of("h") == std::vector{2, 3});
    CHECK(test.gate.take_all_of("unknown").empty());
    CHECK(test.gate.size() == 1);
}

TEST_CASE("a request made outside the gate starts a pause, if there is one") {
    GateTest with({.delay = 100ms});
    with.gate.has_asked("h");
    with.enter({1});
    with.wait(150ms);
    CHECK(with.log == Log{"1 at 100"});
    GateTest without({});
    without.gate.has_asked("h");
    without.enter({1});
    CHECK(without.log == Log{"1 at 0"});
}

TEST_CASE("take_all takes the items in line and no others") {
    GateTest test({.max_per_host = 1, .delay = 1h});
    test.enter({1, 2, 3});
    test.enter({4, 5}, "other");
    std::vector<int> all = test.gate.take_all();
    std::ranges::sort(all); // the hosts have no order
    CHECK(all == std::vector<int>{2, 3, 5});
    CHECK(test.gate.size() == 0);
    test.begin();
    test.end();
    test.wait(2h);
    CHECK(test.log == Log{"1 at 0", "4 at 0"});
    test.enter({6});
    CHECK(test.log.back() == "6 at 7200000");
}
