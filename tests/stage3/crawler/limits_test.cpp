// Limits: of depth, pages and time.
#include "tests/stage3/crawler/crawl_under_test.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <vector>

using namespace tests;

TEST_CASE("with a depth of 0 only the roots are fetched, and redirects don't count") {
    ScriptedServer server;
    server.on("/", redirect_to("/start"));
    server.on("/start", page({"/1"}));
    server.on("/1", page({"/2"}));
    server.on("/2", page({}));
    Setup setup;
    setup.settings.max_depth = 0;
    Result result = setup.crawl(server.url());
    CHECK(result.ending == Ending::complete);
    CHECK(result.urls() == std::vector{server.url("/"), server.url("/start")});
    CHECK(result[server.url("/start")].links == 1);
    CHECK(result[server.url("/start")].new_links == 1);
    setup.settings.max_depth = 1;
    CHECK(setup.crawl(server.url()).records.size() == 3);
}

TEST_CASE("a URL that was first met too deep is fetched when it is met nearer") {
    ScriptedServer server;
    server.on("/", page({"/fast", "/slow"}));
    server.on("/fast", page({"/deep"}));
    server.on("/deep", page({"/x"})); // at depth 3
    server.on("/slow", Reply{Pause{200ms}, page({"/x"})[0]});
    server.on("/x", page({}));
    Setup setup;
    setup.settings.max_depth = 2;
    const Result result = setup.crawl(server.url());
    CHECK(result[server.url("/x")].depth == 2);
    CHECK(result[server.url("/x")].parent == server.url("/slow"));
}

TEST_CASE("as many pages are fetched as max_pages allows, and no more") {
    ScriptedServer server;
    for (int i = 0; i < 30; ++i)
        server.on(fmt::format("/{}", i),
                  page({fmt::format("/{}", 2 * i + 1), fmt::format("/{}", 2 * i + 2)}));
    Setup setup;
    setup.settings.max_pages = 7;
    const Result result = setup.crawl(server.url("/0"));
    CHECK(result.ending == Ending::max_pages);
    CHECK(result.records.size() == 7);
    CHECK(server.requests().size() == 7);
}

TEST_CASE("a site with exactly max_pages pages is complete, and tries don't count") {
    ScriptedServer server;
    server.on("/", page({"/a"}));
    server.on("/a", {Reply{Reset{}}, page({"/"})});
    Setup setup;
    setup.settings.max_pages = 2;
    const Result result = setup.crawl(server.url());
    CHECK(result.ending == Ending::complete);
    CHECK(result.records.size() == 2);
}

TEST_CASE("a crawl ends when its time is over, whatever is under way") {
    ScriptedServer server;
    server.on("/", page({"/silent", "/broken"}));
    server.on("/silent", {Hold{}});
    server.on("/broken", Reply{Reset{}});
    Setup setup;
    Clock::duration later{};
    setup.clock = [&later] { return Clock::now() + later; };
    setup.settings.timeout = 20s;
    setup.during = [&](EventLoop& loop, auto&) {
        setup.on_record = [&](const Record&) { // the first page's
            loop.call_later(100ms, [&later] { later = 20s; });
        };
    };
    const Result result = setup.crawl(server.url());
    CHECK(result.ending == Ending::timed_out);
    CHECK(result.urls() == std::vector{server.url()});
    CHECK(result.seconds < 20.0);
}

TEST_CASE("a fetch that takes too long has failed, and the crawl continues") {
    ScriptedServer server;
    server.on("/", page({"/silent", "/good"}));
    server.on("/silent", {Hold{}});
    server.on("/good", page({}));
    Setup setup;
    setup.settings.session.fetch_timeout = 1s; // the others must succeed
    setup.settings.max_tries = 2;
    const Result result = setup.crawl(server.url());
    CHECK(result.ending == Ending::complete);
    CHECK(result[server.url("/silent")].error == "timed out after 1 s");
    CHECK(result[server.url("/silent")].tries == 2);
    CHECK(result[server.url("/good")].outcome == Outcome::page);
}
