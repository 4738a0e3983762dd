// No host holds up another. box_test's oracle judges how polite a crawl is to each.
#include "tests/stage3/crawler/crawl_in_box.h"

#include <list>

using namespace tests;

namespace {

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

    /// Begins with these targets of the slow host, and then come the others, of which all
    /// records come before the slow host's.
    void crawl_after(const std::vector<std::string>& targets) {
        std::vector<std::string> roots;
        for (const std::string& target : targets)
            roots.push_back(server.url(target));
        for (const box::Server& quick : all_quick)
            roots.push_back(quick.url());
        const Result result = setup.crawl(roots);
        CHECK(result.ending == Ending::complete);
        CHECK(result.progress.dead == 0);
        const std::vector<std::string> urls = result.urls();
        const auto is_slow = [this](const std::string& url) {
            return url.starts_with(server.url());
        };
        CHECK(std::ranges::find_if(urls, is_slow) - urls.begin() == 9 * 7);
        CHECK(std::ranges::count_if(urls, is_slow)
              == static_cast<std::ptrdiff_t>(urls.size()) - 9 * 7);
    }

    std::list<box::Server> all_quick;
};

} // namespace

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
    crawl_after({"/"});
    CHECK(server.requests().size() == 6);
}

TEST_CASE_FIXTURE(TenHosts,
                  "if one of ten hosts answers late, the others aren't held up") {
    server.on_each({"/", "/1", "/2"}, box::page({}).after(20s));
    setup.settings.workers = 2;
    setup.settings.frontier.politeness.max_per_host = 1;
    crawl_after({"/", "/1", "/2"});
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a URL that is let in after max_pages is reached holds up no other") {
    box::Server& busy = server;
    busy.on("/", {box::respond(503, "text/html", ""), box::page({})});
    box::Server other(web);
    other.on("/", box::page({}));
    setup.settings.workers = 1;
    setup.settings.frontier.max_pages = 2;
    const Result result =
        setup.crawl({busy.url(), busy.url("/0"), busy.url("/1"), other.url()});
    CHECK(result.ending == Ending::max_pages);
    CHECK(result.urls() == std::vector{other.url(), busy.url()});
    CHECK(result[busy.url()].tries == 2);
    CHECK(busy.requests().size() == 2);
}
