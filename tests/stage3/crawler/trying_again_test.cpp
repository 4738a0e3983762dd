// Which failures are tried again, how often, and when.
#include "tests/stage3/crawler/crawl_in_box.h"

using namespace tests;

TEST_CASE_FIXTURE(SiteInBox,
                  "a connection that breaks twice and then works gives one record") {
    server.on(
        "/", {box::fail(box::Fault::reset), box::fail(box::Fault::reset), box::page({})});
    const Result result = crawl();
    CHECK(result.records.size() == 1);
    CHECK(result[server.url()].outcome == Outcome::page);
    CHECK(result[server.url()].tries == 3);
    const Times begins = server.begins();
    REQUIRE(begins.size() == 3); // after waits of at least 0.25 s and 0.5 s
    CHECK(begins[1] - begins[0] >= 255ms);
    CHECK(begins[1] - begins[0] <= 380ms);
    CHECK(begins[2] - begins[1] >= 505ms);
    CHECK(begins[2] - begins[1] <= 755ms);
    CHECK(result[server.url()].seconds == doctest::Approx(result.seconds));
}

TEST_CASE_FIXTURE(SiteInBox, "a server in trouble is asked again, up to a limit") {
    server.on("/", box::page({"/once", "/ever"}));
    server.on("/once", {box::respond(503, "text/html", "no"), box::page({})});
    server.on("/ever", box::respond(502, "text/html", "no"));
    setup.settings.max_tries = 2;
    const Result result = crawl();
    CHECK(result[server.url("/once")].outcome == Outcome::page);
    CHECK(result[server.url("/once")].tries == 2);
    CHECK(result[server.url("/ever")].outcome == Outcome::error);
    CHECK(result[server.url("/ever")].status == 502);
    CHECK(result[server.url("/ever")].tries == 2);
    CHECK(server.times_asked("/ever") == 2);
}

TEST_CASE_FIXTURE(SiteInBox, "a URL that waits for another try holds up no worker") {
    std::vector<std::string> links;
    for (int i = 0; i < 10; ++i) {
        links.push_back(fmt::format("/{}", i));
        server.on(links.back(), {box::fail(box::Fault::reset), box::page({})});
    }
    links.emplace_back("/last");
    server.on("/", box::page(links));
    server.on("/last", box::page({}));
    setup.settings.workers = 1;
    const Result result = crawl();
    CHECK(result.records.size() == 12);
    CHECK(result.records[1].url == server.url("/last"));
    CHECK(server.begins("/last") == Times{55ms});
}

TEST_CASE_FIXTURE(
    SiteInBox,
    "a fetch that finds no free descriptor waits, and that doesn't count as a try") {
    const box::Reply none = box::fail(box::Fault::no_descriptor);
    server.on("/", {none, none, box::page({})});
    setup.settings.max_tries = 1;
    const Result result = crawl();
    CHECK(result[server.url()].outcome == Outcome::page);
    CHECK(result[server.url()].tries == 1);
    CHECK(server.begins() == Times{0ms, 100ms, 200ms});
    REQUIRE(result.notes.size() == 1);
    CHECK(result.notes[0].find("ulimit -n") != std::string::npos);
}
