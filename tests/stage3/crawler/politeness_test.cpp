// A crawl is polite to each host, and no host holds up another.
#include "tests/stage3/crawler/crawl_under_test.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <ostream> // doctest wants it
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace tests;

namespace {

/// When the fetches of each host began.
struct Arrivals {
    explicit Arrivals(Setup& setup) {
        setup.events.on_start = [this](std::string_view, const stage3::Work& work) {
            times[std::string(work.url.authority())].push_back(Clock::now());
        };
    }
    const std::vector<Clock::time_point>& of(const ScriptedServer& server) const {
        return times.at(fmt::format("127.0.0.1:{}", server.port()));
    }
    /// The shortest time between two starts, in seconds.
    double shortest(const ScriptedServer& server) const {
        const std::vector<Clock::time_point>& all = of(server);
        double result = 1e9;
        for (std::size_t i = 1; i < all.size(); ++i)
            result = std::min(result,
                              std::chrono::duration<double>(all[i] - all[i - 1]).count());
        return result;
    }
    std::map<std::string, std::vector<Clock::time_point>> times;
};

/// Gives a server `pages` pages, with links from the first. These wait until as many are
/// fetched `at_once`.
void fill(ScriptedServer& server, int pages, std::vector<std::string> more = {},
          std::size_t at_once = 1) {
    for (int i = 0; i < pages; ++i) {
        more.push_back(fmt::format("/{}", i));
        server.on(more.back(), Reply{Meet{at_once}, Pause{20ms}, html("")[0]});
    }
    server.on("/", page(more));
}

/// Nine hosts of seven pages each, all quick.
struct QuickHosts {
    QuickHosts() {
        for (ScriptedServer& server : servers) {
            server.on("/", page({"/1", "/2", "/3", "/4", "/5", "/6"}));
            for (int i = 1; i <= 6; ++i)
                server.on(fmt::format("/{}", i), page({}));
        }
    }
    /// These roots, followed by the quick hosts'.
    std::vector<std::string> roots_after(std::vector<std::string> roots) const {
        for (const ScriptedServer& server : servers)
            roots.push_back(server.url());
        return roots;
    }
    bool has(std::string_view url) const {
        return std::ranges::any_of(servers, [&](const ScriptedServer& server) {
            return url.starts_with(server.url());
        });
    }
    static constexpr int pages = 9 * 7;
    std::array<ScriptedServer, 9> servers;
};

/// Calls `on_last` with each record once all pages of the quick hosts have theirs.
void once_all_are_done(Setup& setup, const QuickHosts& quick,
                       std::function<void()> on_last) {
    setup.on_record = [&quick, on_last = std::move(on_last),
                       count = 0](const Record& record) mutable {
        if (quick.has(record.url.href()))
            ++count;
        if (count == QuickHosts::pages)
            on_last();
    };
}

/// How many records of other hosts come after the first `records` of this one.
int others_after(int records, const ScriptedServer& host, const Result& result) {
    int others = 0;
    for (const std::string& url : result.urls())
        if (url.starts_with(host.url()))
            --records;
        else if (records <= 0)
            ++others;
    return others;
}

} // namespace

TEST_CASE("a host gets no more requests at once than allowed") {
    ScriptedServer one;
    ScriptedServer two;
    fill(two, 12, {}, 3);
    fill(one, 12, {two.url("/")}, 3);
    Setup setup;
    setup.settings.workers = 20;
    setup.settings.politeness.max_per_host = 3;
    CHECK(setup.crawl(one.url()).records.size() == 26);
    CHECK(one.most_at_once() == 3);
    CHECK(two.most_at_once() == 3);
}

TEST_CASE("there is a pause between the starts of two requests to a host") {
    ScriptedServer one;
    ScriptedServer two;
    fill(two, 4);
    fill(one, 4, {two.url("/")});
    Setup setup;
    setup.settings.politeness.delay = 100ms;
    const Arrivals arrivals(setup);
    const Result result = setup.crawl(one.url());
    CHECK(result.records.size() == 10);
    CHECK(arrivals.shortest(one) >= 0.0999);
    CHECK(arrivals.shortest(two) >= 0.0999);
    CHECK(arrivals.of(two)[1] < arrivals.of(one).back()); // at the same time
    CHECK(result.progress.waiting == 0);
}

TEST_CASE("with one worker and pauses, the order is that of the queue") {
    ScriptedServer server;
    fill(server, 8);
    Setup setup;
    setup.settings.workers = 1;
    setup.settings.politeness.delay = 20ms;
    const Result result = setup.crawl(server.url());
    std::vector<std::string> expected{server.url()};
    for (int i = 0; i < 8; ++i)
        expected.push_back(server.url(fmt::format("/{}", i)));
    CHECK(result.urls() == expected);
}

TEST_CASE("a busy server is left alone for a while, and others are not") {
    ScriptedServer busy;
    ScriptedServer other;
    fill(busy, 3, {other.url("/")});
    busy.on("/0", {respond(503, "text/html", "", "Retry-After: 60\r\n"), page({})});
    fill(other, 5);
    Setup setup;
    setup.settings.workers = 1;
    Clock::duration later{};
    setup.clock = [&later] { return Clock::now() + later; };
    std::map<std::string, Clock::time_point> ended;
    const auto start = Clock::now();
    setup.on_record = [&](const Record& record) {
        ended[std::string(record.url.href())] = setup.clock();
        if (record.url.href() == other.url("/4")) // the last that needn't wait
            later = 59s;
    };
    const Result result = setup.crawl(busy.url());
    CHECK(result.progress.dead == 0);
    CHECK(result.records.size() == 10);
    CHECK(ended.at(busy.url("/0")) - start >= 60s);
    CHECK(ended.at(busy.url("/2")) - start >= 60s); // on the same host
    CHECK(ended.at(other.url("/4")) < ended.at(busy.url("/0")));
    CHECK(ended.at(other.url("/4")) < ended.at(busy.url("/2")));
}

TEST_CASE("a server that answers 429 is left alone for a while, too") {
    ScriptedServer busy;
    busy.on("/0", {respond(429, "text/html", ""), page({})});
    busy.on("/1", page({}));
    ScriptedServer other;
    other.on("/", page({}));
    Setup setup;
    setup.settings.workers = 1;
    const Result result = setup.crawl({busy.url("/0"), busy.url("/1"), other.url()});
    CHECK(result.records.size() == 3);
    CHECK(result.progress.dead == 0);
    CHECK(result.urls().front() == other.url()); // although it is the last root
}

TEST_CASE("another try waits for its host's turn like any other fetch") {
    const Reply busy = respond(503, "text/html", "");
    const auto crawl = [](std::vector<Reply> replies, const auto& configure,
                          const std::string& robots = "") {
        ScriptedServer server;
        fill(server, 6);
        server.on("/2", std::move(replies));
        if (!robots.empty())
            server.on("/robots.txt", respond(200, "text/plain", robots));
        Setup setup;
        setup.obey_robots = !robots.empty();
        setup.settings.timeout = 20s;
        configure(setup.settings);
        const Result result = setup.crawl(server.url());
        CHECK(result.ending == Ending::complete);
        CHECK(result.records.size() == 7);
        CHECK(result.progress.dead == 0);
        CHECK(result.progress.waiting == 0);
        return result[server.url("/2")].tries;
    };
    const auto delay = [](CrawlSettings& settings) { settings.politeness.delay = 50ms; };
    const auto one_at_once = [](CrawlSettings& settings) {
        settings.politeness.max_per_host = 1;
    };
    const auto nothing = [](CrawlSettings&) {};
    CHECK(crawl({busy, page({})}, delay) == 2);
    CHECK(crawl({busy, page({})}, one_at_once) == 2);
    CHECK(crawl({busy, page({})}, nothing, "User-agent: *\nCrawl-delay: 0.05") == 2);
    CHECK(crawl({Reply{Reset{}}, Reply{}, page({})}, delay) == 3);
    CHECK(crawl({respond(502, "text/html", ""), page({})}, one_at_once) == 2);
}

TEST_CASE("a server that is always busy is given up on, page by page") {
    ScriptedServer server;
    std::vector<std::string> links;
    for (int i = 0; i < 10; ++i) {
        links.push_back(fmt::format("/{}", i));
        server.on(links.back(), respond(503, "text/html", ""));
    }
    server.on("/", page(links));
    Setup setup;
    setup.settings.max_tries = 3;
    setup.settings.timeout = 30s;
    const Result result = setup.crawl(server.url());
    CHECK(result.ending == Ending::complete);
    CHECK(result.records.size() == 11);
    CHECK(result.progress.dead == 10);
    CHECK(server.requests().size() == 31);
}

// There are fewer workers than the slow host has pages: if each of these kept a worker
// while it waits, none would be left for the other hosts.
TEST_CASE("if one of ten hosts wants 60 s between requests, the others aren't held up") {
    const QuickHosts quick;
    ScriptedServer slow;
    slow.on("/robots.txt",
            respond(200, "text/plain", "User-agent: *\nCrawl-delay: 60\n"));
    slow.on("/", page({"/1", "/2", "/3", "/4"}));
    for (const char* path : {"/1", "/2", "/3", "/4"})
        slow.on(path, page({}));
    Setup setup;
    setup.obey_robots = true;
    setup.settings.workers = 3;
    Clock::duration later{};
    setup.clock = [&later] { return Clock::now() + later; };
    once_all_are_done(setup, quick, [&later] { later += 60s; });
    const Result result = setup.crawl(quick.roots_after({slow.url()}));
    CHECK(result.ending == Ending::complete);
    CHECK(result.records.size() == QuickHosts::pages + 5);
    CHECK(result.progress.dead == 0);
    CHECK(others_after(2, slow, result) == 0);
}

TEST_CASE("if one of ten hosts answers late, the others aren't held up") {
    const QuickHosts quick;
    ScriptedServer slow;
    for (const char* path : {"/", "/1", "/2"})
        slow.on(path, Reply{AwaitRelease{}, page({})[0]});
    Setup setup;
    once_all_are_done(setup, quick, [&slow] { slow.release(); });
    setup.settings.workers = 2;
    setup.settings.politeness.max_per_host = 1;
    const Result result =
        setup.crawl(quick.roots_after({slow.url("/"), slow.url("/1"), slow.url("/2")}));
    CHECK(result.ending == Ending::complete);
    CHECK(result.records.size() == QuickHosts::pages + 3);
    CHECK(result.progress.dead == 0);
    CHECK(others_after(1, slow, result) == 0);
}

// The busy host has more pages than there are workers.
TEST_CASE("if one of ten hosts has a late robots.txt, the others aren't held up") {
    const QuickHosts quick;
    ScriptedServer slow;
    slow.on("/robots.txt", Reply{AwaitRelease{}, respond(200, "text/plain", "")[0]});
    std::vector<std::string> roots;
    for (const char* path : {"/1", "/2", "/3", "/4"}) {
        slow.on(path, page({}));
        roots.push_back(slow.url(path));
    }
    Setup setup;
    setup.obey_robots = true;
    setup.settings.workers = 2;
    once_all_are_done(setup, quick, [&slow] { slow.release(); });
    const Result result = setup.crawl(quick.roots_after(roots));
    CHECK(result.ending == Ending::complete);
    CHECK(result.records.size() == QuickHosts::pages + 4);
    CHECK(result.progress.dead == 0);
    CHECK(others_after(1, slow, result) == 0);
    CHECK(slow.times_asked("/robots.txt") == 1);
}

TEST_CASE(
    "a crawl that has reached max_pages doesn't wait for URLs whose host is at a pause") {
    ScriptedServer slow;
    fill(slow, 2);
    ScriptedServer other;
    other.on("/", page({}));
    Setup setup;
    setup.settings.workers = 1;
    setup.settings.politeness.delay = 10s;
    setup.settings.max_pages = 2;
    const Result result =
        setup.crawl({slow.url(), slow.url("/0"), slow.url("/1"), other.url()});
    CHECK(result.ending == Ending::max_pages);
    CHECK(result.urls() == std::vector{slow.url(), other.url()});
    CHECK(result.seconds < 8.0);
}

TEST_CASE("a URL that is let in after max_pages is reached holds up no other") {
    ScriptedServer busy;
    busy.on("/", {respond(503, "text/html", ""), page({})});
    ScriptedServer other;
    other.on("/", page({}));
    Setup setup;
    setup.settings.workers = 1;
    setup.settings.max_pages = 2;
    setup.settings.timeout = 5s;
    const Result result =
        setup.crawl({busy.url(), busy.url("/0"), busy.url("/1"), other.url()});
    CHECK(result.ending == Ending::max_pages);
    CHECK(result.urls() == std::vector{other.url(), busy.url()});
    CHECK(result[busy.url()].tries == 2);
    CHECK(busy.requests().size() == 2);
}

TEST_CASE("a cancelled crawl leaves the URLs that wait for their host's turn") {
    ScriptedServer server;
    fill(server, 30);
    Setup setup;
    setup.settings.politeness.delay = 10s;
    setup.during = [&setup](EventLoop& loop, auto& task) {
        setup.on_record = [&loop, &task](const Record&) { // the first page's
            loop.call_later(100ms, [&task] { task.cancel(); });
        };
    };
    const Result result = setup.crawl(server.url());
    CHECK(result.ending == Ending::interrupted);
    CHECK(result.progress.waiting == 30);
    CHECK(result.seconds < 8.0);
}
