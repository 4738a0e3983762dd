// What a URL that is tried again does to others, and what doesn't count as a try.
// box_test's oracle judges which failures are tried again, and how often.
#include "tests/stage3/crawler/crawl_in_box.h"

using namespace tests;

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
    setup.settings.retries.max_tries = 1;
    const Result result = crawl();
    CHECK(result[server.url()].outcome == Outcome::page);
    CHECK(result[server.url()].tries == 1);
    CHECK(server.begins() == Times{0ms, 100ms, 200ms});
    REQUIRE(result.notes.size() == 1);
    CHECK(result.notes[0].find("ulimit -n") != std::string::npos);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a lack of descriptors doesn't count as a try foreign, either") {
    box::Server foreign(web);
    foreign.on("/x", {box::fail(box::Fault::reset), box::fail(box::Fault::no_descriptor),
                      box::page({})});
    server.on("/", box::page({foreign.url("/x")}));
    setup.settings.checks.foreign = true; // which is asked twice at most
    const Result result = crawl();
    CHECK(result[foreign.url("/x")].outcome == Outcome::file);
    CHECK(result[foreign.url("/x")].tries == 2);
    const Times begins = foreign.begins();
    REQUIRE(begins.size() == 3);
    CHECK(begins[2] - begins[1] < 2s);
}
