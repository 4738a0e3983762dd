// How often a guest asks. box_test's oracle judges the pauses of each crawl; here is what
// they are worth.
#include "stage3_queue_crawler/crawler/guest_pace.h"
#include "tests/stage3/crawler/crawl_in_box.h"
#include "tests/support/box/pace.h"

using stage3::GuestPace;
using namespace tests;

namespace {

/// A pace, and a time.
struct GuestPaceTest {
    /// So many requests, of which each is answered after `time`.
    void answers(int count, GuestPace::Duration time = 20ms) {
        for (int i = 0; i < count; ++i) {
            pace.begin(now);
            now += time;
            pace.answered(now);
            pace.end(now);
            now += pace.pause();
        }
    }
    /// A request that ends without an answer, or with a complaint.
    void complains() {
        pace.begin(now);
        pace.end(now);
    }

    GuestPace pace;
    GuestPace::TimePoint now{1h};
};

} // namespace

TEST_CASE_FIXTURE(GuestPaceTest, "each answer makes the pause a fifth shorter") {
    CHECK(pace.pause() == 1s);
    answers(1);
    CHECK(pace.pause() == 800ms);
    answers(1);
    CHECK(pace.pause() == 640ms);
    answers(100);
    CHECK(pace.pause() == 100ms);
}

TEST_CASE_FIXTURE(GuestPaceTest,
                  "a pause is as long as the last answer took, up to 1 s") {
    answers(100, 300ms);
    CHECK(pace.pause() == 300ms);
    answers(1, 5s);
    CHECK(pace.pause() == 1s);
    answers(100);
    CHECK(pace.pause() == 100ms);
}

TEST_CASE_FIXTURE(GuestPaceTest, "one complaint, and the pause is a second for good") {
    CHECK_FALSE(pace.was_hasty());
    answers(5);
    CHECK(pace.was_hasty());
    complains();
    CHECK(pace.was_hasty()); // so it's asked once more
    CHECK(pace.pause() == 1s);
    answers(100);
    CHECK(pace.pause() == 1s);
    CHECK_FALSE(pace.was_hasty());
}

TEST_CASE_FIXTURE(GuestPaceTest, "a guest who came late wasn't hasty") {
    answers(5);
    now += 1s; // as robots.txt or the user may want
    complains();
    CHECK_FALSE(pace.was_hasty());
}

TEST_CASE("853 links to a host that doesn't mind take 1.7 minutes, not 14") {
    const box::GuestResult quick = box::measure_guest({}, 1);
    CHECK(quick.alive == 853);
    CHECK(quick.seconds == doctest::Approx(107).epsilon(0.02));
    CHECK(quick.busiest < 10);
    const box::GuestResult usual = box::measure_guest({.latency = 100ms}, 1);
    CHECK(usual.seconds == doctest::Approx(175).epsilon(0.02));
}

TEST_CASE("a slow host has half of its time for others") {
    const box::GuestResult slow = box::measure_guest({.links = 100, .latency = 700ms}, 1);
    CHECK(slow.share == doctest::Approx(0.5).epsilon(0.01));
    CHECK(slow.alive == 100);
}

TEST_CASE("a host with a limit refuses a guest once, and that link is asked again") {
    for (const int per_second : {2, 5})
        for (const int status : {429, 503, 403}) // 503 is what nginx says
            for (const int burst : {1, 10}) {
                CAPTURE(per_second);
                CAPTURE(status);
                CAPTURE(burst);
                const box::GuestResult one = box::measure_guest(
                    {.links = 200,
                     .limit = box::RateLimit{.per_second = per_second,
                                             .burst = burst,
                                             .refusal = {.status = status}}},
                    1);
                CHECK(one.alive == 200);
                CHECK(one.refusals == 1);
                CHECK(one.busiest <= per_second + 1.1 * burst / 10.0);
            }
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a guest who was refused after a full pause isn't insistent") {
    box::Server other(web);
    server.on("/", box::page({other.url("/a"), other.url("/b"), other.url("/c")}));
    other.on_each({"/b", "/c"}, box::page({}));
    setup.settings.checks.foreign = true;
    SUBCASE("at once") {
        other.on("/a", box::respond(429, "text/html", ""));
        const Result result = crawl();
        CHECK(result[other.url("/a")].outcome == Outcome::unclear);
        CHECK(other.times_asked("/a") == 1);
    }
    SUBCASE("again") {
        other.on("/b", box::respond(429, "text/html", ""));
        other.on("/a", box::page({}));
        const Result result = crawl();
        CHECK(result[other.url("/b")].outcome == Outcome::unclear);
        CHECK(result[other.url("/b")].tries == 1);
        CHECK(other.times_asked("/b") == 2);
    }
    CHECK(other.times_asked("/c") == 1);
    CHECK(other.shortest_pause() >= 800ms);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a guest keeps the pause that the user or robots.txt wants") {
    box::Server other(web);
    std::vector<std::string> links;
    for (int i = 0; i < 10; ++i)
        links.push_back(other.url("/" + std::to_string(i)));
    server.on("/", box::page(links));
    setup.settings.checks.foreign = true;
    SUBCASE("--external-delay") {
        setup.settings.checks.foreign_delay = 1s;
        crawl();
        CHECK(other.shortest_pause() == 1s);
    }
    SUBCASE("--delay") {
        setup.settings.frontier.politeness.delay = 600ms;
        crawl();
        CHECK(other.shortest_pause() == 600ms);
    }
    SUBCASE("Crawl-delay") {
        setup.obey_robots = true;
        other.on("/robots.txt", box::robots("User-agent: *\nCrawl-delay: 0.7\n"));
        crawl();
        CHECK(other.shortest_pause() >= 700ms);
        CHECK(other.requests().size() >= 10);
    }
}
