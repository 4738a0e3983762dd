// What the frontier in memory does, besides what every frontier promises. box_test has
// all of that at once, in random crawls that are compared with an oracle.
#include "stage3_queue_crawler/crawler/memory_frontier.h"
#include "tests/stage3/crawler/frontier_contract.h"
#include "tests/stage3/runtime/loop_test.h"
#include "tests/support/url.h"

using namespace stage3;
using common::Url;
using tests::answer;
using tests::Log;
using tests::url_of;
using FrontierVisit = stage3::Visit<MemoryFrontier>;

namespace {

/// A frontier, and a robots.txt for each origin.
struct FrontierTest : tests::LoopTest, tests::RobotsOnDemand {
    explicit FrontierTest(const FrontierSettings& settings = {}, bool obey_robots = false,
                          stage3::FrontierHelpers helpers = {})
        : RobotsOnDemand(loop),
          frontier(loop, settings, with_robots(std::move(helpers), obey_robots)) {}

    stage3::FrontierHelpers with_robots(stage3::FrontierHelpers helpers,
                                        bool obey_robots) {
        if (obey_robots)
            helpers.robots = this;
        return helpers;
    }

    void open(const std::vector<std::string>& roots) {
        run(frontier.open(tests::urls_of(roots)));
    }
    /// The next visit. If there is none yet, the test waits for one, and fails if none
    /// comes.
    FrontierVisit get() { return run(frontier.get()); }
    void close() { run(frontier.close()); }
    /// Starts a task that waits for a visit.
    void want(bool is_foreign = false) {
        wanting.push_back(
            create_task(loop, [](FrontierTest& test, bool foreign) -> Coroutine<> {
                Coroutine<FrontierVisit> getting =
                    foreign ? test.frontier.get_foreign() : test.frontier.get();
                FrontierVisit visit = co_await std::move(getting);
                const Item& item = visit.item();
                test.note(fmt::format("{}{} at {}", item.url.href(),
                                      item.refusal ? " (refused)" : "", test.elapsed()));
                test.out.push_back(std::move(visit));
            }(*this, is_foreign)));
    }
    /// Ends a visit whose page had these links.
    void done(FrontierVisit visit, const std::vector<std::string>& links = {}) {
        new_links = tests::done(std::move(visit), links);
    }
    /// The same, with a URL to be visited for another purpose.
    void done(FrontierVisit visit, const std::string& url, stage3::Purpose purpose) {
        Record record(visit.item().url);
        record.outcome = Outcome::page;
        Found found;
        found.references.push_back(
            {.url = url_of(url), .role = common::LinkRole::image, .purpose = purpose});
        visit.done(record, found);
    }
    /// An origin's robots.txt arrives.
    void says(const std::string& origin, std::string_view text = "") {
        robots.at(origin).set_result(answer(text));
        turns(5);
    }
    bool is_over() {
        const auto joining = create_task(loop, frontier.join({}));
        turns(3);
        if (!joining.done())
            return false;
        joining.result();
        return true;
    }
    void wait(EventLoop::Duration duration) {
        loop.call_later(duration, [this] { loop.stop(); });
        loop.run_forever();
    }

    MemoryFrontier frontier;
    std::size_t new_links = 0;
    std::vector<FrontierVisit> out;
    std::vector<Task<>> wanting;
};

/// The same robots.txt for all.
struct OneAnswer final : stage3::RobotsSource {
    explicit OneAnswer(EventLoop& loop) : known(loop) {}

    Future<Answer> ask(const Url& /*url*/) override {
        ++asked;
        return known;
    }
    void cancel_all() override {}

    Future<Answer> known;
    int asked = 0;
};

/// For the promises that all frontiers make.
class InMemory : FrontierTest {
  public:
    explicit InMemory(const FrontierSettings& settings = {}) : FrontierTest(settings) {}

    using FrontierTest::get;
    using FrontierTest::loop;
    using FrontierTest::open;
    MemoryFrontier& frontier() { return FrontierTest::frontier; }
    bool has_one() {
        auto getting = create_task(loop, frontier().get());
        turns(5);
        const bool has = getting.done();
        if (has)
            std::move(getting).take(); // which gives the visit back
        else
            getting.cancel();
        turns(2);
        return has;
    }
    void ends() { REQUIRE(is_over()); }
    const stage3::KnownUrl& known(const std::string& url) {
        return *frontier().urls().find(url_of(url));
    }
    static bool is_held() { return true; } // at once
};
FRONTIER_CONTRACT(InMemory);

} // namespace

TEST_CASE("a page's new links are counted, and those beyond the depth are new, too") {
    FrontierTest test({.max_depth = 1});
    test.open({"http://h/"});
    test.done(test.get(), {"http://h/1", "http://h/2", "http://h/"});
    CHECK(test.new_links == 2);
    CHECK(test.frontier.counts().unfinished == 2);
    test.done(test.get(), {"http://h/1", "http://h/3"});
    CHECK(test.new_links == 1);
    test.done(test.get());
    CHECK(test.is_over());
}

TEST_CASE("join reports a URL that was lost") {
    FrontierTest test;
    test.open({"http://h/1", "http://h/2"});
    FrontierVisit first = test.get();
    const FrontierVisit second = test.get();
    const auto item = first.item();
    test.done(std::move(first));
    Record record(item.url);
    test.frontier.done(item, record, {}); // once too often, so it counts as the second
    CHECK_THROWS_WITH_AS(
        stage3::run_until_complete(test.loop, test.frontier.join({})),
        "http://h/2 has been lost: please report this fault of the crawler",
        std::logic_error);
    test.close();
}

TEST_CASE("a URL that waits to be checked is read if it's also a link, and only once") {
    FrontierTest test;
    test.open({"http://h/", "http://h/1"});
    test.done(test.get(), "http://h/2", Purpose::check);
    test.done(test.get(), {"http://h/2"});
    FrontierVisit both = test.get();
    CHECK(both.item().purpose == Purpose::follow);
    CHECK(both.item().depth == 1);
    CHECK_FALSE(test.is_over());
    test.done(std::move(both), "http://h/1", Purpose::check); // was read
    CHECK(test.is_over());
}

TEST_CASE("checks that wait are left out once there were max_pages") {
    FrontierTest test({.max_pages = 2});
    test.open({"http://h/", "http://h/1"});
    test.done(test.get(), "http://h/2", Purpose::check);
    test.done(test.get(), "http://other/", Purpose::check_foreign);
    CHECK(test.is_over());
    CHECK(test.frontier.counts().has_left_some);
}

TEST_CASE("a foreign host gets one request at a time, with a pause") {
    stage3::FrontierHelpers helpers;
    helpers.checks.foreign_delay = 1s;
    FrontierTest test({}, false, helpers);
    test.open({"http://h/1", "http://h/2"});
    test.done(test.get(), "http://other/1", Purpose::check_foreign);
    test.done(test.get(), "http://other/2", Purpose::check_foreign);
    test.want(true);
    test.want(true);
    test.turns(5);
    CHECK(test.log == Log{"http://other/1 at 0"});
    test.out.at(0).on_request()();
    test.wait(5s);
    CHECK(test.log.size() == 1); // the first is not over
    test.done(std::move(test.out.at(0)));
    test.turns(5);
    CHECK(test.log == Log{"http://other/1 at 0", "http://other/2 at 5000"});
    test.done(std::move(test.out.at(1)));
    CHECK(test.is_over());
}

TEST_CASE("only so many foreign hosts are asked at once, robots.txt included") {
    stage3::FrontierHelpers helpers;
    helpers.checks.foreign_hosts = 1;
    FrontierTest test({}, true, helpers);
    test.open({"http://h/1", "http://h/2"});
    test.says("http://h");
    test.done(test.get(), "http://a/", Purpose::check_foreign);
    test.done(test.get(), "http://b/x", Purpose::check_foreign);
    test.want(true);
    test.want(true);
    test.turns(5);
    CHECK(test.asked.contains("http://a"));
    CHECK_FALSE(test.asked.contains("http://b"));
    test.says("http://a");
    CHECK(test.log == Log{"http://a/ at 0"});
    test.done(std::move(test.out.at(0)));
    test.turns(5);
    test.says("http://b", "user-agent: *\ndisallow: /x");
    CHECK(test.log == Log{"http://a/ at 0", "http://b/x (refused) at 0"});
    test.done(std::move(test.out.at(1)));
    CHECK(test.is_over());
}

TEST_CASE("after max_pages no foreign URL comes out, wherever it waits") {
    stage3::FrontierHelpers helpers;
    helpers.checks.foreign_hosts = 2;
    FrontierTest test({.max_pages = 4}, true, helpers);
    test.open({"http://h/1", "http://h/2", "http://h/3", "http://h/4"});
    test.says("http://h");
    // One waits for robots.txt, one in line for its host, one because of too many hosts.
    test.done(test.get(), "http://a/1", Purpose::check_foreign);
    test.done(test.get(), "http://a/2", Purpose::check_foreign);
    test.done(test.get(), "http://b/", Purpose::check_foreign);
    FrontierVisit last = test.get();
    CHECK(test.asked.contains("http://b"));
    CHECK(test.frontier.counts().unfinished == 1);
    test.done(std::move(last), "http://c/", Purpose::check_foreign);
    CHECK(test.is_over());
    CHECK(test.frontier.counts().has_left_some);
}

TEST_CASE("after max_pages only visits that have begun come out") {
    FrontierTest test({.max_pages = 2, .politeness = {.max_per_host = 1}});
    test.open({"http://h/1", "http://h/2", "http://h/3", "http://g/4"});
    FrontierVisit first = test.get();
    FrontierVisit second = test.get();
    CHECK(second.item().url == url_of("http://g/4"));
    CHECK(test.frontier.counts().has_left_some);
    first.put_off(1s);
    test.done(std::move(second), {"http://h/5"});
    CHECK_FALSE(test.is_over());
    FrontierVisit again = test.get();
    CHECK(again.item().url == url_of("http://h/1"));
    test.done(std::move(again));
    CHECK(test.is_over());
}

TEST_CASE("if a crawl has exactly max_pages URLs, nothing is left") {
    FrontierTest test({.max_pages = 1});
    test.open({"http://h/"});
    test.done(test.get(), {"http://h/"});
    CHECK(test.is_over());
    CHECK_FALSE(test.frontier.counts().has_left_some);
}

TEST_CASE(
    "a URL that waits for robots.txt holds up no other, and each origin is asked once") {
    FrontierTest test({}, true);
    test.open({"http://slow/1", "http://slow/2", "http://quick/1"});
    CHECK(test.asked["http://slow"] == 1);
    for (int i = 0; i < 3; ++i)
        test.want();
    test.says("http://quick");
    CHECK(test.log == Log{"http://quick/1 at 0"});
    test.says("http://slow", "user-agent: *\ndisallow: /2");
    CHECK(test.log
          == Log{"http://quick/1 at 0", "http://slow/1 at 0",
                 "http://slow/2 (refused) at 0"});
}

TEST_CASE("on a host with two origins, each origin waits for its own robots.txt") {
    FrontierTest test({.politeness = {.max_per_host = 1}}, true);
    test.open({"http://h:8080/1", "https://h:8080/2"});
    test.want();
    test.want();
    test.says("https://h:8080");
    CHECK(test.log == Log{"https://h:8080/2 at 0"});
    test.says("http://h:8080");
    CHECK(test.log.size() == 1); // but they share a host
    test.done(std::move(test.out.at(0)));
    test.turns(5);
    CHECK(test.log == Log{"https://h:8080/2 at 0", "http://h:8080/1 at 0"});
}

TEST_CASE("a question that was withdrawn is asked again") {
    FrontierTest test({}, true);
    test.open({"http://h/1"});
    Future<RobotsCache::Answer> first = test.robots.at("http://h");
    test.robots.clear();
    first.cancel();
    test.want();
    test.turns(5);
    CHECK(test.log.empty());
    test.says("http://h");
    CHECK(test.log == Log{"http://h/1 at 0"});
}

TEST_CASE("the crawl's order also applies to each host's line") {
    FrontierTest test({.order = OrderName::lifo, .politeness = {.max_per_host = 1}});
    test.open({"http://h/1", "http://h/2", "http://h/3"});
    Log order;
    for (int i = 0; i < 3; ++i) {
        FrontierVisit visit = test.get();
        order.emplace_back(visit.item().url.target());
        test.done(std::move(visit));
    }
    CHECK(order == Log{"/1", "/3", "/2"}); // /1 was let in before there were others
}

TEST_CASE("in a closed frontier, a visit that is dropped stays where it is") {
    FrontierTest test({.politeness = {.max_per_host = 1}});
    test.open({"http://h/1", "http://h/2"});
    {
        const FrontierVisit first = test.get();
        test.close();
    }
    test.want();
    test.turns(5);
    CHECK(test.log.empty());
    CHECK(test.frontier.counts().unfinished == 2);
    test.wanting.front().cancel();
    test.turns(2);
}

TEST_CASE("in a closed frontier, a visit that was put off asks for nothing") {
    FrontierTest test({}, true);
    test.open({"http://h/1"});
    test.says("http://h");
    test.get().put_off(1s);
    test.robots.clear();
    test.close();
    test.wait(2s);
    CHECK(test.asked["http://h"] == 1);
}

TEST_CASE("a URL that had to wait for its host goes before a long line of others") {
    FrontierTest test({}, true);
    test.open({"http://slow/1"});
    test.says("http://slow", "user-agent: *\ncrawl-delay: 1");
    test.wait(1s);
    FrontierVisit slow = test.get();
    slow.on_request()();
    test.done(std::move(slow),
              {"http://slow/2", "http://quick/1", "http://quick/2", "http://quick/3"});
    test.says("http://quick");
    test.wait(1s);
    CHECK(test.get().item().url == url_of("http://slow/2"));
}

TEST_CASE(
    "after max_pages, questions are withdrawn, but visits that have begun ask again") {
    FrontierTest test({.max_pages = 1}, true);
    test.open({"http://h/1", "http://g/1"});
    test.says("http://h");
    FrontierVisit visit = test.get();
    CHECK(test.times_cancelled == 1);
    test.robots.clear();
    visit.put_off(1s);
    test.want();
    test.wait(2s);
    CHECK(test.asked["http://h"] == 2);
    CHECK(test.asked["http://g"] == 1);
    test.says("http://h");
    CHECK(test.log == Log{"http://h/1 at 2000"});
    test.done(std::move(test.out.at(0)));
    CHECK(test.is_over());
    CHECK(test.frontier.counts().has_left_some);
}

TEST_CASE("judging a long line takes many turns, in which all lines make progress") {
    tests::VirtualTime time;
    int ticks = 0;
    stage3::LoopOptions options = time.options();
    // A clock that advances by a millisecond each time it is read.
    options.clock = [&] { return time.now + std::chrono::milliseconds(++ticks); };
    EventLoop loop(std::move(options));
    OneAnswer source(loop);
    Log log;
    stage3::RobotsLine line(loop, source, [&](const Item& item, const auto&) {
        log.emplace_back(item.url.href());
    });
    for (int i = 0; i < 10; ++i)
        line.enter(QueuedItem(url_of(fmt::format("http://long/{}", i))));
    line.enter(QueuedItem(url_of("http://short/")));
    CHECK(log.empty());
    source.known.set_result(answer(""));
    loop.call_later(10s, [&] { loop.stop(); });
    for (int turns = 0; turns < 30; ++turns) {
        loop.stop();
        loop.run_forever();
    }
    CHECK(log.size() == 11);
    CHECK(std::ranges::find(log, "http://short/") - log.begin() < 5);
    CHECK(source.asked == 2); // once for each line, whose answer is kept
}
