// How much of sitemaps is read, and how long a crawl waits for them.
#include "tests/stage3/crawler/crawl_in_box.h"

using namespace tests;

namespace {

box::Reply list_of(const std::vector<std::string>& urls) {
    std::string text;
    for (const std::string& url : urls)
        text += url + '\n';
    return box::respond(200, "text/plain", text);
}

bool says(const Result& result, std::string_view what) {
    return std::ranges::any_of(result.notes, [what](const std::string& note) {
        return note.find(what) != std::string::npos;
    });
}

/// A server whose robots.txt names the sitemaps /0 to /9.
struct WithSitemaps : SiteInBox {
    WithSitemaps() {
        std::string robots;
        for (int i = 0; i < 10; ++i)
            robots += fmt::format("Sitemap: /{}\n", i);
        server.on("/robots.txt", box::respond(200, "text/plain", robots));
        server.on("/", box::page({}));
        setup.settings.sitemaps.of_roots = true;
    }
};

} // namespace

TEST_CASE("there is a limit on what all sitemaps list together") {
    for (const bool by_bytes : {false, true}) {
        WithSitemaps site;
        box::Server& server = site.server;
        for (int i = 0; i < 10; ++i)
            server.on(fmt::format("/{}", i),
                      list_of({server.url(fmt::format("/a{}", i)),
                               server.url(fmt::format("/b{}", i))}));
        stage3::SitemapLimits& limits = site.setup.settings.sitemaps.limits;
        if (by_bytes)
            limits.total_bytes = // of sitemaps, and of URLs with theirs
                20 * server.url("/0").size()
                + 3 * (server.url("/a0").size() + server.url("/0").size());
        else
            limits.total_urls = 3;
        const Result result = site.crawl();
        CHECK(result.urls().size() == 4);
        REQUIRE(result.left_out.size() == 2);
        CHECK(result.left_out[0].links == 1);
        CHECK(result.left_out[0].example == server.url("/1"));
        CHECK(result.left_out[1].links == 8);
        CHECK(says(result, "in all sitemaps"));
        CHECK(server.times_asked("/2") == 0);
    }
}

TEST_CASE_FIXTURE(WithSitemaps,
                  "a crawl doesn't wait for sitemaps of servers that fail") {
    setup.settings.retries.max_tries = 2;
    for (int i = 0; i < 10; ++i)
        server.on(fmt::format("/{}", i), box::respond(503, "text/plain", ""));
    const Result result = crawl();
    CHECK(result.ending == Ending::complete);
    CHECK(server.times_asked("/0") == 2);
    CHECK(server.times_asked("/1") == 1);
    CHECK(server.times_asked("/2") == 1);
    CHECK(server.times_asked("/3") == 0);
    CHECK(says(result, "/2: HTTP status 503"));
    CHECK(says(result, "/3: left out are sitemaps of servers that failed 3 times"));
    REQUIRE(result.left_out.size() == 2);
    CHECK(result.left_out[1].links == 7);
}

TEST_CASE_FIXTURE(WithSitemaps,
                  "a failure between sitemaps that can be read is no reason to give up") {
    setup.settings.retries.max_tries = 1;
    const box::Reply busy = box::respond(503, "text/plain", "");
    for (int i = 0; i < 10; ++i)
        server.on(fmt::format("/{}", i), i % 3 == 2 ? list_of({server.url("/a")}) : busy);
    CHECK(crawl().left_out.size() == 1);
    CHECK(server.times_asked("/9") == 1);
}

TEST_CASE_FIXTURE(
    SiteInBox,
    "servers that only a sitemap names get one try, and few sitemaps are read there") {
    std::string robots;
    for (int i = 0; i <= 1000; ++i)
        robots += fmt::format("Sitemap: http://nobody{}.test/{}\n", i, i);
    server.on("/robots.txt", box::respond(200, "text/plain", robots));
    server.on("/", box::page({}));
    setup.settings.sitemaps.of_roots = true;
    setup.settings.retries.max_tries = 2;
    int tries = 0;
    setup.events.on_start = [&tries](std::string_view worker, const stage3::Item&) {
        tries += worker == "sitemaps" ? 1 : 0;
    };
    const Result result = crawl();
    CHECK(
        says(result, "/1000: left out are sitemaps out of scope beyond the first 1000"));
    CHECK(says(result, "/3: left out are sitemaps of servers that failed 3 times"));
    CHECK(tries == 3);
}

TEST_CASE_FIXTURE(WithSitemaps, "a redirect to a server that fails is no success") {
    setup.settings.retries.max_tries = 2;
    for (int i = 0; i < 10; ++i)
        server.on(fmt::format("/{}", i), box::redirect_to("/busy"));
    server.on("/busy", box::respond(503, "text/plain", ""));
    const Result result = crawl();
    CHECK(server.times_asked("/busy") == 4);
}
