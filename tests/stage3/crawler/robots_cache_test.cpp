// How often an origin's robots.txt is fetched, and what is kept of it.
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/box/http.h"
#include "tests/support/box/scripted_web.h"
#include "tests/support/prelude.h"

#include <deque>

using namespace stage3;

namespace box = tests::box;

namespace {

using Answer = Future<RobotsCache::Answer>;

/// A cache, and a group for its fetches.
class CacheTest {
  public:
    explicit CacheTest(RobotsSettings settings = {},
                       RetryLimits retries = {.max_tries = 1})
        : cache(loop, http, rules_, pauses_, "me", retries, settings) {
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
        stage3::run_until_complete<bool>(loop, stage3::wait(one, 1h));
        REQUIRE(answer.done());
    }
    Answer answer_of(const box::Server& server) {
        Answer answer = ask(server.url());
        wait_for(answer);
        return answer;
    }

    /// Just asks.
    void learn_of(const box::Server& server) { wait_for(ask(server.url())); }

    /// Meanwhile, nothing happens.
    void pass(box::Time time) { web.time().pass(time); }

    box::ScriptedWeb web;
    EventLoop loop{web.time().options(1)};
    box::Http http{loop, web, {}};

  private:
    struct NoPauses final : HostPauses {
        void has_asked(const std::string& /*host*/) override {}
        void hold(const std::string& /*host*/, EventLoop::Duration /*wait*/) override {}
        void refused(const std::string& /*host*/, EventLoop::Duration /*wait*/) override {
        }
    };

    NoPauses pauses_;
    const RequestRules rules_{
        std::make_shared<Scope>(Reach::host, std::vector<common::Url>()), {}, {}, {}};

  public:
    RobotsCache cache;

  private:
    static Coroutine<> for_ever() { co_await Future<>(); }

    TaskGroup group_;
    stage3::Task<> running_ = create_task(loop, group_.run(for_ever()));
};

/// A robots.txt of a hundred rules.
std::string many_rules() {
    std::string text = "User-agent: *\n";
    for (int i = 0; i < 100; ++i)
        text += fmt::format("Disallow: /{}\n", i);
    return text;
}
/// The memory that two such files and a half take.
std::size_t room_for_two() {
    return stage3::Robots::parse(many_rules(), "me").memory() * 5 / 2;
}

} // namespace

TEST_CASE("an origin is asked once for all its URLs, and its answer is kept") {
    CacheTest test;
    box::Server server(test.web);
    server.on("/robots.txt", box::robots("User-agent: *\nDisallow: /a\n"));
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
    CacheTest test({.most_kept = room_for_two()});
    std::deque<box::Server> servers;
    for (int i = 0; i < 3; ++i)
        servers.emplace_back(test.web).on("/robots.txt", box::robots(many_rules()));
    const auto ask = [&](const box::Server& server) {
        const Answer answer = test.answer_of(server);
        const stage3::Robots& rules = answer.result()->rules;
        CHECK(rules.memory() > 3'000);
        CHECK(rules.memory() < 5'000);
        CHECK_FALSE(rules.allows("/5"));
    };
    const auto times_asked = [&] {
        std::vector<std::size_t> times;
        for (const box::Server& server : servers)
            times.push_back(server.times_asked("/robots.txt"));
        return times;
    };
    for (const box::Server& server : servers)
        ask(server);
    ask(servers[1]);
    ask(servers[2]);
    CHECK(times_asked() == std::vector<std::size_t>{1, 1, 1});
    ask(servers[0]); // the oldest was dropped, and now the next one is
    ask(servers[2]);
    CHECK(times_asked() == std::vector<std::size_t>{2, 1, 1});
    ask(servers[1]);
    CHECK(times_asked() == std::vector<std::size_t>{2, 2, 1});
}

TEST_CASE("a failure is remembered for a minute, and then the origin is asked again") {
    CacheTest test;
    box::Server server(test.web);
    server.on("/robots.txt", {box::fail(box::Fault::reset), box::robots("")});
    CHECK(test.answer_of(server).has_failed());
    test.pass(50s);
    CHECK(test.ask(server.url("/a")).has_failed());
    CHECK(server.requests().size() == 1);
    test.pass(10s);
    CHECK_FALSE(test.answer_of(server).has_failed());
    CHECK(server.requests().size() == 2);
}

TEST_CASE("an answer is good for a day, and then the origin is asked again") {
    CacheTest test;
    box::Server server(test.web);
    server.on("/robots.txt", {box::robots("User-agent: *\nDisallow: /a\n"),
                              box::robots("User-agent: *\nCrawl-delay: 5\n")});
    const Answer first = test.answer_of(server);
    test.pass(23h + 59min);
    CHECK(test.ask(server.url("/a")).done());
    CHECK(server.requests().size() == 1);
    test.pass(1min);
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
    CacheTest test({}, {.max_tries = 1, .most_refusals = 1});
    box::Server server(test.web);
    server.on("/robots.txt",
              {box::robots("User-agent: *\nDisallow: /a\n"), box::fail(box::Fault::reset),
               box::respond(503, "text/plain", ""), box::fail(box::Fault::silence),
               box::fail(box::Fault::reset), box::respond(429, "text/plain", ""),
               box::robots("")});
    test.learn_of(server);
    test.pass(24h);
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
        test.pass(59s);
        old_rules_hold();
        test.pass(1s);
    }
    const Answer withdrawn = test.ask(server.url());
    test.wait(1ms);
    test.cache.cancel_all();
    CHECK(withdrawn.cancelled());
    ++asked;
    for (int i = 0; i < 2; ++i) {
        ++asked;
        old_rules_hold();
        test.pass(1min);
    }
    CHECK(test.answer_of(server).result()->rules.allows("/a"));
    test.pass(23h);
    CHECK(test.ask(server.url()).done());
}

TEST_CASE("asking an origin again counts its rules once, and doesn't let it be dropped") {
    CacheTest test({.most_kept = room_for_two()});
    std::deque<box::Server> servers;
    for (int i = 0; i < 4; ++i)
        servers.emplace_back(test.web).on("/robots.txt", box::robots(many_rules()));
    servers[0].on("/robots.txt", {box::robots(many_rules()), box::robots(many_rules()),
                                  box::fail(box::Fault::reset).after(10s)});
    test.learn_of(servers[0]);
    test.learn_of(servers[1]);
    test.pass(24h);
    test.learn_of(servers[0]);
    CHECK(test.ask(servers[0].url()).done());
    test.learn_of(servers[2]); // drops the second one, which is the oldest now
    CHECK(test.ask(servers[0].url()).done());
    CHECK(servers[0].requests().size() == 2);

    test.pass(24h);
    const Answer on_its_way = test.ask(servers[0].url());
    for (std::size_t i = 1; i < 4; ++i)
        test.learn_of(servers[i]);
    CHECK(servers[0].requests().size() == 3);
    CHECK_FALSE(on_its_way.done());
    test.wait_for(on_its_way);
    REQUIRE_FALSE(on_its_way.has_failed());
    CHECK_FALSE(on_its_way.result()->rules.allows("/5"));
}

TEST_CASE("a limited number of origins are asked at once, and the others stand in line") {
    CacheTest test({.most_at_once = 2});
    std::deque<box::Server> late;
    for (int i = 0; i < 2; ++i)
        late.emplace_back(test.web).on("/robots.txt", box::robots("").after(10s));
    const box::Server third(test.web);
    const std::vector first{test.ask(late[0].url()), test.ask(late[1].url())};
    const Answer last = test.ask(third.url());
    test.wait(9s);
    CHECK(late[0].requests().size() + late[1].requests().size() == 2);
    CHECK(third.requests().empty());
    test.wait_for(last);
    CHECK_FALSE(last.has_failed());
}

TEST_CASE(
    "cancel_all ends the questions under way and in line, and keeps known answers") {
    CacheTest test({.most_at_once = 1});
    box::Server known(test.web);
    box::Server silent(test.web);
    silent.on("/robots.txt", {box::fail(box::Fault::silence), box::robots("")});
    box::Server in_line(test.web);
    const Answer answer = test.answer_of(known);
    const std::vector both{test.ask(silent.url()), test.ask(in_line.url())};
    test.wait(1ms);
    const Answer not_begun = test.ask("http://not-begun.invalid/");
    test.cache.cancel_all();
    for (const Answer& one : both)
        CHECK(one.cancelled());
    CHECK(not_begun.cancelled());
    CHECK_FALSE(answer.has_failed());
    CHECK(in_line.requests().empty());
    for (const box::Server* const server : {&known, &silent, &in_line})
        CHECK_FALSE(test.answer_of(*server).has_failed()); // asking again works
    CHECK(known.requests().size() == 1);
}
