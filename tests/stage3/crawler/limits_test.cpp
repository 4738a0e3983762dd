// Limits: of depth, pages and time.
#include "tests/stage3/crawler/crawl_in_box.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <vector>

using namespace tests;

TEST_CASE_FIXTURE(
    SiteInBox,
    "with a depth of 0 only the roots are fetched, and redirects don't count") {
    server.on("/", box::redirect_to("/start"));
    server.on("/start", box::page({"/1"}));
    server.on("/1", box::page({"/2"}));
    server.on("/2", box::page({}));
    setup.settings.max_depth = 0;
    Result result = crawl();
    CHECK(result.ending == Ending::complete);
    CHECK(result.urls() == std::vector{server.url("/"), server.url("/start")});
    CHECK(result[server.url("/start")].links == 1);
    CHECK(result[server.url("/start")].new_links == 1);
    setup.settings.max_depth = 1;
    CHECK(crawl().records.size() == 3);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a URL that was first met too deep is fetched when it is met nearer") {
    server.on("/", box::page({"/fast", "/slow"}));
    server.on("/fast", box::page({"/deep"}));
    server.on("/deep", box::page({"/x"})); // at depth 3
    server.on("/slow", box::page({"/x"}).after(1s));
    server.on("/x", box::page({}));
    setup.settings.max_depth = 2;
    const Result result = crawl();
    CHECK(result[server.url("/x")].depth == 2);
    CHECK(result[server.url("/x")].parent == server.url("/slow"));
}

TEST_CASE_FIXTURE(SiteInBox,
                  "as many pages are fetched as max_pages allows, and no more") {
    for (int i = 0; i < 30; ++i)
        server.on(fmt::format("/{}", i), box::page({fmt::format("/{}", 2 * i + 1),
                                                    fmt::format("/{}", 2 * i + 2)}));
    setup.settings.max_pages = 7;
    const Result result = setup.crawl(server.url("/0"));
    CHECK(result.ending == Ending::max_pages);
    CHECK(result.records.size() == 7);
    CHECK(server.requests().size() == 7);
}

TEST_CASE_FIXTURE(
    SiteInBox, "a site with exactly max_pages pages is complete, and tries don't count") {
    server.on("/", box::page({"/a"}));
    server.on("/a", {box::fail(box::Fault::reset), box::page({"/"})});
    setup.settings.max_pages = 2;
    const Result result = crawl();
    CHECK(result.ending == Ending::complete);
    CHECK(result.records.size() == 2);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a crawl ends when its time is over, whatever is under way") {
    server.on("/", box::page({"/silent", "/broken"}));
    server.on("/silent", box::fail(box::Fault::silence));
    server.on("/broken", box::fail(box::Fault::reset));
    setup.settings.timeout = 20s;
    setup.settings.max_tries = 100;
    const Result result = crawl();
    CHECK(result.ending == Ending::timed_out);
    CHECK(result.urls() == std::vector{server.url()});
    CHECK(web.time().now() == 20s);
    CHECK(server.times_asked("/broken") > 3);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a fetch that takes too long has failed, and the crawl continues") {
    server.on("/", box::page({"/silent", "/good"}));
    server.on("/silent", box::fail(box::Fault::silence));
    server.on("/good", box::page({}));
    setup.settings.session.fetch_timeout = 7s;
    setup.settings.max_tries = 2;
    const Result result = crawl();
    CHECK(result.ending == Ending::complete);
    CHECK(result[server.url("/silent")].error == "timed out after 7 s");
    CHECK(result[server.url("/silent")].tries == 2);
    CHECK(result[server.url("/good")].outcome == Outcome::page);
}
