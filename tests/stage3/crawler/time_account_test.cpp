// Crawls whose limit is known: is it the one that the account names?
#include "stage3_queue_crawler/crawler/time_account.h"
#include "tests/stage3/crawler/crawl_in_box.h"

#include <list>

using namespace tests;
using stage3::Failure;
using stage3::HostTimes;
using stage3::Limit;
using stage3::TimeAccount;
using Place = TimeAccount::Place;

namespace {

std::vector<std::string> targets(int number) {
    std::vector<std::string> all;
    for (int i = 1; i <= number; ++i)
        all.push_back(fmt::format("/{}", i));
    return all;
}

struct Accounted {
    explicit Accounted(box::Web& w) : web(w) {}

    stage3::TimeAccount::Settings account_settings() {
        stage3::TimeAccount::Settings settings;
        settings.clock = [this] { return web.time().time(); };
        settings.processor = [this] {
            return common::ProcessorTime{.thread = computed, .process = computed};
        };
        settings.processors = 8;
        settings.most_hosts = most_hosts;
        return settings;
    }

    Result crawl(const std::vector<std::string>& roots) {
        account.emplace(account_settings());
        setup.helpers.account = &*account;
        Result result = setup.crawl(roots);
        seconds = result.seconds;
        account->end();
        times = account->times(10);
        return result;
    }

    /// Each page takes so long to be read.
    void read_for(box::Time time) {
        setup.helpers.find_links = [this, time](auto... all) {
            web.time().pass(time);
            computed += time;
            return common::find_links(all...);
        };
    }

    const HostTimes& of(const std::string& host) const {
        const auto found = std::ranges::find(times.worst, host + ":80", &HostTimes::host);
        REQUIRE_MESSAGE(found != times.worst.end(), "no account of " << host);
        return *found;
    }

    box::Web& web;
    BoxedSetup setup{web};
    std::size_t most_hosts = 1000;
    std::chrono::nanoseconds computed{};
    std::optional<TimeAccount> account;
    stage3::CrawlTimes times;
    double seconds = 0; // of the crawl
};

struct OneSite : Accounted {
    OneSite() : Accounted(scripted) {}

    /// A root, and so many other pages, each of which takes so long to come.
    void wide(int how_many, box::Time latency) {
        server.on("/", box::page(targets(how_many)));
        server.on_each(targets(how_many), box::page({}).after(latency));
    }
    Result crawl() { return Accounted::crawl({server.url()}); }
    const HostTimes& site() const { return of(server.host()); }

    /// The site's main limit, for at least this share of the crawl. All of the crawl's
    /// time is the site's.
    void check(Limit limit, double share = 0.8) const {
        CHECK(site().main_limit() == limit);
        CHECK(site().limited_by(limit) >= share * seconds);
        CHECK(site().seconds() == doctest::Approx(seconds).epsilon(0.01));
    }

    box::ScriptedWeb scripted;
    box::Server server{scripted};
};

/// One server, whose line carries so many bytes a second.
class NarrowWeb final : public box::Web {
  public:
    NarrowWeb(int how_many, std::size_t bytes, double per_second)
        : body_(bytes, ' '), per_second_(per_second), links_(targets(how_many)) {}

    box::Reply answer(const box::Request& request) override {
        box::Reply reply =
            request.url.ends_with(".test/") ? box::page(links_) : box::html(body_);
        reply.until_head = 20ms;
        const auto on_line =
            std::chrono::duration_cast<box::Time>(std::chrono::duration<double>(
                static_cast<double>(reply.body.size()) / per_second_));
        const box::Time head = time().now() + reply.until_head;
        free_at_ = std::max(free_at_, head) + on_line;
        reply.until_body = free_at_ - head;
        return reply;
    }

  private:
    const std::string body_;
    const double per_second_;
    const std::vector<std::string> links_;
    box::Time free_at_{};
};

/// One server, which refuses what exceeds so many requests a second.
class LimitingWeb final : public box::Web {
  public:
    LimitingWeb(int how_many, int per_second)
        : per_second_(per_second), links_(targets(how_many)) {}

    box::Reply answer(const box::Request& request) override {
        const double now = std::chrono::duration<double>(time().now()).count();
        room_ = std::min<double>(per_second_, room_ + (now - last_) * per_second_);
        last_ = now;
        if (room_ < 1)
            return box::respond(429, "text/html", "", {"Retry-After: 1"});
        room_ -= 1;
        return request.url.ends_with(".test/") ? box::page(links_) : box::page({});
    }

  private:
    const int per_second_;
    const std::vector<std::string> links_;
    double room_ = 1;
    double last_ = 0;
};

stage3::Coroutine<> take_slowly(stage3::TimeAccount& account) {
    account.wait_for_output(true);
    co_await stage3::sleep(1s);
    account.wait_for_output(false);
}

} // namespace

// ---- The setups of exercise 18.1 ----

TEST_CASE_FIXTURE(OneSite, "one worker, and a server that is near: the worker") {
    wide(100, 5ms);
    read_for(5ms);
    setup.settings.workers = 1;
    crawl();
    check(Limit::workers);
}

TEST_CASE_FIXTURE(OneSite, "ten workers, and a server that is far: the workers") {
    wide(500, 50ms);
    read_for(100us);
    setup.settings.workers = 10;
    crawl();
    check(Limit::workers);
}

TEST_CASE_FIXTURE(OneSite, "a thousand workers: the loop's thread") {
    wide(10'000, 50ms);
    read_for(200us);
    setup.settings.workers = 1000;
    crawl();
    check(Limit::loop_thread);
}

TEST_CASE("a narrow line: bodies, which come as fast as it carries them") {
    NarrowWeb web(500, 100'000, 1e7);
    Accounted crawl(web);
    crawl.read_for(200us);
    crawl.setup.settings.workers = 100;
    crawl.crawl({"http://a.test/"});
    const HostTimes& site = crawl.of("a.test");
    CHECK(site.main_limit() == Limit::bodies);
    CHECK(site.limited_by(Limit::bodies) >= 0.8 * crawl.seconds);
    const double rate = static_cast<double>(site.bytes) / site.limited_by(Limit::bodies);
    CHECK(rate == doctest::Approx(1e7).epsilon(0.2));
}

/// What the box can't have: threads, which no simulated clock waits for. So the account
/// itself is told what would happen.
struct ParseThreads {
    /// `busy` threads read, and `computed` is the share of the loop's thread.
    Limit limit(std::size_t reading, double computed, double process = 0,
                std::size_t processors = 4) {
        EventLoop::TimePoint now{};
        common::ProcessorTime processor;
        TimeAccount::Settings settings;
        settings.clock = [&] { return now; };
        settings.processor = [&] { return processor; };
        settings.processors = processors;
        settings.parse_threads = 2;
        TimeAccount account(settings);
        TimeAccount::Host& host = account.host("h");
        account.enter(host, Place::ready);
        for (std::size_t i = 0; i < 10; ++i)
            account.enter(host, i < reading ? Place::reading_outside : Place::asking);
        for (int i = 0; i < 1000; ++i) {
            now += 10ms;
            const double nanoseconds = 10e6;
            processor.thread +=
                std::chrono::nanoseconds(static_cast<long>(nanoseconds * computed));
            processor.process +=
                std::chrono::nanoseconds(static_cast<long>(nanoseconds * process));
            account.set_gate(host,
                             i % 2 == 0 ? std::optional(Limit::delay) : std::nullopt);
        }
        account.end();
        const stage3::CrawlTimes times = account.times(1);
        CHECK(times.worst[0].seconds() == doctest::Approx(10));
        return times.worst[0].main_limit();
    }
};

TEST_CASE_FIXTURE(ParseThreads, "two threads that always read: the parse threads") {
    CHECK(limit(2, 0.5, 2.5) == Limit::parse_threads);
    CHECK(limit(10, 0.5, 2.5) == Limit::parse_threads);
    CHECK(limit(1, 0.5) == Limit::workers);
}

TEST_CASE_FIXTURE(ParseThreads, "threads enough: the loop's thread, or all processors") {
    CHECK(limit(1, 0.95) == Limit::loop_thread);
    CHECK(limit(2, 0.95) == Limit::loop_thread);
    CHECK(limit(2, 0.8, 3.8) == Limit::processors);
    CHECK(limit(2, 0.8, 1.5, 2) == Limit::processors); // others use them, too
}

// ---- Crawls whose limit is known ----

TEST_CASE_FIXTURE(OneSite, "two workers, and many pages: the workers") {
    wide(40, 200ms);
    setup.settings.workers = 2;
    crawl();
    check(Limit::workers);
    CHECK(site().waits.median().count() == doctest::Approx(0.2).epsilon(0.05));
    CHECK(site().requests == 41);
}

TEST_CASE_FIXTURE(OneSite, "more workers than pages: the answers") {
    wide(40, 2s);
    setup.settings.workers = 50;
    crawl();
    check(Limit::answers);
}

TEST_CASE_FIXTURE(OneSite, "a chain of pages, and idle workers: the answers") {
    server.on("/", box::page({"/1"}));
    for (int i = 1; i < 20; ++i)
        server.on(fmt::format("/{}", i),
                  box::page({fmt::format("/{}", i + 1)}).after(1s));
    server.on("/20", box::page({}));
    crawl();
    check(Limit::answers, 0.99);
    CHECK(site().waits.worst().count() == doctest::Approx(1));
}

TEST_CASE_FIXTURE(OneSite, "a Crawl-delay") {
    wide(10, 100ms);
    server.on("/robots.txt", box::robots("User-agent: *\nCrawl-delay: 2\n"));
    setup.obey_robots = true;
    crawl();
    check(Limit::crawl_delay);
}

TEST_CASE_FIXTURE(OneSite, "a Crawl-delay that is shorter than the answers take: the "
                           "Crawl-delay, since it lets only one request out") {
    wide(10, 5s);
    server.on("/robots.txt", box::robots("User-agent: *\nCrawl-delay: 1\n"));
    setup.obey_robots = true;
    crawl();
    check(Limit::crawl_delay);
}

TEST_CASE_FIXTURE(OneSite, "a Crawl-delay, and several requests at once") {
    wide(10, 5s);
    server.on("/robots.txt", box::robots("User-agent: *\nCrawl-delay: 2\n"));
    setup.obey_robots = true;
    setup.settings.frontier.politeness.max_per_host = 100;
    crawl();
    check(Limit::crawl_delay, 0.6); // then come the last answers
}

TEST_CASE_FIXTURE(OneSite, "the user's --delay") {
    wide(10, 100ms);
    setup.settings.frontier.politeness.delay = 1s;
    crawl();
    check(Limit::delay);
}

TEST_CASE_FIXTURE(OneSite,
                  "a --delay that is shorter than one worker takes: the worker") {
    wide(20, 1s);
    setup.settings.frontier.politeness.delay = 10ms;
    setup.settings.workers = 1;
    crawl();
    check(Limit::workers);
}

TEST_CASE_FIXTURE(OneSite, "--max-per-host") {
    wide(40, 200ms);
    setup.settings.frontier.politeness.max_per_host = 2;
    setup.settings.workers = 20;
    crawl();
    check(Limit::max_per_host);
}

TEST_CASE_FIXTURE(OneSite,
                  "a --max-per-host of more than there are workers: the workers") {
    wide(40, 200ms);
    setup.settings.frontier.politeness.max_per_host = 5;
    setup.settings.workers = 1;
    crawl();
    check(Limit::workers);
}

TEST_CASE("a server that refuses what is too fast: its limit") {
    LimitingWeb web(100, 5);
    Accounted crawl(web);
    crawl.setup.settings.workers = 10;
    crawl.crawl({"http://a.test/"});
    const HostTimes& site = crawl.of("a.test");
    CHECK(site.main_limit() == Limit::refusals);
    CHECK(site.limited_by(Limit::refusals) >= 0.8 * crawl.seconds);
    CHECK(site.refusals > 0);
}

TEST_CASE_FIXTURE(OneSite, "one page, and a Retry-After: the server's limit") {
    server.on("/",
              {box::respond(503, "text/html", "", {"Retry-After: 30"}), box::page({})});
    crawl();
    check(Limit::refusals, 0.95);
    CHECK(site().refusals == 1);
    CHECK(site().requests == 2);
}

TEST_CASE_FIXTURE(OneSite, "connections that break: the pauses before other tries") {
    server.on("/", {box::fail(box::Fault::reset), box::fail(box::Fault::reset),
                    box::fail(box::Fault::reset), box::page({})});
    crawl();
    check(Limit::retries, 0.9);
    CHECK(site().failures_of(Failure::broken) == 3);
}

TEST_CASE_FIXTURE(OneSite, "nothing listens: the pauses before other tries") {
    server.on("/", box::fail(box::Fault::unreachable));
    crawl();
    check(Limit::retries, 0.9);
    CHECK(site().failures_of(Failure::no_connection) == 4);
    CHECK(site().waits.worst().count() == 0);
}

TEST_CASE_FIXTURE(OneSite, "a server that never answers: its answers") {
    server.on("/", box::fail(box::Fault::silence));
    crawl();
    check(Limit::answers, 0.9);
    CHECK(site().failures_of(Failure::timed_out) == 4);
}

TEST_CASE_FIXTURE(OneSite, "what comes isn't HTTP: that is counted apart") {
    server.on("/", box::fail(box::Fault::garbage));
    crawl();
    CHECK(site().failures_of(Failure::not_http) == 1);
}

TEST_CASE_FIXTURE(OneSite, "no descriptor is left for a while") {
    server.on("/", box::page({"/slow", "/1"}));
    server.on("/slow", box::page({}).after(1s)); // returns its own
    std::vector<box::Reply> replies(20, box::fail(box::Fault::no_descriptor));
    replies.push_back(box::page({}));
    server.on("/1", replies);
    crawl();
    CHECK(site().limited_by(Limit::descriptors) == doctest::Approx(1).epsilon(0.1));
    CHECK(site().failures_of(Failure::no_descriptor) == 20);
}

TEST_CASE_FIXTURE(OneSite, "a robots.txt that takes long") {
    wide(5, 5ms);
    server.on("/robots.txt", box::robots("").after(20s));
    setup.obey_robots = true;
    crawl();
    check(Limit::robots);
}

TEST_CASE_FIXTURE(OneSite,
                  "a robots.txt that can't be had: the pauses before other tries") {
    server.on("/robots.txt", box::fail(box::Fault::unreachable));
    setup.obey_robots = true;
    crawl();
    check(Limit::retries, 0.9);
}

TEST_CASE_FIXTURE(OneSite, "bodies that trickle, one after another") {
    server.on("/", box::page({"/1"}).over(5s));
    server.on("/1", box::page({}).over(5s));
    crawl();
    check(Limit::bodies, 0.95);
}

TEST_CASE_FIXTURE(OneSite,
                  "pages that take long to read, one after another: this machine") {
    server.on("/", box::page({"/1"}));
    for (int i = 1; i < 20; ++i)
        server.on(fmt::format("/{}", i), box::page({fmt::format("/{}", i + 1)}));
    read_for(1s);
    crawl();
    check(Limit::loop_thread, 0.9);
}

TEST_CASE_FIXTURE(OneSite, "results that are not taken") {
    wide(20, 5ms);
    setup.settings.workers = 2;
    setup.events.until_ready = [this] { return take_slowly(*account); };
    crawl();
    CHECK(site().main_limit() == Limit::output);
}

// ---- Several hosts ----

TEST_CASE_FIXTURE(OneSite, "a foreign host with many links: the pauses for it") {
    box::Server other(scripted);
    std::vector<std::string> root_links;
    for (const std::string& target : targets(10)) {
        root_links.push_back(other.url(target));
        other.on(target, box::page({}));
    }
    server.on("/", box::page(root_links));
    setup.settings.checks.foreign = true;
    crawl();
    CHECK(of(other.host()).main_limit() == Limit::foreign_pause);
    CHECK(of(other.host()).limited_by(Limit::foreign_pause) >= 0.9 * seconds);
    CHECK(times.worst[0].host == other.host() + ":80");
}

TEST_CASE_FIXTURE(OneSite, "a foreign host whose answers take longer than the pauses") {
    box::Server other(scripted);
    server.on("/", box::page({other.url("/1"), other.url("/2"), other.url("/3")}));
    other.on_each({"/1", "/2", "/3"}, box::page({}).after(10s));
    setup.settings.checks.foreign = true;
    crawl();
    CHECK(of(other.host()).main_limit() == Limit::one_by_one);
    CHECK(of(other.host()).limited_by(Limit::one_by_one)
          == doctest::Approx(20).epsilon(0.1));
}

TEST_CASE_FIXTURE(OneSite, "what foreign workers do keeps no other worker busy") {
    std::list<box::Server> others;
    std::vector<std::string> root_links = targets(40);
    for (int i = 0; i < 9; ++i)
        root_links.push_back(others.emplace_back(scripted).url()); // and they are silent
    for (box::Server& other : others)
        other.on("/", box::fail(box::Fault::silence));
    server.on("/", box::page(root_links));
    server.on_each(targets(40), box::page({}).over(1s));
    setup.settings.checks.foreign = true;
    setup.settings.workers = 2;
    crawl();
    CHECK(site().main_limit() == Limit::bodies);
    CHECK(site().limited_by(Limit::bodies) >= 0.9 * site().seconds());
}

TEST_CASE_FIXTURE(OneSite, "more foreign hosts than may be asked at once") {
    std::list<box::Server> others;
    std::vector<std::string> root_links;
    for (int i = 0; i < 8; ++i) {
        others.emplace_back(scripted).on("/", box::page({}).after(5s));
        root_links.push_back(others.back().url());
    }
    server.on("/", box::page(root_links));
    setup.settings.checks.foreign = true;
    setup.settings.checks.foreign_hosts = 1;
    crawl();
    const HostTimes& worst = times.worst[0];
    CHECK(worst.main_limit() == Limit::foreign_hosts);
    CHECK(worst.limited_by(Limit::foreign_hosts) == doctest::Approx(35).epsilon(0.02));
}

TEST_CASE_FIXTURE(OneSite, "of several hosts, the slow one comes first, with its limit") {
    box::Server slow(scripted);
    wide(20, 50ms);
    slow.on("/", box::page(targets(3)));
    slow.on_each(targets(3), box::page({}).after(10s));
    setup.settings.frontier.politeness.max_per_host = 1;
    Accounted::crawl({server.url(), slow.url()});
    CHECK(times.worst.size() == 2);
    CHECK(times.worst[0].host == slow.host() + ":80");
    CHECK(of(slow.host()).main_limit() == Limit::max_per_host);
    CHECK(of(slow.host()).seconds() == doctest::Approx(30).epsilon(0.01));
    CHECK(site().seconds() == doctest::Approx(1).epsilon(0.1));
}

TEST_CASE_FIXTURE(OneSite, "hosts whose workers another one has: the workers") {
    box::Server slow(scripted);
    wide(20, 5ms);
    slow.on_each(targets(6), box::page({}).after(10s));
    setup.settings.workers = 2;
    std::vector<std::string> roots;
    for (const std::string& target : targets(6))
        roots.push_back(slow.url(target));
    roots.push_back(server.url());
    Accounted::crawl(roots);
    CHECK(site().main_limit() == Limit::workers);
    CHECK(site().limited_by(Limit::workers) >= 29);
    CHECK(of(slow.host()).main_limit() == Limit::workers);
}

TEST_CASE_FIXTURE(OneSite, "a redirect to another host, and a HEAD and then a GET: each "
                           "request is its host's") {
    box::Server other(scripted);
    server.on("/", box::page({other.url()}));
    server.on("/a", box::redirect_to(other.url("/b")));
    other.on("/", box::page({}));
    other.on_head("/", {box::respond(405, "text/html", "")});
    other.on("/b", box::page({}));
    setup.settings.checks.foreign = true;
    Accounted::crawl({server.url(), server.url("/a")});
    CHECK(site().requests == 2);
    CHECK(of(other.host()).requests == 3);
    CHECK(of(other.host()).main_limit() == Limit::foreign_pause);
}

TEST_CASE_FIXTURE(OneSite,
                  "of more hosts than it may know, the others share an account") {
    std::list<box::Server> others;
    std::vector<std::string> root_links;
    for (int i = 0; i < 50; ++i) {
        others.emplace_back(scripted).on("/", box::page({}).after(1s));
        root_links.push_back(others.back().url());
    }
    server.on("/", box::page(root_links));
    setup.settings.checks.foreign = true;
    most_hosts = 20;
    crawl();
    CHECK(times.worst.size() == 10);
    CHECK(times.other_hosts == 11); // one of them is all that had no room
    std::size_t requests = times.others.requests;
    for (const HostTimes& host : times.worst)
        requests += host.requests;
    CHECK(requests == 51);
}

// ---- Crawls that end early, or are none ----

TEST_CASE_FIXTURE(OneSite, "a crawl that is cut short: what held it up until then") {
    wide(40, 100ms);
    setup.settings.frontier.politeness.delay = 1s;
    SUBCASE("by its time limit") { setup.settings.timeout = 5500ms; }
    SUBCASE("by Ctrl-C") {
        setup.during = [](EventLoop& loop, stage3::Task<Ending>& task) {
            loop.call_later(5500ms, [task]() mutable { task.cancel(); });
        };
    }
    SUBCASE("by max_pages") { setup.settings.frontier.max_pages = 6; }
    crawl();
    check(Limit::delay);
    CHECK(seconds == doctest::Approx(5.3).epsilon(0.06));
}

TEST_CASE_FIXTURE(OneSite, "no host is asked: there is no account of one") {
    setup.excluded.emplace_back(".");
    crawl();
    CHECK(times.worst.empty());
    CHECK(times.other_hosts == 0);
}

TEST_CASE_FIXTURE(OneSite, "only robots.txt is asked for, and it is refused") {
    server.on("/robots.txt", box::respond(429, "text/plain", "", {"Retry-After: 10"}));
    setup.obey_robots = true;
    crawl();
    CHECK(site().refusals == site().requests);
    check(Limit::refusals, 0.99);
}

TEST_CASE_FIXTURE(OneSite, "one URL: one request, and its bytes") {
    server.on("/", box::html("12345"));
    crawl();
    CHECK(site().requests == 1);
    CHECK(site().bytes == 5);
    CHECK(site().waits.worst().count() == doctest::Approx(0.005));
    CHECK(times.worst.size() == 1);
}
