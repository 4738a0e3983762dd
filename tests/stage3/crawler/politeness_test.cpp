// A crawl is polite to each host, and no host holds up another.
#include "tests/stage3/crawler/crawl_in_box.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <list>
#include <ostream> // doctest wants it
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace tests;

namespace {

/// Gives a server `pages` pages, with links from the first, which has `more`, too.
void fill(box::Server& server, int pages, std::vector<std::string> more = {}) {
    for (int i = 0; i < pages; ++i) {
        more.push_back(fmt::format("/{}", i));
        server.on(more.back(), box::page({}).after(20ms));
    }
    server.on("/", box::page(more));
}

/// Nine hosts of seven pages each, all quick, and another one, which isn't.
struct TenHosts : SiteInBox {
    TenHosts() {
        for (int i = 0; i < 9; ++i) {
            box::Server& quick = all_quick.emplace_back(web);
            const std::vector<std::string> links{"/1", "/2", "/3", "/4", "/5", "/6"};
            quick.on("/", box::page(links));
            quick.on_each(links, box::page({}));
        }
    }

    /// Begins with these targets of the slow host, then come the others. At most the
    /// first `early` records of the slow host may come before all of the others.
    void crawl_after(const std::vector<std::string>& targets, std::size_t early) {
        std::vector<std::string> roots;
        for (const std::string& target : targets)
            roots.push_back(server.url(target));
        for (const box::Server& quick : all_quick)
            roots.push_back(quick.url());
        const Result result = setup.crawl(roots);
        CHECK(result.ending == Ending::complete);
        CHECK(result.progress.dead == 0);
        const auto is_slow = [this](const std::string& url) {
            return url.starts_with(server.url());
        };
        std::vector<std::string> urls = result.urls();
        const auto all_slow =
            static_cast<std::size_t>(std::ranges::count_if(urls, is_slow));
        CHECK(urls.size() == all_slow + std::size_t{9 * 7});
        urls.resize(early + std::size_t{9 * 7});
        CHECK(std::ranges::count_if(urls, is_slow) == static_cast<int>(early));
    }

    std::list<box::Server> all_quick;
};

} // namespace

TEST_CASE_FIXTURE(SiteInBox, "a host gets no more requests at once than allowed") {
    box::Server two(web, "server1.test:2"); // in scope, too
    fill(two, 12);
    fill(server, 12, {two.url()});
    setup.settings.workers = 20;
    setup.settings.politeness.max_per_host = 3;
    CHECK(crawl().records.size() == 26);
    CHECK(server.most_at_once() == 3);
    CHECK(two.most_at_once() == 3);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "there is a pause between the starts of two requests to a host") {
    box::Server two(web, "server1.test:2"); // in scope, too
    fill(two, 4);
    fill(server, 4, {two.url()});
    setup.settings.politeness.delay = 100ms;
    const Result result = crawl();
    CHECK(result.records.size() == 10);
    CHECK(server.begins() == Times{0ms, 100ms, 200ms, 300ms, 400ms});
    CHECK(two.begins() == Times{5ms, 105ms, 205ms, 305ms, 405ms});
    CHECK(result.progress.waiting == 0);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "with one worker and pauses, the order is that of the queue") {
    fill(server, 8);
    setup.settings.workers = 1;
    setup.settings.politeness.delay = 20ms;
    std::vector<std::string> expected{server.url()};
    for (int i = 0; i < 8; ++i)
        expected.push_back(server.url(fmt::format("/{}", i)));
    CHECK(crawl().urls() == expected);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a busy server is left alone for a while, and others are not") {
    box::Server other(web, "server1.test:2"); // in scope, too
    fill(server, 3, {other.url()});
    server.on("/0",
              {box::respond(503, "text/html", "", {"Retry-After: 50"}), box::page({})});
    fill(other, 5);
    setup.settings.workers = 1;
    const Result result = crawl();
    CHECK(result.progress.dead == 0);
    CHECK(result.records.size() == 10);
    for (const char* const target : {"/0", "/1", "/2"})
        CHECK(server.begins(target).back() >= 50'015ms);
    CHECK(other.begins().back() < 1s);
}

TEST_CASE("another try waits for its host's turn like any other fetch") {
    const box::Reply busy = box::respond(503, "text/html", "");
    const auto crawl = [](std::vector<box::Reply> replies, const auto& configure,
                          const std::string& robots = "") {
        SiteInBox test;
        fill(test.server, 6);
        test.server.on("/2", std::move(replies));
        test.server.on("/robots.txt", box::respond(200, "text/plain", robots));
        test.setup.obey_robots = !robots.empty();
        configure(test.setup.settings.politeness);
        const Result result = test.crawl();
        CHECK(result.ending == Ending::complete);
        CHECK(result.records.size() == 7);
        CHECK(result.progress.dead == 0);
        CHECK(result.progress.waiting == 0);
        if (test.setup.settings.politeness.max_per_host == 1)
            CHECK(test.server.most_at_once() == 1);
        else
            CHECK(test.server.shortest_pause() == (robots.empty() ? 50ms : 55ms));
        return result[test.server.url("/2")].tries;
    };
    const auto delay = [](auto& politeness) { politeness.delay = 50ms; };
    const auto one_at_once = [](auto& politeness) { politeness.max_per_host = 1; };
    const auto nothing = [](auto&) {};
    CHECK(crawl({busy, box::page({})}, delay) == 2);
    CHECK(crawl({busy, box::page({})}, one_at_once) == 2);
    CHECK(crawl({busy, box::page({})}, nothing, "User-agent: *\nCrawl-delay: 0.05") == 2);
    const box::Reply reset = box::fail(box::Fault::reset);
    CHECK(crawl({reset, reset, box::page({})}, delay) == 3);
    CHECK(crawl({box::respond(502, "text/html", ""), box::page({})}, one_at_once) == 2);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a server that is always busy is given up on, page by page") {
    fill(server, 10);
    for (int i = 0; i < 10; ++i)
        server.on(fmt::format("/{}", i), box::respond(503, "text/html", ""));
    setup.settings.max_tries = 3;
    const Result result = crawl();
    CHECK(result.ending == Ending::complete);
    CHECK(result.records.size() == 11);
    CHECK(result.progress.dead == 10);
    CHECK(server.requests().size() == 31);
}

// There are fewer workers than the slow host has pages: if each of these kept a worker
// while it waits, none would be left for the other hosts.
TEST_CASE_FIXTURE(
    TenHosts,
    "if one of ten hosts wants 60 s between requests, the others aren't held up") {
    server.on("/robots.txt",
              box::respond(200, "text/plain", "User-agent: *\nCrawl-delay: 60\n"));
    server.on("/", box::page({"/1", "/2", "/3", "/4"}));
    server.on_each({"/1", "/2", "/3", "/4"}, box::page({}));
    setup.obey_robots = true;
    setup.settings.workers = 3;
    crawl_after({"/"}, 0);
    CHECK(server.requests().size() == 6);
}

TEST_CASE_FIXTURE(TenHosts,
                  "if one of ten hosts answers late, the others aren't held up") {
    server.on_each({"/", "/1", "/2"}, box::page({}).after(20s));
    setup.settings.workers = 2;
    setup.settings.politeness.max_per_host = 1;
    crawl_after({"/", "/1", "/2"}, 0);
}

// The slow host has more pages than there are workers.
TEST_CASE_FIXTURE(
    TenHosts, "if one of ten hosts has a late robots.txt, the others aren't held up") {
    server.on("/robots.txt", box::respond(200, "text/plain", "").after(20s));
    server.on_each({"/1", "/2", "/3", "/4"}, box::page({}));
    setup.obey_robots = true;
    setup.settings.workers = 2;
    crawl_after({"/1", "/2", "/3", "/4"}, 0);
    CHECK(server.times_asked("/robots.txt") == 1);
}

TEST_CASE_FIXTURE(
    SiteInBox,
    "a crawl that has reached max_pages doesn't wait for URLs whose host is at a pause") {
    fill(server, 2);
    box::Server other(web);
    other.on("/", box::page({}));
    setup.settings.workers = 1;
    setup.settings.politeness.delay = 10s;
    setup.settings.max_pages = 2;
    const box::Server& slow = server;
    const Result result =
        setup.crawl({slow.url(), slow.url("/0"), slow.url("/1"), other.url()});
    CHECK(result.ending == Ending::max_pages);
    CHECK(result.urls() == std::vector{slow.url(), other.url()});
    CHECK(web.time().now() == 10ms);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a URL that is let in after max_pages is reached holds up no other") {
    box::Server& busy = server;
    busy.on("/", {box::respond(503, "text/html", ""), box::page({})});
    box::Server other(web);
    other.on("/", box::page({}));
    setup.settings.workers = 1;
    setup.settings.max_pages = 2;
    const Result result =
        setup.crawl({busy.url(), busy.url("/0"), busy.url("/1"), other.url()});
    CHECK(result.ending == Ending::max_pages);
    CHECK(result.urls() == std::vector{other.url(), busy.url()});
    CHECK(result[busy.url()].tries == 2);
    CHECK(busy.requests().size() == 2);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a cancelled crawl leaves the URLs that wait for their host's turn") {
    fill(server, 30);
    setup.settings.politeness.delay = 10s;
    setup.during = [](EventLoop& loop, auto& task) {
        loop.call_later(1s, [&task] { task.cancel(); });
    };
    const Result result = crawl();
    CHECK(result.ending == Ending::interrupted);
    CHECK(result.progress.waiting == 30);
    CHECK(web.time().now() == 1s);
}
