// What a crawl does when servers say that it's too fast: 429, or 503 with Retry-After.
// box_test's oracle judges pauses and tries; here is what the user hears, and what is
// rare.
#include "tests/stage3/crawler/crawl_in_box.h"

using namespace tests;

namespace {

/// A refusal; with `seconds`, it says when to come back.
box::Reply refuse(int status = 429, int seconds = 0) {
    std::vector<std::string> headers;
    if (seconds > 0)
        headers.push_back(fmt::format("Retry-After: {}", seconds));
    return box::respond(status, "text/html", "", headers);
}

/// So many refusals, and then this.
std::vector<box::Reply> refuse_often(int times, const box::Reply& no,
                                     const box::Reply& then) {
    std::vector<box::Reply> all(static_cast<std::size_t>(times), no);
    all.push_back(then);
    return all;
}

/// A site whose root leads to the pages /0 to /9, each of which takes 100 ms.
struct TenPages : SiteInBox {
    TenPages() {
        for (int i = 0; i < 10; ++i)
            links.push_back(fmt::format("/{}", i));
        server.on("/", box::page(links));
        server.on_each(links, box::page({}).after(100ms));
    }

    std::vector<std::string> links;
};

/// What is said about a host that asks for too long a wait.
constexpr std::string_view too_long = "its server asked to come back in 3600 s";

/// The records with this error.
std::vector<std::string> urls_with(const Result& result, std::string_view error) {
    std::vector<std::string> urls;
    for (const Said& record : result.records)
        if (record.error == error)
            urls.push_back(record.url);
    std::ranges::sort(urls);
    return urls;
}

} // namespace

// ---- One URL ----

TEST_CASE_FIXTURE(SiteInBox, "a URL that is refused twenty times is asked for no more") {
    server.on("/", box::html("<a href=/429><a href=/503><img src=/image>"));
    server.on("/429", refuse(429));
    server.on("/503", refuse(503, 1));
    server.on("/image", refuse(429));
    setup.settings.checks.assets = true;
    setup.settings.frontier.refused_timeout = 10h;
    const Result result = crawl();
    for (const char* const target : {"/429", "/image"}) {
        CHECK(result[server.url(target)].outcome == Outcome::unclear);
        CHECK(result[server.url(target)].status == 429);
        CHECK(result[server.url(target)].error == "HTTP status 429");
    }
    CHECK(result[server.url("/503")].outcome == Outcome::error);
    CHECK(result[server.url("/503")].status == 503);
    for (const char* const target : {"/429", "/503", "/image"}) {
        CHECK(server.times_asked(target) == 20);
        CHECK(result[server.url(target)].tries == 1);
    }
    CHECK(result.progress.dead == 1);
    REQUIRE(result.left_out.size() == 1);
    CHECK(result.left_out[0].why
          == "URLs of server1.test:80 are unclear: HTTP status 429");
    CHECK(result.left_out[0].links == 2);
}

// ---- How long its host is left alone ----

TEST_CASE_FIXTURE(SiteInBox,
                  "a host's waits grow, and are as long as it asks, or longer") {
    server.on("/", refuse_often(3, refuse(), box::page({})));
    CHECK(crawl().progress.dead == 0);
    const Times begins = server.begins();
    REQUIRE(begins.size() == 4);
    for (int i = 0; i < 3; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const box::Time wait = begins[at + 1] - begins[at] - 5ms;
        CHECK(wait >= 500ms * (1 << i));
        CHECK(wait <= 750ms * (1 << i));
    }
    server.on("/", {refuse(429, 10), refuse(429, 1), box::page({})});
    const box::Time start = web.time().now();
    crawl();
    const Times later = server.begins();
    CHECK(later.at(5) == start + 10'005ms);
    CHECK(later.at(6) - later[5] >= 1'005ms); // the second wait would be that at least
}

TEST_CASE_FIXTURE(TenPages, "what is under way when its host refuses ends as it would") {
    server.on("/9", refuse(429, 3600));
    setup.settings.workers = 10;
    const Result result = crawl();
    CHECK(result.progress.fetched == 10);
    CHECK(result[server.url("/9")].outcome == Outcome::unclear);
    CHECK(result[server.url("/9")].status == 429);
    CHECK(result[server.url("/9")].error == "HTTP status 429, come back in 3600 s");
}

// ---- A host that is asked nothing more ----

TEST_CASE_FIXTURE(TenPages,
                  "a host that asks for too long a wait is asked nothing more") {
    for (const int status : {429, 503}) {
        CAPTURE(status);
        const std::size_t before = server.requests().size();
        server.on("/1", refuse(status, 3600));
        box::Server other(web, "server1.test:2"); // in scope, too
        other.on("/", box::page({}).after(1s));
        setup.settings.workers = 1;
        const Result result = setup.crawl({server.url(), other.url()});
        CHECK(result.ending == Ending::complete);
        CHECK(result.records.size() == 12);
        CHECK(server.requests().size() == before + 3);
        CHECK(result[other.url()].outcome == Outcome::page);
        const Said& refused = result[server.url("/1")];
        CHECK(refused.outcome == Outcome::unclear);
        CHECK(refused.status == status);
        CHECK(refused.tries == 1);
        for (int i = 2; i < 10; ++i) {
            const Said& unasked = result[server.url(fmt::format("/{}", i))];
            CHECK(unasked.outcome == Outcome::unclear);
            CHECK(unasked.status == 0);
            CHECK(unasked.tries == 0);
            CHECK(unasked.error == too_long);
        }
        CHECK(result.progress.dead == 0);
        CHECK(
            std::ranges::count(result.notes, fmt::format("server1.test:80: {}", too_long))
            == 1);
        std::size_t left_out = 0;
        for (const stage3::LeftOut& left : result.left_out)
            left_out += left.links;
        CHECK(left_out == 9);
        const auto line = std::ranges::find(
            result.left_out,
            fmt::format("URLs of server1.test:80 are unclear: {}", too_long),
            &stage3::LeftOut::why);
        REQUIRE(line != result.left_out.end());
        CHECK(line->links == 8);
    }
}

TEST_CASE_FIXTURE(TenPages, "a host that has refused everything for too long is asked "
                            "nothing more") {
    server.on_each(links, refuse(429, 7));
    setup.settings.frontier.refused_timeout = 30s;
    const Result result = crawl();
    const box::Time answered = 5ms;
    const auto requests = server.requests();
    CHECK(requests.back().begin >= answered + 30s);
    CHECK(requests.back().begin <= answered + 40s);
    for (std::size_t i = 0; i + 1 < requests.size(); ++i)
        CHECK(*requests[i].end < answered + 30s);
    CHECK(result.records.size() == 11);
    for (const std::string& link : links)
        CHECK(result[server.url(link)].outcome == Outcome::unclear);
    const std::string_view error = "its server has refused everything for 30 s";
    CHECK(urls_with(result, error).size() >= 9);
    CHECK(std::ranges::count(
              result.notes, "server1.test:80: its server has refused everything for 30 s")
          == 1);
}

// ---- robots.txt and sitemaps ----

TEST_CASE_FIXTURE(SiteInBox, "a robots.txt that is refused twenty times forbids all") {
    server.on("/", box::page({}));
    server.on("/robots.txt", refuse(429, 1));
    setup.obey_robots = true;
    const Result result = crawl();
    CHECK(server.times_asked("/robots.txt") == 20);
    CHECK(server.times_asked("/") == 0);
    CHECK(result[server.url()].outcome == Outcome::disallowed);
    CHECK(result[server.url()].error == "robots.txt: HTTP status 429");
}

TEST_CASE_FIXTURE(SiteInBox, "a robots.txt that asks for too long a wait ends its host") {
    server.on("/robots.txt", refuse(503, 3600));
    setup.obey_robots = true;
    const Result result = setup.crawl({server.url(), server.url("/a")});
    CHECK(server.requests().size() == 1);
    for (const char* const target : {"/", "/a"}) {
        CHECK(result[server.url(target)].outcome == Outcome::unclear);
        CHECK(result[server.url(target)].error == too_long);
        CHECK(result[server.url(target)].tries == 0);
    }
    CHECK(result.notes == std::vector{fmt::format("server1.test:80: {}", too_long)});
    REQUIRE(result.left_out.size() == 1);
    CHECK(result.left_out[0].links == 2);
}

TEST_CASE_FIXTURE(SiteInBox, "the pause that a robots.txt asks for holds pages, too") {
    // The host of a robots.txt that is redirected to is another one.
    box::Server other(web, "server1.test:2");
    server.on("/robots.txt", box::redirect_to(other.url("/rules")));
    server.on("/", box::page({}));
    other.on("/rules", refuse_often(1, refuse(429, 10), box::respond(200, "", "")));
    other.on("/", box::page({"/a"}).after(1s));
    other.on("/a", box::page({}));
    setup.obey_robots = true;
    setup.crawl({server.url(), other.url()});
    CHECK(other.begins("/a") == Times{10'010ms});
}

TEST_CASE_FIXTURE(SiteInBox, "a sitemap's refusal holds its host, or ends it") {
    server.on("/robots.txt", box::respond(200, "text/plain", "Sitemap: /map"));
    server.on("/", box::page({}));
    server.on("/a", box::page({}));
    const box::Reply map = box::respond(200, "text/plain", server.url("/a"));
    server.on("/map", refuse_often(1, refuse(429, 10), map));
    setup.settings.sitemaps.of_roots = true;
    CHECK(crawl()[server.url("/a")].outcome == Outcome::page);
    CHECK(server.begins("/map") == Times{5ms, 10'010ms});
    CHECK(server.begins("/") == Times{10'015ms});

    server.on("/map", refuse(429, 3600));
    const Result result = crawl();
    CHECK(server.times_asked("/map") == 3);
    CHECK(server.times_asked("/") == 1);
    CHECK(result[server.url()].outcome == Outcome::unclear);
    CHECK(result[server.url()].error == too_long);
}

TEST_CASE_FIXTURE(SiteInBox, "a URL's last refusal holds its host as any other") {
    server.on("/", box::page({"/0", "/1"}));
    server.on("/0", refuse_often(19, refuse(429, 5), refuse(429, 50)));
    server.on("/1", box::fail(box::Fault::reset));
    setup.settings.retries.max_tries = 30; // its waits grow to a minute
    setup.settings.frontier.refused_timeout = 10h;
    const Result result = crawl();
    const Times refused = server.begins("/0");
    REQUIRE(refused.size() == 20);
    const box::Time last = refused.back() + 5ms;
    const Times others = server.begins("/1");
    CHECK(others.back() >= last + 50s);
    CHECK(std::ranges::none_of(
        others, [last](box::Time one) { return one >= last && one < last + 50s; }));
}

// ---- Other sites ----

namespace {

/// A site that links to three URLs of another one.
struct WithForeign : SiteInBox {
    WithForeign() {
        server.on("/",
                  box::page({foreign.url("/0"), foreign.url("/1"), foreign.url("/2")}));
        foreign.on_each({"/0", "/1", "/2"}, box::page({}));
        setup.settings.checks.foreign = true;
    }
    box::Server foreign{web};
};

} // namespace

TEST_CASE_FIXTURE(WithForeign,
                  "what a foreign host isn't asked is unclear, not left out") {
    foreign.on("/0", refuse(429, 3600));
    const Result result = crawl();
    CHECK(result[foreign.url("/0")].status == 429);
    for (const char* const target : {"/0", "/1", "/2"})
        CHECK(result[foreign.url(target)].outcome == Outcome::unclear);
    CHECK(urls_with(result, too_long)
          == std::vector{foreign.url("/1"), foreign.url("/2")});
    CHECK(result.left_out.empty());
    CHECK(foreign.requests().size() == 1);
}
