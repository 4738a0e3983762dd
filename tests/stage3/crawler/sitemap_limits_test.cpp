// How much of sitemaps is read, and how long a crawl waits for them.
#include "tests/stage3/crawler/crawl_under_test.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace tests;

namespace {

Reply list_of(const std::vector<std::string>& urls) {
    std::string text;
    for (const std::string& url : urls)
        text += url + '\n';
    return respond(200, "text/plain", text);
}

bool says(const Result& result, std::string_view what) {
    return std::ranges::any_of(result.notes, [what](const std::string& note) {
        return note.find(what) != std::string::npos;
    });
}

/// A server whose robots.txt names the sitemaps /0 to /9.
struct WithSitemaps {
    ScriptedServer server;
    Setup setup;

    WithSitemaps() {
        std::string robots;
        for (int i = 0; i < 10; ++i)
            robots += fmt::format("Sitemap: /{}\n", i);
        server.on("/robots.txt", respond(200, "text/plain", robots));
        server.on("/", page({}));
        setup.settings.sitemaps.of_roots = true;
    }
    Result crawl() { return setup.crawl(server.url()); }
};

} // namespace

TEST_CASE("there is a limit on what all sitemaps list together") {
    for (const bool by_bytes : {false, true}) {
        WithSitemaps site;
        const ScriptedServer& server = site.server;
        for (int i = 0; i < 10; ++i)
            site.server.on(fmt::format("/{}", i),
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

TEST_CASE("a crawl doesn't wait for sitemaps of servers that fail") {
    WithSitemaps site;
    site.setup.settings.max_tries = 2;
    site.setup.settings.timeout = 20s;
    site.server.on("/0", respond(503, "text/plain", "", "Retry-After: 1\r\n"));
    for (int i = 1; i < 10; ++i)
        site.server.on(fmt::format("/{}", i),
                       respond(503, "text/plain", "", "Retry-After: 50\r\n"));
    const Result result = site.crawl();
    CHECK(result.ending == Ending::complete);
    CHECK(site.server.times_asked("/0") == 2);
    CHECK(site.server.times_asked("/1") == 1);
    CHECK(site.server.times_asked("/2") == 1);
    CHECK(site.server.times_asked("/3") == 0);
    CHECK(says(result, "/2: HTTP status 503"));
    CHECK(says(result, "/3: left out are sitemaps of servers that failed 3 times"));
    REQUIRE(result.left_out.size() == 2);
    CHECK(result.left_out[1].links == 7);
}

TEST_CASE("a failure between sitemaps that can be read is no reason to give up") {
    WithSitemaps site;
    site.setup.settings.max_tries = 1;
    const Reply busy = respond(503, "text/plain", "");
    for (int i = 0; i < 10; ++i)
        site.server.on(fmt::format("/{}", i),
                       i % 3 == 2 ? list_of({site.server.url("/a")}) : busy);
    CHECK(site.crawl().left_out.size() == 1);
    CHECK(site.server.times_asked("/9") == 1);
}

TEST_CASE(
    "servers that only a sitemap names get one try, and few sitemaps are read there") {
    ScriptedServer server;
    std::string robots;
    for (int i = 0; i <= 1000; ++i)
        robots += fmt::format("Sitemap: http://127.1.{}.{}:{}/{}\n", i / 250, 1 + i % 250,
                              server.port(), i);
    server.on("/robots.txt", {respond(200, "text/plain", robots), Reply{Reset{}}});
    server.on("/", page({}));
    Setup setup;
    setup.settings.sitemaps.of_roots = true;
    setup.settings.max_tries = 2;
    int tries = 0;
    setup.events.on_start = [&tries](std::string_view worker, const stage3::Work&) {
        tries += worker == "sitemaps" ? 1 : 0;
    };
    const Result result = setup.crawl(server.url());
    CHECK(
        says(result, "/1000: left out are sitemaps out of scope beyond the first 1000"));
    CHECK(says(result, "/3: left out are sitemaps of servers that failed 3 times"));
    CHECK(tries == 3);
}

TEST_CASE("a redirect to a server that fails is no success") {
    WithSitemaps site;
    site.setup.settings.max_tries = 2;
    for (int i = 0; i < 10; ++i)
        site.server.on(fmt::format("/{}", i), redirect_to("/busy"));
    site.server.on("/busy", respond(503, "text/plain", "", "Retry-After: 1\r\n"));
    const Result result = site.crawl();
    CHECK(site.server.times_asked("/busy") == 4);
}
