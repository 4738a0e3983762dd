// A frontier's promises: some in a test each, and all of them in random crawls, which are
// compared with a model that only counts.
//
// The variable SEEDS sets the number of random crawls, and SEED picks one of them.
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/memory_frontier.h"
#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "tests/stage3/crawler/frontier_contract.h"
#include "tests/stage3/runtime/loop_test.h"
#include "tests/support/url.h"

#include <random>

using namespace stage3;
using common::Url;
using tests::answer;
using tests::Log;
using tests::url_of;
using FrontierVisit = stage3::Visit<MemoryFrontier>;

namespace {

/// A frontier, and a robots.txt for each origin.
struct FrontierTest : tests::LoopTest, tests::RobotsOnDemand {
    explicit FrontierTest(FrontierSettings settings = {}, bool obey_robots = false)
        : RobotsOnDemand(loop),
          frontier(loop, with_robots(std::move(settings), obey_robots)) {}

    FrontierSettings with_robots(FrontierSettings settings, bool obey_robots) {
        if (obey_robots)
            settings.ask_robots = ask();
        return settings;
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
                const Work& work = visit.work();
                test.note(fmt::format("{}{} at {}", work.url.href(),
                                      work.refusal ? " (refused)" : "", test.elapsed()));
                test.out.push_back(std::move(visit));
            }(*this, is_foreign)));
    }
    /// Ends a visit whose page had these links.
    void done(FrontierVisit visit, const std::vector<std::string>& links = {}) {
        new_links = tests::done(std::move(visit), links);
    }
    /// The same, with a URL to be visited for another purpose.
    void done(FrontierVisit visit, const std::string& url, stage3::Purpose purpose) {
        Record record(visit.work().url);
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

/// For the promises that all frontiers make.
class InMemory : FrontierTest {
  public:
    explicit InMemory(FrontierSettings settings = {})
        : FrontierTest(std::move(settings)) {}

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
    const auto work = first.work();
    test.done(std::move(first));
    Record record(work.url);
    test.frontier.done(work, record, {}); // once too often, so it counts as the second
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
    CHECK(both.work().purpose == Purpose::follow);
    CHECK(both.work().depth == 1);
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
    FrontierSettings settings;
    settings.checks.foreign_delay = 1s;
    FrontierTest test(settings);
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
    FrontierSettings settings;
    settings.checks.foreign_hosts = 1;
    FrontierTest test(settings, true);
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
    FrontierSettings settings;
    settings.max_pages = 4;
    settings.checks.foreign_hosts = 2;
    FrontierTest test(settings, true);
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

TEST_CASE("the crawl's order also applies to each host's line") {
    FrontierTest test({.order = OrderName::lifo, .politeness = {.max_per_host = 1}});
    test.open({"http://h/1", "http://h/2", "http://h/3"});
    Log order;
    for (int i = 0; i < 3; ++i) {
        FrontierVisit visit = test.get();
        order.emplace_back(visit.work().url.target());
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
    FrontierTest test;
    test.frontier.set_delay("slow:80", 1s);
    test.wait(1s);
    test.open({"http://slow/1", "http://slow/2", "http://quick/1", "http://quick/2",
               "http://quick/3"});
    FrontierVisit slow = test.get();
    slow.on_request()();
    test.done(std::move(slow));
    test.wait(1s);
    CHECK(test.get().work().url == url_of("http://slow/2"));
}

TEST_CASE(
    "after max_pages, questions are withdrawn, but visits that have begun ask again") {
    int withdrawn = 0;
    FrontierTest test({.max_pages = 1, .withdraw_questions = [&] { ++withdrawn; }}, true);
    test.open({"http://h/1", "http://g/1"});
    test.says("http://h");
    FrontierVisit visit = test.get();
    CHECK(withdrawn == 1);
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
    Future<RobotsCache::Answer> known(loop);
    int asked = 0;
    Log log;
    stage3::RobotsLine line(
        loop,
        [&](const Url&) {
            ++asked;
            return known;
        },
        [&](const Work& work, const auto&) { log.emplace_back(work.url.href()); });
    for (int i = 0; i < 10; ++i)
        line.enter(QueuedWork(url_of(fmt::format("http://long/{}", i))));
    line.enter(QueuedWork(url_of("http://short/")));
    CHECK(line.size() == 11);
    known.set_result(answer(""));
    loop.call_later(10s, [&] { loop.stop(); });
    for (int turns = 0; turns < 30; ++turns) {
        loop.stop();
        loop.run_forever();
    }
    CHECK(line.size() == 0);
    CHECK(log.size() == 11);
    CHECK(std::ranges::find(log, "http://short/") - log.begin() < 5);
    CHECK(asked == 2); // once for each line, whose answer is kept
}

// ---- At random ----

namespace {

/// A random web, crawled by random workers under random limits, and checks of what must
/// hold.
class RandomCrawl {
  public:
    explicit RandomCrawl(std::uint32_t seed)
        : random_(seed), loop_(time_.options()), settings_(choose_settings()),
          frontier_(loop_, settings_) {
        const int hosts = number(1, 4);
        for (int host = 0; host < hosts; ++host) {
            // Two origins on one host.
            origins_.push_back(fmt::format("http://h{}:8080", host));
            origins_.push_back(fmt::format("https://h{}:8080", host));
        }
        const int pages = number(1, 40);
        for (int i = 0; i < pages; ++i)
            urls_.push_back(
                url_of(fmt::format("{}/{}{}", origins_[index(origins_.size())],
                                   one_in(6) ? "forbidden" : "page",
                                   std::string(index(9), 'x') + std::to_string(i))));
        for (int i = 0; i < pages; ++i)
            for (int n = number(0, 6); n > 0; --n)
                links_[urls_[static_cast<std::size_t>(i)]].push_back(
                    urls_[index(urls_.size())]);
    }

    void play() {
        stage3::run_until_complete<void>(loop_, create_task(loop_, crawl()));
        check_the_end();
        loop_.close();
    }

  private:
    using TimePoint = EventLoop::TimePoint;
    /// What the model knows about a URL, and about a host.
    struct Page {
        bool is_out = false;
        int times_done = 0;
        int tries = 0;
        std::size_t depth = 0;
        bool was_followed = false;
    };
    struct Host {
        std::size_t out = 0;
        TimePoint next_start{};
        TimePoint last_start{};
        EventLoop::Duration delay{};
    };

    int number(int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random_);
    }
    std::size_t index(std::size_t size) {
        return std::uniform_int_distribution<std::size_t>(0, size - 1)(random_);
    }
    bool one_in(int n) { return number(1, n) == 1; }
    EventLoop::Duration milliseconds(int most) {
        return std::chrono::milliseconds(number(0, most));
    }

    FrontierSettings choose_settings() {
        FrontierSettings settings;
        settings.order = static_cast<OrderName>(number(0, 2));
        if (one_in(3))
            settings.max_depth = index(4);
        if (one_in(3))
            settings.max_pages = static_cast<std::size_t>(number(1, 20));
        if (one_in(2))
            settings.politeness.max_per_host = static_cast<std::size_t>(number(1, 3));
        if (one_in(2))
            settings.politeness.delay = milliseconds(200);
        if (!one_in(3))
            settings.ask_robots = [this](const Url& url) { return ask(url); };
        return settings;
    }

    // ---- robots.txt ----

    Future<RobotsCache::Answer> ask(const Url& url) {
        const std::string origin(url.origin());
        const auto known = robots_.find(origin);
        if (known != robots_.end() && !known->second.cancelled())
            return known->second;
        Future<RobotsCache::Answer> future(loop_);
        robots_.insert_or_assign(origin, future);
        auto comes = [this, future]() mutable {
            if (future.done())
                return;
            const int what = number(0, 9);
            if (what == 0) {
                future.cancel();
            } else if (what == 1) {
                future.set_exception(std::make_exception_ptr(tests::Rain()));
                future.base().mark_retrieved();
            } else {
                const std::string delay = one_in(3) ? "crawl-delay: 0.3\n" : "";
                future.set_result(
                    answer("user-agent: *\n" + delay + "disallow: /forbidden\n"));
            }
        };
        if (one_in(3))
            comes();
        else
            loop_.call_later(milliseconds(2000), comes);
        frontier_.has_asked(stage3::host_of(url));
        Host& host = hosts_[stage3::host_of(url)];
        host.next_start = std::max(host.next_start, loop_.time() + delay_of(host));
        return future;
    }

    /// The longest pause that must be kept now. The frontier takes a robots.txt's delay
    /// when it judges the first URL by it, so the model takes it from that URL.
    EventLoop::Duration delay_of(const Host& host) const {
        return std::max(settings_.politeness.delay, host.delay);
    }

    // ---- What the workers do ----

    Coroutine<> crawl() {
        std::vector<Url> roots;
        for (int i = number(1, 3); i > 0; --i)
            roots.push_back(urls_[index(urls_.size())]);
        for (const Url& root : roots)
            pages_.try_emplace(root);
        co_await frontier_.open(roots);
        std::vector<Task<>> workers;
        for (int i = number(1, 5); i > 0; --i)
            workers.push_back(stage3::create_task(work()));
        auto cancelling = stage3::create_task(disturb(workers));
        co_await frontier_.join({});
        is_over_ = true;
        CHECK(frontier_.counts().unfinished == 0);
        CHECK(frontier_.counts().out == 0);
        cancelling.cancel();
        for (Task<>& worker : workers)
            worker.cancel();
        co_await frontier_.close();
        co_await stage3::wait(workers);
        for (const Task<>& worker : workers)
            if (worker.has_failed() && !worker.cancelled())
                worker.result();
    }

    /// Cancels a worker now and then, and starts another in its place.
    Coroutine<> disturb(std::vector<Task<>>& workers) {
        for (int times = number(0, 5); times > 0; --times) {
            co_await stage3::sleep(milliseconds(1000));
            const std::size_t one = index(workers.size());
            workers[one].cancel();
            std::vector<Task<>> ended(1, workers[one]);
            co_await stage3::wait(ended);
            workers[one] = stage3::create_task(work());
        }
    }

    Coroutine<> work() {
        while (true) {
            FrontierVisit visit = co_await frontier_.get();
            check_taken(visit.work());
            if (visit.work().refusal) {
                finish(std::move(visit));
                continue;
            }
            const stage3::AtExit left([this, url = visit.work().url] {
                pages_.at(url).is_out = false;
                --hosts_.at(stage3::host_of(url)).out;
            });
            if (one_in(20))
                co_await stage3::sleep(milliseconds(100)); // before the visit begins
            check_beginning(visit.work());
            visit.on_request()();
            co_await stage3::sleep(milliseconds(300));
            if (one_in(10))
                hold(visit.work().url);
            if (pages_.at(visit.work().url).tries < 3 && one_in(4))
                put_off(std::move(visit));
            else
                finish(std::move(visit));
        }
    }

    void put_off(FrontierVisit visit) {
        const EventLoop::Duration wait = milliseconds(1000);
        if (one_in(2))
            visit.put_off(wait);
        else
            visit.put_off_untried(wait);
    }

    void hold(const Url& url) {
        const std::string name = stage3::host_of(url);
        const auto duration = milliseconds(1000);
        frontier_.hold(name, duration);
        Host& host = hosts_[name];
        host.next_start = std::max(host.next_start, loop_.time() + duration);
    }

    void finish(FrontierVisit visit) {
        const Work& work = visit.work();
        Page& page = pages_.at(work.url);
        ++page.times_done;
        page.depth = work.depth;
        Record record(work.url);
        record.outcome = work.refusal ? Outcome::disallowed : Outcome::page;
        Found found;
        if (!work.refusal) {
            page.was_followed = work.depth < settings_.max_depth;
            std::set<Url> once(links_[work.url].begin(), links_[work.url].end());
            found.links.assign(once.begin(), once.end());
            for (const Url& link : found.links)
                if (page.was_followed)
                    pages_.try_emplace(link);
        } else {
            page.is_out = false;
        }
        visit.done(record, found);
    }

    // ---- What must hold ----

    void check_taken(const Work& work) {
        CHECK_FALSE(is_over_);
        const auto known = pages_.find(work.url);
        REQUIRE(known != pages_.end()); // it is a root, or a link on a page that is done
        Page& page = known->second;
        CHECK_FALSE(page.is_out);
        CHECK(page.times_done == 0);
        page.is_out = true;
        if (++page.tries == 1 && !is_forbidden(work))
            CHECK(++taken_ <= settings_.max_pages);
        CHECK(is_refused(work) == (work.refusal != nullptr));
        if (work.refusal)
            return;
        Host& host = hosts_[stage3::host_of(work.url)];
        if (const auto wish = wish_of(work))
            host.delay = *wish;
        CHECK(++host.out <= settings_.politeness.max_per_host);
        CHECK(loop_.time() >= host.next_start);
    }

    void check_beginning(const Work& work) {
        Host& host = hosts_.at(stage3::host_of(work.url));
        // Only our own delay: a robots.txt may have come while this visit was out.
        CHECK(loop_.time() - host.last_start >= settings_.politeness.delay);
        host.last_start = loop_.time();
        host.next_start = std::max(host.next_start, loop_.time() + delay_of(host));
    }

    bool is_forbidden(const Work& work) const {
        return work.refusal && work.refusal->failure == nullptr;
    }
    bool is_refused(const Work& work) const {
        if (!settings_.ask_robots)
            return false;
        const auto& says = robots_.at(std::string(work.url.origin()));
        REQUIRE(says.done());
        return says.has_failed() || !says.result()->rules.allows(work.url.target());
    }
    std::optional<EventLoop::Duration> wish_of(const Work& work) const {
        if (!settings_.ask_robots)
            return {};
        const auto& says = robots_.at(std::string(work.url.origin()));
        const auto wish = says.result()->rules.crawl_delay();
        if (!wish)
            return {};
        return std::chrono::ceil<EventLoop::Duration>(*wish);
    }

    void check_the_end() {
        if (frontier_.counts().has_left_some) {
            CHECK(taken_ == settings_.max_pages);
            return;
        }
        for (const auto& [url, page] : pages_) {
            CAPTURE(url);
            CHECK(page.times_done == 1);
        }
    }

    std::mt19937 random_;
    tests::VirtualTime time_;
    EventLoop loop_;
    std::vector<std::string> origins_;
    std::vector<Url> urls_;
    std::map<Url, std::vector<Url>> links_;
    std::map<std::string, Future<RobotsCache::Answer>> robots_;
    FrontierSettings settings_;
    MemoryFrontier frontier_;
    std::map<Url, Page> pages_; // that must come out, or have come out
    std::map<std::string, Host> hosts_;
    std::size_t taken_ = 0;
    bool is_over_ = false;
};

std::uint32_t from_environment(const char* name, std::uint32_t otherwise) {
    const char* const value = std::getenv(name);
    return value != nullptr ? static_cast<std::uint32_t>(std::stoul(value)) : otherwise;
}

} // namespace

TEST_CASE("random crawls keep all of the frontier's promises") {
    const bool one = std::getenv("SEED") != nullptr;
    const std::uint32_t first = from_environment("SEED", std::random_device{}());
    const std::uint32_t many = one ? 1 : from_environment("SEEDS", 300);
    for (std::uint32_t seed = first; seed != first + many; ++seed) {
        CAPTURE(seed);
        RandomCrawl(seed).play();
    }
}
