// How often an origin's robots.txt is fetched, and what is kept of it.
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/scripted_server.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::EventLoop;
using stage3::Future;
using stage3::RobotsCache;
using stage3::TaskGroup;
using tests::Hold;
using tests::Reply;
using tests::Reset;
using tests::ScriptedServer;
using Clock = std::chrono::steady_clock;

namespace {

using Answer = Future<RobotsCache::Answer>;

Reply robots(std::string_view text) { return tests::respond(200, "text/plain", text); }

/// A cache, and a group for its fetches.
class CacheTest {
  public:
    explicit CacheTest(RobotsCache::Settings settings)
        : cache(loop, session, std::move(settings)) {
        wait(1ms); // so that the group runs
        cache.fetch_in(group_);
    }
    CacheTest(const CacheTest&) = delete;
    CacheTest& operator=(const CacheTest&) = delete;
    ~CacheTest() { // NOLINT(bugprone-exception-escape): that ends the test
        running_.cancel();
        wait(1ms);
        CHECK(running_.cancelled()); // so no fetch threw an exception
    }

    void wait(EventLoop::Duration time) {
        stage3::run_until_complete(loop, stage3::sleep(time));
    }
    Answer ask(const std::string& url) { return cache.ask(*common::parse_url(url)); }
    /// Waits for an answer, or for the reason why there is none.
    void wait_for(const Answer& answer) {
        const std::vector one{answer};
        stage3::run_until_complete<bool>(loop, stage3::wait(one, 10s));
        REQUIRE(answer.done());
    }
    Answer answer_of(const ScriptedServer& server) {
        Answer answer = ask(server.url());
        wait_for(answer);
        return answer;
    }

    /// Just asks.
    void learn_of(const ScriptedServer& server) { wait_for(ask(server.url())); }

    EventLoop::Duration later{}; ///< how far the loop's clock is ahead
    EventLoop loop{options()};
    stage3::Session session{loop};
    RobotsCache cache;

  private:
    stage3::LoopOptions options() {
        stage3::LoopOptions options;
        options.clock = [this] { return Clock::now() + later; };
        return options;
    }
    static Coroutine<> for_ever() { co_await Future<>(); }

    TaskGroup group_;
    stage3::Task<> running_ = create_task(loop, group_.run(for_ever()));
};

} // namespace

TEST_CASE("an origin is asked once for all its URLs, and its answer is kept") {
    ScriptedServer server;
    server.on("/robots.txt", robots("User-agent: *\nDisallow: /a\n"));
    CacheTest test({.product_token = "me"});
    const std::vector several{test.ask(server.url("/a")), test.ask(server.url("/b"))};
    for (const Answer& answer : several) {
        test.wait_for(answer);
        CHECK_FALSE(answer.result()->rules.allows("/a"));
        CHECK(answer.result()->rules.allows("/b"));
    }
    CHECK(test.ask(server.url("/c")).done());
    CHECK(server.requests().size() == 1);
}

TEST_CASE("the rules of many origins don't fill the memory") {
    std::vector<std::unique_ptr<ScriptedServer>> servers;
    std::string text = "User-agent: *\n";
    for (int i = 0; i < 100; ++i)
        text += fmt::format("Disallow: /{}\n", i);
    for (int i = 0; i < 3; ++i) {
        servers.push_back(std::make_unique<ScriptedServer>());
        servers.back()->on("/robots.txt", robots(text));
    }
    const std::size_t size = stage3::Robots::parse(text, "me").memory();
    CacheTest test({.product_token = "me", .most_kept = size * 5 / 2}); // room for two
    const auto ask = [&](const ScriptedServer& server) {
        const Answer answer = test.answer_of(server);
        const stage3::Robots& rules = answer.result()->rules;
        CHECK(rules.memory() > 3'000);
        CHECK(rules.memory() < 5'000);
        CHECK_FALSE(rules.allows("/5"));
    };
    const auto times_asked = [&] {
        std::vector<std::size_t> times;
        for (const auto& server : servers)
            times.push_back(server->times_asked("/robots.txt"));
        return times;
    };
    for (const auto& server : servers)
        ask(*server);
    ask(*servers[1]);
    ask(*servers[2]);
    CHECK(times_asked() == std::vector<std::size_t>{1, 1, 1});
    ask(*servers[0]); // the oldest was dropped, and now the next one is
    ask(*servers[2]);
    CHECK(times_asked() == std::vector<std::size_t>{2, 1, 1});
    ask(*servers[1]);
    CHECK(times_asked() == std::vector<std::size_t>{2, 2, 1});
}

TEST_CASE("a failure is remembered for a minute, and then the origin is asked again") {
    ScriptedServer server;
    server.on("/robots.txt", {Reply{Reset{}}, robots("")});
    CacheTest test({.product_token = "me"});
    CHECK(test.answer_of(server).has_failed());
    test.later = 50s;
    CHECK(test.ask(server.url("/a")).has_failed());
    CHECK(server.requests().size() == 1);
    test.later = 60s;
    CHECK_FALSE(test.answer_of(server).has_failed());
    CHECK(server.requests().size() == 2);
}

TEST_CASE("an answer is good for a day, and then the origin is asked again") {
    ScriptedServer server;
    server.on("/robots.txt", {robots("User-agent: *\nDisallow: /a\n"),
                              robots("User-agent: *\nCrawl-delay: 5\n")});
    CacheTest test({.product_token = "me"});
    const Answer first = test.answer_of(server);
    test.later = 23h + 59min;
    CHECK(test.ask(server.url("/a")).done());
    CHECK(server.requests().size() == 1);
    test.later = 24h;
    const std::vector several{test.ask(server.url("/a")), test.ask(server.url("/b"))};
    for (const Answer& answer : several) {
        test.wait_for(answer);
        CHECK(answer.result()->rules.allows("/a"));
        CHECK(answer.result()->rules.crawl_delay() == 5s);
    }
    CHECK(server.requests().size() == 2);
    CHECK_FALSE(first.result()->rules.allows("/a")); // what was given out stays as it was
}

TEST_CASE("after a day, the old rules stay in force until the origin has new ones") {
    ScriptedServer server;
    server.on("/robots.txt",
              {robots("User-agent: *\nDisallow: /a\n"), Reply{Reset{}},
               tests::respond(503, "text/plain", ""), Reply{Hold{}}, Reply{Reset{}},
               tests::respond(429, "text/plain", ""), robots("")});
    CacheTest test({.product_token = "me"});
    test.learn_of(server);
    test.later = 24h;
    std::size_t asked = 1;
    const auto old_rules_hold = [&] {
        const Answer answer = test.answer_of(server);
        REQUIRE_FALSE(answer.has_failed());
        CHECK_FALSE(answer.result()->rules.allows("/a"));
        CHECK(answer.result()->rules.allows("/b"));
        CHECK(server.requests().size() == asked);
    };
    for (int i = 0; i < 2; ++i) {
        ++asked;
        old_rules_hold();
        test.later += 59s;
        old_rules_hold();
        test.later += 1s;
    }
    const Answer withdrawn = test.ask(server.url());
    while (server.requests().size() == asked)
        test.wait(1ms);
    test.cache.cancel_all();
    CHECK(withdrawn.cancelled());
    ++asked;
    for (int i = 0; i < 2; ++i) {
        ++asked;
        old_rules_hold();
        test.later += 1min;
    }
    CHECK(test.answer_of(server).result()->rules.allows("/a"));
    test.later += 23h;
    CHECK(test.ask(server.url()).done());
}

TEST_CASE("asking an origin again counts its rules once, and doesn't let it be dropped") {
    std::string text = "User-agent: *\n";
    for (int i = 0; i < 100; ++i)
        text += fmt::format("Disallow: /{}\n", i);
    std::vector<std::unique_ptr<ScriptedServer>> servers;
    for (int i = 0; i < 4; ++i) {
        servers.push_back(std::make_unique<ScriptedServer>());
        servers.back()->on("/robots.txt", robots(text));
    }
    servers[0]->on("/robots.txt", {robots(text), robots(text), Reply{Hold{}}});
    const std::size_t size = stage3::Robots::parse(text, "me").memory();
    CacheTest test({.product_token = "me", .most_kept = size * 5 / 2}); // room for two
    test.learn_of(*servers[0]);
    test.learn_of(*servers[1]);
    test.later = 24h;
    test.learn_of(*servers[0]);
    CHECK(test.ask(servers[0]->url()).done());
    test.learn_of(*servers[2]); // drops the second one, which is the oldest now
    CHECK(test.ask(servers[0]->url()).done());
    CHECK(servers[0]->requests().size() == 2);

    test.later = 48h;
    const Answer on_its_way = test.ask(servers[0]->url());
    while (servers[0]->requests().size() == 2)
        test.wait(1ms);
    for (std::size_t i = 1; i < 4; ++i)
        test.learn_of(*servers[i]);
    servers[0].reset(); // the server hangs up
    test.wait_for(on_its_way);
    REQUIRE_FALSE(on_its_way.has_failed());
    CHECK_FALSE(on_its_way.result()->rules.allows("/5"));
}

TEST_CASE("a limited number of origins are asked at once, and the others stand in line") {
    std::vector<std::unique_ptr<ScriptedServer>> silent;
    for (int i = 0; i < 2; ++i) {
        silent.push_back(std::make_unique<ScriptedServer>());
        silent.back()->on("/robots.txt", {Hold{}});
    }
    ScriptedServer third;
    CacheTest test({.product_token = "me", .most_at_once = 2});
    const std::vector first{test.ask(silent[0]->url()), test.ask(silent[1]->url())};
    const Answer last = test.ask(third.url());
    while (silent[0]->requests().empty() || silent[1]->requests().empty())
        test.wait(1ms);
    test.wait(20ms);
    CHECK(third.requests().empty());
    silent[0].reset(); // the server hangs up
    test.wait_for(last);
    CHECK_FALSE(last.has_failed());
}

TEST_CASE(
    "cancel_all ends the questions under way and in line, and keeps known answers") {
    ScriptedServer known;
    ScriptedServer silent;
    silent.on("/robots.txt", {Reply{Hold{}}, robots("")});
    ScriptedServer in_line;
    CacheTest test({.product_token = "me", .most_at_once = 1});
    const Answer answer = test.answer_of(known);
    const std::vector both{test.ask(silent.url()), test.ask(in_line.url())};
    while (silent.requests().empty())
        test.wait(1ms);
    const Answer not_begun = test.ask("http://not-begun.invalid/");
    test.cache.cancel_all();
    for (const Answer& one : both)
        CHECK(one.cancelled());
    CHECK(not_begun.cancelled());
    CHECK_FALSE(answer.has_failed());
    CHECK(in_line.requests().empty());
    for (const ScriptedServer* const server : {&known, &silent, &in_line})
        CHECK_FALSE(test.answer_of(*server).has_failed()); // asking again works
    CHECK(known.requests().size() == 1);
}
