// A frontier in a real Redis: the promises that every frontier makes, and those for
// several frontiers that share a crawl, as if each were in its own process.
#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/shared_frontier/redis_frontier.h"
#include "stage3_queue_crawler/shared_frontier/shared_results.h"
#include "tests/stage3/crawler/frontier_contract.h"
#include "tests/support/prelude.h"
#include "tests/support/redis_server.h"
#include "tests/support/url.h"
#include "tests/support/waits.h"

#include <deque>

using namespace stage3;
using tests::answer;
using tests::done;
using tests::RedisServer;
using tests::url_of;
using SharedVisit = stage3::Visit<RedisFrontier>;

namespace {

/// Of two servers.
std::vector<std::string> one_host_per_server() {
    std::vector<std::string> hosts(2);
    for (int i = 0; hosts[0].empty() || hosts[1].empty(); ++i) {
        const std::string host = "h" + std::to_string(i);
        hosts[stage3::server_of(host + ":80", 2)] = "http://" + host + "/";
    }
    return hosts;
}

struct OneLoop {
    EventLoop loop;
};

/// Some servers, and as many frontiers on them as a test needs.
struct SharedTest : OneLoop, tests::RobotsOnDemand {
    explicit SharedTest(std::size_t server_count = 1) : RobotsOnDemand(loop) {
        tests::may_wait(60s, "Redis has its own clock, which is real");
        for (std::size_t i = 0; i < server_count; ++i) {
            const RedisServer& server = servers.emplace_back();
            crawl.servers.push_back(stage3::parse_redis_url(server.url()));
        }
        crawl.name = "test";
        crawl.agreed = "a setting";
        crawl.process = "a process";
        crawl.lease = 1200ms; // a sign of life, and so a look, each sixth of it
        crawl.on_note = [this](const std::string& note) { notes.push_back(note); };
    }

    SharedTest(const SharedTest&) = delete;
    SharedTest& operator=(const SharedTest&) = delete;
    // If a frontier can't be closed, the test has failed.
    ~SharedTest() override { // NOLINT(bugprone-exception-escape)
        close_all();
    }

    /// Adds a process that takes part.
    RedisFrontier& join_crawl(const std::vector<std::string>& roots,
                              const FrontierSettings& settings = {}) {
        stage3::FrontierHelpers helpers;
        if (obey_robots)
            helpers.robots = this;
        RedisFrontier& frontier = *frontiers.emplace_back(
            std::make_unique<RedisFrontier>(loop, settings, std::move(helpers), crawl));
        run(frontier.open(tests::urls_of(roots)));
        return frontier;
    }
    template <class T>
    T run(Coroutine<T> coroutine) {
        return stage3::run_until_complete(
            loop, stage3::wait_for(create_task(loop, std::move(coroutine)), 60s));
    }
    template <class T>
    T run(stage3::Task<T> task) {
        return run([](auto one) -> Coroutine<T> {
            co_return co_await std::move(one);
        }(std::move(task)));
    }
    /// The next visit. Throws stage3::Timeout if none comes.
    SharedVisit get(RedisFrontier& frontier) { return run(frontier.get()); }
    bool has_one(RedisFrontier& frontier, EventLoop::Duration within = 300ms) {
        auto getting = create_task(loop, frontier.get());
        if (!wait_until([&] { return getting.done(); }, within)) {
            getting.cancel();
            return false;
        }
        std::move(getting).take(); // which gives the visit back
        return true;
    }
    void wait(EventLoop::Duration duration) {
        loop.call_later(duration, [this] { loop.stop(); });
        loop.run_forever();
    }
    /// Waits for a condition that holds soon on an idle machine. Returns whether it
    /// holds.
    bool wait_until(const std::function<bool()>& condition,
                    EventLoop::Duration patience = 30s) {
        const auto end = loop.time() + patience;
        while (!condition() && loop.time() < end)
            wait(10ms);
        return condition();
    }
    void join(RedisFrontier& frontier) { run(frontier.join(60s)); }
    void close_all() {
        for (const auto& frontier : std::exchange(frontiers, {}))
            run(frontier->close());
    }
    /// All records by URL, each of which must be there once.
    std::map<std::string, Record> records() {
        std::map<std::string, Record> all;
        results = std::make_unique<SharedResults>(loop, crawl);
        run(results->read());
        while (true) {
            const std::vector<Record> some = run(results->next_records());
            for (const Record& record : some)
                CHECK(all.emplace(record.url.href(), record).second);
            if (some.empty())
                return all;
        }
    }

    /// Sends a command to a server that no frontier would send.
    stage3::RedisReply say(std::vector<std::string> command, std::size_t server = 0) {
        stage3::RedisClient client(loop, crawl.servers[server]);
        return run(client.call(std::move(command)));
    }

    std::deque<RedisServer> servers;
    SharedCrawl crawl;
    bool obey_robots = false;
    std::vector<std::string> notes;
    std::vector<std::unique_ptr<RedisFrontier>> frontiers;
    std::unique_ptr<SharedResults> results;
};

/// For the promises that all frontiers make.
class InRedis : SharedTest {
  public:
    explicit InRedis(FrontierSettings settings = {}) : settings_(std::move(settings)) {}

    using OneLoop::loop;
    void open(const std::vector<std::string>& roots) {
        frontier_ = &join_crawl(roots, settings_);
    }
    RedisFrontier& frontier() { return *frontier_; }
    SharedVisit get() { return SharedTest::get(*frontier_); }
    bool has_one() { return SharedTest::has_one(*frontier_); }
    void ends() { join(*frontier_); }
    /// What every process reads at the end.
    const stage3::KnownUrl& known(const std::string& url) {
        if (!results) {
            close_all();
            records();
        }
        return *results->urls().find(url_of(url));
    }
    bool is_held() {
        return wait_until(
            [&] { return say({"HGET", "{test}:meta", "holds"}).text == "1"; });
    }

  private:
    FrontierSettings settings_;
    RedisFrontier* frontier_ = nullptr;
};
FRONTIER_CONTRACT(InRedis);

} // namespace

TEST_CASE("two processes share a crawl, and both notice its end") {
    SharedTest test;
    RedisFrontier& one = test.join_crawl({"http://h/"});
    RedisFrontier& two = test.join_crawl({"http://h/"});
    done(test.get(two), {"http://h/a", "http://h/b"});
    SharedVisit a = test.get(one);
    SharedVisit b = test.get(two);
    CHECK(a.item().url != b.item().url);
    CHECK_FALSE(test.has_one(one));
    done(std::move(a));
    done(std::move(b));
    test.join(one);
    test.join(two);
    const bool first = test.run(one.may_report());
    const bool again = test.run(one.may_report());
    const bool second = test.run(two.may_report());
    CHECK(first);
    CHECK(again);
    CHECK_FALSE(second);
    test.close_all();
    CHECK(test.records().size() == 3);
}

TEST_CASE("a process that uses many items has some ahead, and gives them back when it "
          "leaves, or when a host is to be left alone") {
    SharedTest test;
    std::vector<std::string> roots;
    for (int i = 0; i < 300; ++i)
        roots.push_back("http://h/" + std::to_string(i));
    RedisFrontier& quick = test.join_crawl(roots);
    RedisFrontier& other = test.join_crawl(roots);
    const auto held = [&] {
        return std::stoi(test.say({"HGET", "{test}:meta", "held"}).text);
    };
    SharedVisit slow = test.get(quick);
    test.wait(20ms);
    CHECK(held() == 1); // nothing is known yet about how fast it is
    for (int i = 0; i < 200; ++i)
        done(test.get(quick));
    CHECK(test.wait_until([&] { return held() > 2; }));
    CHECK(held() < 100);
    SUBCASE("it leaves") {
        done(std::move(slow));
        test.run(quick.close());
        CHECK(held() == 0);
        for (int i = 0; i < 99; ++i)
            done(test.get(other));
        test.join(other);
        return;
    }
    SUBCASE("held by another process") { other.hold("h:80", 60s); }
    SUBCASE("held by itself") { quick.hold("h:80", 60s); }
    SUBCASE("has refused") { quick.refused(slow.item(), 60s); }
    CHECK(test.wait_until([&] { return held() == 1; })); // a sign of life later
    CHECK_FALSE(test.has_one(quick));
}

TEST_CASE("a refusal is counted with its URL, and slows its host, for all processes") {
    SharedTest test;
    RedisFrontier& one = test.join_crawl({"http://h/1", "http://h/2"});
    SharedVisit first = test.get(one);
    SharedVisit visit = test.get(one);
    const auto has_pace = [&] {
        return test.say({"HGET", "{test}:hosts", "h:80"}).text.find(" p ")
               != std::string::npos;
    };
    CHECK_FALSE(has_pace());
    one.answered(first.item());
    done(std::move(first));
    SUBCASE("429") { one.refused(visit.item(), 0s); }
    SUBCASE("503, if there were answers") { one.busy(visit.item(), 0s); }
    visit.put_off_refused(0s);
    RedisFrontier& two = test.join_crawl({});
    const SharedVisit again = test.get(two);
    CHECK(again.item().refusals == 1);
    CHECK(again.item().tries == 1);
    CHECK(has_pace());
}

TEST_CASE(
    "once a host has ended, each of its URLs comes with the reason, to any process") {
    SharedTest test;
    RedisFrontier& one = test.join_crawl({"http://h/1", "http://h/2", "http://h/3"});
    RedisFrontier& two = test.join_crawl({});
    SharedVisit under_way = test.get(one);
    CHECK(under_way.item().refusal == nullptr);
    SUBCASE("at once") {}
    SUBCASE("and have to wait for nothing") { one.hold("h:80", 3600s); }
    one.end_host("h:80", "we had enough");
    REQUIRE(test.wait_until(
        [&] { return test.say({"HLEN", "{test}:ended"}).number() == 1; }));
    for (RedisFrontier* const frontier : {&one, &two}) {
        SharedVisit visit = test.get(*frontier);
        REQUIRE(visit.item().refusal != nullptr);
        CHECK(visit.item().refusal->has_ended);
        CHECK(visit.item().refusal->reason == "we had enough");
        CHECK(visit.item().tries == 0);
        done(std::move(visit));
    }
    done(std::move(under_way));
    test.join(one);
    CHECK(test.records().size() == 3);
}

TEST_CASE("robots.txt is asked for by one process, and all obey it") {
    SharedTest test;
    test.obey_robots = true;
    const std::vector<std::string> roots{"http://h/a", "http://h/private", "http://h/b"};
    RedisFrontier& one = test.join_crawl(roots);
    RedisFrontier& two = test.join_crawl(roots);
    auto get_one = create_task(test.loop, one.get());
    auto get_two = create_task(test.loop, two.get());
    CHECK(test.wait_until([&] { return test.asked["http://h"] == 1; }));
    test.wait(300ms);
    CHECK_FALSE(get_one.done()); // the rules are not known yet
    CHECK_FALSE(get_two.done());
    CHECK(test.asked == std::map<std::string, int>{{"http://h", 1}});
    test.robots.at("http://h")
        .set_result(answer("User-agent: *\nDisallow: /private\nDisallow: /*.pdf$\n"));
    std::vector<SharedVisit> visits;
    visits.push_back(test.run(std::move(get_one)));
    visits.push_back(test.run(std::move(get_two)));
    visits.push_back(test.get(one));
    std::map<std::string, bool> refused;
    for (SharedVisit& visit : visits) {
        refused[std::string(visit.item().url.target())] = visit.item().refusal != nullptr;
        if (visit.item().refusal)
            CHECK(visit.item().refusal->reason == "disallowed by robots.txt");
        done(std::move(visit), {"http://h/x.pdf"});
    }
    CHECK(
        refused
        == std::map<std::string, bool>{{"/a", false}, {"/b", false}, {"/private", true}});
    const SharedVisit pdf = test.get(two);
    CHECK(pdf.item().refusal != nullptr);
    CHECK(test.asked == std::map<std::string, int>{{"http://h", 1}});
}

TEST_CASE(
    "a process that can't fetch robots.txt reports a failure, and the next one asks") {
    SharedTest test;
    test.obey_robots = true;
    RedisFrontier& frontier = test.join_crawl({"http://h/a", "http://h/b"});
    auto getting = create_task(test.loop, frontier.get());
    REQUIRE(test.wait_until([&] { return test.asked["http://h"] == 1; }));
    test.robots.at("http://h")
        .set_exception_quietly(
            std::make_exception_ptr(std::runtime_error("connection refused")));
    SharedVisit a = test.run(std::move(getting));
    REQUIRE(a.item().refusal != nullptr);
    CHECK(a.item().refusal->failure != nullptr);
    CHECK(a.item().tries == 1);
    test.robots.erase("http://h");
    done(std::move(a));
    auto next = create_task(test.loop, frontier.get());
    REQUIRE(test.wait_until([&] { return test.asked["http://h"] == 2; }));
    test.robots.at("http://h").set_result(answer(""));
    const SharedVisit b = test.run(std::move(next));
    CHECK(b.item().refusal == nullptr);
}

TEST_CASE("a process that was silent for too long starts a new session, and its visits "
          "are stale") {
    SharedTest test;
    test.crawl.lease = 300ms;
    RedisFrontier& one = test.join_crawl({"http://h/a"});
    SharedVisit stale = test.get(one);
    {
        // The whole loop stops, as if the process did, for longer than its lease by the
        // clock of the crawl, which other calls advance.
        EventLoop other;
        RedisFrontier two(other, {}, {}, test.crawl);
        stage3::run_until_complete(other, two.open(tests::urls_of({"http://h/a"})));
        auto a = stage3::run_until_complete(other, two.get());
        CHECK(a.item().url == url_of("http://h/a"));
        done(std::move(a), {"http://h/b"});
        stage3::run_until_complete(other, two.close());
    }
    done(std::move(stale), {"http://h/never"});
    done(test.get(one));
    test.join(one);
    test.close_all();
    const auto records = test.records();
    CHECK(records.size() == 2);
    CHECK(records.contains("http://h/b"));
    CHECK_FALSE(records.contains("http://h/never"));
}

TEST_CASE("links go from one server to another, and all servers notice the end") {
    SharedTest test(3);
    RedisFrontier& one = test.join_crawl({"http://h0/"});
    RedisFrontier& two = test.join_crawl({"http://h0/"});
    std::set<std::string> seen;
    done(test.get(one), {"http://h1/", "http://h2/", "http://h3/", "http://h4/"});
    for (int i = 0; i < 4; ++i) {
        SharedVisit visit = test.get(i % 2 == 0 ? one : two);
        CHECK(seen.insert(std::string(visit.item().url.href())).second);
        done(std::move(visit), {"http://h0/", "http://h1/x"});
    }
    done(test.get(one));
    test.join(one);
    test.join(two);
    test.close_all();
    const auto records = test.records();
    CHECK(records.size() == 6);
    CHECK(test.results->urls().find(url_of("http://h1/x"))->times_met == 4);
    std::size_t pages = 0;
    const stage3::KnownUrls& urls = test.results->urls();
    urls.for_each_mention(*urls.find(url_of("http://h1/x")),
                          [&pages](auto, const auto&) { ++pages; });
    CHECK(pages == 4);
    CHECK(test.results->state().stage == stage3::SharedState::Stage::complete);
}

TEST_CASE("a process with other settings may not take part and changes nothing") {
    SharedTest test(2);
    test.join_crawl({"http://h/a"});
    SUBCASE("another setting differs") {
        test.crawl.agreed = "another setting";
        CHECK_THROWS_WITH_AS(test.join_crawl({}),
                             "the crawl 'test' was begun with other settings: with a "
                             "setting, where this is another setting; give the same, or "
                             "another --crawl",
                             CantTakePart);
    }
    SUBCASE("the servers are in another order") {
        std::swap(test.crawl.servers[0], test.crawl.servers[1]);
        CHECK_THROWS_WITH_AS(test.join_crawl({}), doctest::Contains("server 2 of 2"),
                             CantTakePart);
    }
}

TEST_CASE("a crawl ends if Redis comes back without its data") {
    SharedTest test;
    RedisFrontier& frontier = test.join_crawl({"http://h/a"});
    SharedVisit a = test.get(frontier);
    test.servers[0].kill();
    test.servers[0].start(); // without its data
    done(std::move(a));
    CHECK_THROWS_WITH_AS(test.join(frontier),
                         doctest::Contains("the crawl 'test' is gone: it was removed"),
                         std::runtime_error);
}

TEST_CASE("an answer that took longer than a lease hands out nothing") {
    SharedTest test;
    test.crawl.lease = 600ms;
    RedisFrontier& frontier = test.join_crawl({"http://h/a", "http://h/b"});
    SharedVisit a = test.get(frontier);
    const std::string session = "{test}:session:" + frontier.session_id();
    const long long last = test.say({"HGET", session, "seq"}).number();
    test.servers[0].freeze();
    auto getting = create_task(test.loop, frontier.get());
    done(std::move(a)); // the next call waits in the kernel, and Redis is stopped
    test.wait(1s);
    test.servers[0].thaw();
    const SharedVisit b = test.run(std::move(getting));
    CHECK(b.item().url == url_of("http://h/b"));
    // It was handed out by that call, given back, and handed out again.
    const std::string held = "{test}:held:" + frontier.session_id();
    CHECK(std::stoll(test.say({"HGET", held, "http://h/b"}).text) > last + 1);
}

TEST_CASE("an item that has waited for longer than a lease is given back, not fetched") {
    SharedTest test;
    test.crawl.lease = 3s;
    RedisFrontier& frontier = test.join_crawl({"http://h/a"});
    const std::string session = "{test}:session:" + frontier.session_id();
    CHECK(test.wait_until([&] { // its first call has ended
        return test.say({"HGET", session, "seq"}).number() >= 1;
    }));
    test.servers[0].freeze();
    auto getting = create_task(test.loop, frontier.get());
    test.wait(100ms);
    getting.cancel(); // while its call is under way
    test.servers[0].thaw();
    const std::string held = "{test}:held:" + frontier.session_id();
    std::string before;
    CHECK(test.wait_until([&] { // the item waits in the frontier
        before = test.say({"HGET", held, "http://h/a"}).text;
        return !before.empty();
    }));
    test.wait(4s);
    const SharedVisit late = test.get(frontier);
    const std::string after = test.say({"HGET", held, "http://h/a"}).text;
    CHECK_FALSE(after.empty());
    CHECK(after != before); // it was handed out by another call
}

TEST_CASE("if the stored rules of a robots.txt can't be read, nothing is allowed") {
    SharedTest test;
    test.obey_robots = true;
    test.robots.try_emplace("http://h", test.loop)
        .first->second.set_result(answer("User-agent: *\nDisallow: /no\n"));
    RedisFrontier& one = test.join_crawl({"http://h/no", "http://h/yes"});
    const SharedVisit known = test.get(one); // so robots.txt has been asked for
    RedisFrontier& two = test.join_crawl({"http://h/no", "http://h/yes"});
    std::string why;
    SUBCASE("the key is gone") {
        test.say({"DEL", "{test}:rules"});
        why = "what the robots.txt of h:80 says is gone";
    }
    SUBCASE("the key holds something else") {
        test.say({"DEL", "{test}:rules"});
        test.say({"SET", "{test}:rules", "User-agent: *"});
        why = "WRONGTYPE";
    }
    auto getting = create_task(test.loop, two.get());
    CHECK_THROWS_WITH(test.join(two), doctest::Contains(why.c_str()));
    CHECK_FALSE(getting.done());
    getting.cancel(); // before its frontier is gone
    test.wait(10ms);
}

TEST_CASE(
    "after a day, robots.txt is asked for again, and if that fails, the old rules stay "
    "in force") {
    SharedTest test;
    test.obey_robots = true;
    test.robots.try_emplace("http://h", test.loop)
        .first->second.set_result(answer("User-agent: *\nDisallow: /old\n"));
    RedisFrontier& frontier = test.join_crawl({"http://h/1"});
    SharedVisit first = test.get(frontier);
    test.robots.erase("http://h");
    const Future<RobotsCache::Answer>& again =
        test.robots.try_emplace("http://h", test.loop).first->second;
    std::string forbidden = "/old";
    SUBCASE("there is an answer") {
        again.set_result(answer("User-agent: *\nDisallow: /new\n"));
        forbidden = "/new";
    }
    SUBCASE("there is none") {
        again.set_exception_quietly(std::make_exception_ptr(
            FetchError(FetchError::Kind::network, "connection refused", 0)));
    }
    SUBCASE("the server can't say now") {
        again.set_result(std::make_shared<const RobotsAnswer>(
            RobotsAnswer{.rules = Robots::allow_nothing(),
                         .reason = "robots.txt: HTTP status 503",
                         .cannot_say = true}));
    }
    test.say({"HINCRBY", "{test}:meta", "clock", "90000000000"}); // 25 hours
    done(std::move(first), {"http://h/old", "http://h/new"});
    for (int i = 0; i < 2; ++i) {
        SharedVisit visit = test.get(frontier);
        CAPTURE(visit.item().url.href());
        CHECK((visit.item().refusal != nullptr)
              == (visit.item().url.target() == forbidden));
        done(std::move(visit));
    }
    CHECK(test.asked["http://h"] == 2);
}

TEST_CASE(
    "a URL that may kill its process is fetched while nothing else is held, from any "
    "server") {
    SharedTest test(2);
    const std::vector<std::string> hosts = one_host_per_server();
    RedisFrontier& frontier =
        test.join_crawl({hosts[0], hosts[1], hosts[1] + "a", hosts[1] + "b"});
    std::map<std::string, SharedVisit> visits;
    for (int i = 0; i < 4; ++i) {
        SharedVisit visit = test.get(frontier);
        const std::string url(visit.item().url.href());
        visits.emplace(url, std::move(visit));
    }
    visits.at(hosts[0]).put_off(60s);
    REQUIRE(test.wait_until(
        [&] { return test.say({"ZCARD", "{test}:parked"}).number() == 1; }));
    std::string item = test.say({"ZRANGE", "{test}:parked", "0", "0"}).items.at(0).text;
    test.say({"ZREM", "{test}:parked", item});
    item.replace(item.find(" 1 0 0 -"), 8, " 1 0 2 -"); // as if two processes had died
    test.say({"ZADD", "{test}:suspects", "0", item});
    CHECK_FALSE(test.has_one(frontier)); // which says that this process is on trial
    visits.erase(hosts[1] + "a");        // and goes back
    CHECK_FALSE(test.has_one(frontier));
    visits.erase(hosts[1] + "b");
    CHECK_FALSE(test.has_one(frontier));
    done(std::move(visits.at(hosts[1])));
    SharedVisit suspect = test.get(frontier);
    CHECK(suspect.item().url == url_of(hosts[0]));
    CHECK_FALSE(test.has_one(frontier));
    done(std::move(suspect));
    CHECK(test.has_one(frontier, 30s));
}

TEST_CASE("a URL that was given up is tried again if that's wanted, and reported again") {
    SharedTest test(2);
    const std::string root = one_host_per_server()[1]; // given up on the second server
    const std::string host = root.substr(7, root.size() - 8) + ":80";
    RedisFrontier& one = test.join_crawl({root});
    done(test.get(one));
    test.join(one);
    CHECK(test.run(one.may_report()));
    // As the script would leave it.
    const std::string id =
        test.say({"XRANGE", "{test}:records", "-", "+"}, 1).items.at(0).items.at(0).text;
    test.say({"HSET", "{test}:given_up", root,
              id + " " + host + " " + root + " 0 10 0 0 2 - fa"},
             1);
    test.say({"HSET", "{test}:meta", "given_up", "1", "dead", "1"}, 1);
    test.crawl.retry_given_up = true;
    RedisFrontier& two = test.join_crawl({root});
    CHECK(test.notes
          == std::vector<std::string>{
              "the crawl 'test' has given up 1 URL, which is tried again, alone"});
    CHECK(test.records().empty());
    done(test.get(two));
    test.join(two);
    CHECK(test.run(two.may_report()));
    CHECK(two.state().given_up == 0);
    CHECK(two.state().dead == 0);
    CHECK(test.records().size() == 1);
    test.notes.clear();
    test.join_crawl({root});
    CHECK(test.notes
          == std::vector<std::string>{"the crawl 'test' has given up nothing"});
}

TEST_CASE(
    "a server that comes back with less data is reported, and the crawl isn't complete") {
    SharedTest test(2);
    const std::vector<std::string> hosts = one_host_per_server();
    RedisFrontier& frontier = test.join_crawl({hosts[0]});
    done(test.get(frontier), {hosts[1], hosts[1] + "x"});
    SharedVisit there = test.get(frontier); // which shows that the links have arrived
    bool has_lost_some = true;
    SUBCASE("nothing is lost") { has_lost_some = false; }
    SUBCASE("the server that got the links has forgotten them") {
        test.say({"HSET", "{test}:inbox", "0", "1-0"}, 1);
    }
    SUBCASE("the server that sent the links has forgotten that") {
        test.say({"HSET", "{test}:outboxes", "1", "1-0", "sent:1", "0-0"}, 0);
    }
    done(std::move(there));
    done(test.get(frontier));
    if (has_lost_some)
        CHECK_THROWS_WITH(test.join(frontier), doctest::Contains("has lost a part"));
    else
        test.join(frontier);
}

TEST_CASE("one server under two names is detected, and nothing is written") {
    SharedTest test;
    test.crawl.servers.push_back(test.crawl.servers[0]);
    test.crawl.servers[1].host = "localhost";
    CHECK_THROWS_WITH_AS(test.join_crawl({"http://h/"}),
                         doctest::Contains("are the same server"), CantTakePart);
    CHECK(test.say({"DBSIZE"}).number() == 0);
}

TEST_CASE("without such a crawl, there is no report") {
    SharedTest test;
    CHECK_THROWS_WITH_AS(test.records(), doctest::Contains("there is no crawl 'test'"),
                         CantTakePart);
}
