// A crawl is polite to each host, and no host holds up another.
#include "tests/stage3/crawler/crawl_in_box.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <list>
#include <ostream> // doctest wants it
#include <string>
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
