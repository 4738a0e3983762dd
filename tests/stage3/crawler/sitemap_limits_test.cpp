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
            limits.total_bytes = 3 * (server.url("/a0").size() + server.url("/0").size());
        else
            limits.total_urls = 3;
        const Result result = site.crawl();
        CHECK(result.urls().size() == 4);
        REQUIRE(result.left_out.size() == 2);
        CHECK(result.left_out[0].links == 1);
        CHECK(result.left_out[0].example == server.url("/1"));
        CHECK(result.left_out[1].links == 8);
        CHECK(says(result, "too many sitemaps"));
        CHECK(std::ranges::count(site.server.requests(), "/2", &Request::target) == 0);
    }
}
