#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

#include <fmt/ranges.h>

using stage3::EventLoop;

namespace {

/// A gate, in a time that is not the real one. Records what starts, and when.
class Host {
  public:
    explicit Host(Limits limits)
        : gate_(loop_, limits, [this](const std::string& page) { start(page); }) {}
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    /// How long requests take. Without it, they end only when `end` is called.
    void answers_after(EventLoop::Duration time) { answer_time_ = time; }
    /// The request for this page ends inside `start`.
    void refuses(const std::string& page) { refused_.insert(page); }

    void enter(const std::vector<std::string>& pages) {
        looks_ = 0;
        for (const std::string& page : pages)
            gate_.enter(page);
    }
    /// After this much time; before what the gate does at that moment, if this was
    /// called first.
    void enter_in(EventLoop::Duration delay, const std::string& page) {
        loop_.call_later(delay, [this, page] { gate_.enter(page); });
    }
    void end() { gate_.end(); }
    /// Holds it for this long, from now.
    void hold(EventLoop::Duration time) { gate_.hold(loop_.time() + time); }

    /// Lets this much time pass. Returns what has started, such as "a 0, b 1000".
    std::string after(EventLoop::Duration time) {
        looks_ = 0;
        loop_.call_later(time, [this] { loop_.stop(); });
        loop_.run_forever();
        REQUIRE_MESSAGE(looks_ < max_looks,
                        "there was nothing to do for a while, and you kept the loop busy "
                        "all the time. A timer can be set for the exact moment.");
        return fmt::format("{}", fmt::join(started_, ", "));
    }

  private:
    static constexpr std::size_t max_looks = 1000;

    stage3::LoopOptions options() {
        stage3::LoopOptions options = time_.options();
        options.clock = [this] {
            if (++looks_ == max_looks)
                loop_.stop();
            if (looks_ > 2 * max_looks)
                throw std::runtime_error(
                    "You wait inside the gate, and the worker waits with you. Put the "
                    "page into the line, and return.");
            return time_.now;
        };
        return options;
    }

    void start(const std::string& page) {
        started_.push_back(fmt::format("{} {}", page, (time_.now - begin_) / 1ms));
        if (refused_.contains(page))
            gate_.end();
        else if (answer_time_ > 0s)
            loop_.call_later(answer_time_, [this] { gate_.end(); });
    }

    tests::VirtualTime time_;
    const EventLoop::TimePoint begin_ = time_.now;
    std::size_t looks_ = 0; // how often the clock was read: at least once in each turn
    EventLoop loop_{options()};
    std::vector<std::string> started_;
    std::set<std::string> refused_;
    EventLoop::Duration answer_time_{};
    Gate gate_;
};

constexpr Limits one_a_second{.max_in_flight = 100, .delay = 1s};
constexpr Limits one_at_once{.max_in_flight = 1, .delay = 0s};
constexpr Limits two_at_once{.max_in_flight = 2, .delay = 0s};

} // namespace

TEST_SUITE("the delay") {
    TEST_CASE("two starts are a second apart") {
        Host host(one_a_second);
        host.enter({"a", "b"});
        const std::string first = host.after(999ms);
        CHECK_MESSAGE(first != "a 0, b 0",
                      "both began at once. There should be a second between them.");
        CHECK_MESSAGE(!first.empty(), "the delay is between two requests, and there is "
                                      "none before the first: why does it wait?");
        const std::string both = host.after(1ms);
        CHECK_MESSAGE(both != "a 0",
                      "b has waited for its second, and nothing happened. What wakes the "
                      "line? No page will come, and no request will end.");
        CHECK(both == "a 0, b 1000");
    }

    TEST_CASE("pages in line start a second apart") {
        Host host(one_a_second);
        host.enter({"a", "b"});
        host.after(300ms);
        host.enter({"c"});
        const std::string order = host.after(5s);
        CHECK_MESSAGE(order != "a 0, b 1000",
                      "the line has come to a halt: b began, and c was forgotten. "
                      "Starting a request means looking for the next one.");
        CHECK_MESSAGE(order != "a 0, c 1000, b 2000",
                      "c began before b: the page that came first is the first in line.");
        CHECK_MESSAGE(order != "a 0, b 1000, c 1000",
                      "b and c have waited for the same moment, and then both began. "
                      "There should be a second between any two.");
        CHECK_MESSAGE(order != "a 0, b 1000, c 1300",
                      "each has waited for a second since it came. What counts is the "
                      "time since the previous start.");
        CHECK_MESSAGE(order == "a 0, b 1000, c 2000",
                      "a and b come, and c 300 ms later. They should start like this: a "
                      "0, b 1000, c 2000. Yours: "
                          << order);
    }

    TEST_CASE("a pause saves up no starts") {
        Host host(one_a_second);
        host.enter({"a"});
        host.after(5s);
        host.enter({"b", "c", "d"});
        const std::string order = host.after(5s);
        CHECK_MESSAGE(
            order == "a 0, b 5000, c 6000, d 7000",
            "no page came for five seconds, and then three did. Unused time is lost, and "
            "not saved up. It should be a 0, b 5000, c 6000, d 7000. Yours: "
                << order);
    }

    TEST_CASE("a page that comes just in time does not overtake the line") {
        Host host(one_a_second);
        host.enter_in(1s, "late"); // the loop has this timer before yours
        host.enter({"a", "b"});
        const std::string order = host.after(5s);
        CHECK_MESSAGE(order == "a 0, b 1000, late 2000",
                      "just when b's time had come, and before your timer was called, "
                      "another page came and overtook b. Is a page in line? Yours: "
                          << order);
    }
}

TEST_SUITE("how many at once") {
    TEST_CASE("a page can start when the one before it has ended") {
        Host host(one_at_once);
        host.enter({"a"});
        host.after(500ms);
        host.end();
        host.enter({"b"});
        const std::string order = host.after(1s);
        CHECK_MESSAGE(order == "a 0, b 500", "a has ended, no page was in line, b came, "
                                             "and did not begin. Does a still count?");
    }

    TEST_CASE("a waiting page starts when the one before it ends") {
        Host host(one_at_once);
        host.enter({"a", "b", "c"});
        CHECK_MESSAGE(host.after(500ms) == "a 0",
                      "one at once is allowed, and a has not ended.");
        host.end();
        const std::string order = host.after(500ms);
        CHECK_MESSAGE(order == "a 0, b 500",
                      "when a ended, there was room for b, and b was in line. It should "
                      "have begun at that moment. Yours: "
                          << order);
    }
}

TEST_SUITE("both") {
    TEST_CASE("the delay counts from start to start") {
        Host host({.max_in_flight = 1, .delay = 1s});
        host.answers_after(400ms);
        host.enter({"a", "b", "c"});
        const std::string order = host.after(5s);
        CHECK_MESSAGE(order != "a 0, b 1400, c 2800",
                      "a has taken 400 ms, and then you let a second pass. The delay "
                      "counts from its start, not from its end.");
        CHECK_MESSAGE(!order.starts_with("a 0, b 400"),
                      "a has ended, and b began at once. Room alone is not enough: has "
                      "the second passed?");
        CHECK_MESSAGE(order == "a 0, b 1000, c 2000",
                      "each request takes 400 ms. They should start like this: a 0, b "
                      "1000, c 2000. Yours: "
                          << order);
    }

    TEST_CASE("a slow answer keeps the next page waiting") {
        Host host({.max_in_flight = 1, .delay = 1s});
        host.answers_after(2500ms);
        host.enter({"a", "b", "c"});
        const std::string order = host.after(10s);
        CHECK_MESSAGE(!order.starts_with("a 0, b 1000"),
                      "a takes 2500 ms, but your timer has let b begin while a was still "
                      "running. Time alone is not enough: is there room?");
        CHECK_MESSAGE(order == "a 0, b 2500, c 5000",
                      "each request takes 2500 ms. They should start like this: a 0, b "
                      "2500, c 5000. Yours: "
                          << order);
    }

    TEST_CASE("two slow answers keep the third page waiting") {
        Host host({.max_in_flight = 2, .delay = 1s});
        host.answers_after(2500ms);
        host.enter({"a", "b", "c", "d", "e"});
        CHECK(host.after(10s) == "a 0, b 1000, c 2500, d 3500, e 5000");
    }

    TEST_CASE("a request that ends at once makes room for the next") {
        Host host(one_at_once);
        host.refuses("a");
        host.enter({"a", "b", "c"});
        const std::string order = host.after(1s);
        CHECK_MESSAGE(
            order == "a 0, b 0",
            "a ended inside start_. So b should have begun, and c should wait. Yours: "
                << order);
    }

    TEST_CASE("a request that ends at once still counts for the delay") {
        Host host({.max_in_flight = 2, .delay = 1s});
        host.refuses("b");
        host.enter({"a", "b", "c"});
        const std::string order = host.after(5s);
        CHECK_MESSAGE(order == "a 0, b 1000, c 2000",
                      "b ended inside start_, which called end. Did you leave anything "
                      "to be done when start_ returns? They should start like this: a 0, "
                      "b 1000, c 2000. Yours: "
                          << order);
    }
}

TEST_SUITE("hold") {
    TEST_CASE("a hold makes the next page wait") {
        Host host(one_a_second);
        host.enter({"a"});
        host.after(500ms);
        host.hold(3s);
        host.enter({"b"});
        const std::string order = host.after(10s);
        CHECK_MESSAGE(order == "a 0, b 3500",
                      "at 500 ms, the host said to come back in 3 s, and b came. It "
                      "should begin at 3500. Yours: "
                          << order);
    }

    TEST_CASE("a hold makes the whole line wait") {
        Host host(one_a_second);
        host.enter({"a", "b", "c"});
        host.after(500ms);
        host.hold(3s);
        const std::string order = host.after(10s);
        CHECK_MESSAGE(!order.starts_with("a 0, b 1000"),
                      "at 500 ms, the host said to come back in 3 s. But your timer was "
                      "set before that, and let b begin.");
        CHECK_MESSAGE(order == "a 0, b 3500, c 4500",
                      "at 500 ms, the host said to come back in 3 s. After that, the "
                      "delay applies as before: a 0, b 3500, c 4500. Yours: "
                          << order);
    }

    TEST_CASE("a shorter hold does not replace a longer one") {
        Host host(one_a_second);
        host.enter({"a"});
        host.after(500ms);
        host.hold(5s); // until 5500
        host.hold(2s);
        host.enter({"b"});
        const std::string order = host.after(10s);
        CHECK_MESSAGE(order == "a 0, b 5500",
                      "two answers came, first an answer with 5 s, then an answer with 2 "
                      "s. The second answer takes nothing back: waiting for the longer "
                      "time obeys both. Yours: "
                          << order);
    }

    TEST_CASE("a hold shorter than the delay changes nothing") {
        Host host(one_a_second);
        host.enter({"a"});
        host.hold(100ms);
        host.enter({"b"});
        CHECK_MESSAGE(host.after(10s) == "a 0, b 1000",
                      "a hold doesn't make the delay shorter.");
    }

    TEST_CASE("two pages start after a hold if there is room for two") {
        Host host(two_at_once);
        host.hold(3s);
        host.enter({"a", "b", "c"});
        const std::string order = host.after(10s);
        CHECK_MESSAGE(order == "a 3000, b 3000",
                      "when the hold was over, there was room for two, and no delay was "
                      "set. So a and b should begin at 3000. Yours: "
                          << order);
    }

    TEST_CASE("a long line waits out a hold of an hour") {
        Host host(one_at_once);
        host.answers_after(1ms);
        host.hold(1h);
        for (int i = 0; i < 100; ++i)
            host.enter({"x"});
        CHECK(host.after(1h - 1ms).empty());
        CHECK(host.after(1ms) == "x 3600000");
    }
}
