// How the crawler fetches and obeys robots.txt. robots_test.cpp tests how it is read, and
// box_test's oracle judges its failures and pauses.
#include "tests/stage3/crawler/crawl_in_box.h"

#include <list>

using namespace tests;

namespace {

/// A site whose robots.txt is obeyed.
struct WithRobots : SiteInBox {
    WithRobots() { setup.obey_robots = true; }
};

} // namespace

TEST_CASE_FIXTURE(WithRobots,
                  "a URL that robots.txt disallows is recorded and not fetched") {
    server.on("/robots.txt", box::robots("User-agent: *\nDisallow: /a\nAllow: /ab\n"));
    server.on("/", box::page({"/a", "/ab", "/b"}));
    for (const char* path : {"/a", "/ab", "/b"})
        server.on(path, box::page({"/a"}));
    const Result result = crawl();
    CHECK(result[server.url("/a")].outcome == Outcome::disallowed);
    CHECK(result[server.url("/a")].error == "disallowed by robots.txt");
    CHECK(result[server.url("/a")].status == 0);
    CHECK(server.times_asked("/a") == 0);
    CHECK(result.records.size() == 4); // there is none for robots.txt itself
    CHECK(result.progress.dead == 0);
    CHECK(result.progress.fetched == 3);
    CHECK(server.requests().at(0).url == server.url("/robots.txt"));
    CHECK(result.notes.empty());
}

TEST_CASE_FIXTURE(WithRobots, "the rules for our own name in robots.txt count") {
    server.on("/robots.txt", box::robots("User-agent: practice\nDisallow: /b\n"
                                         "User-agent: *\nDisallow: /a\n"));
    server.on("/", box::page({"/a", "/b"}));
    setup.settings.session.user_agent = "Practice/2.0 (+http://h/)";
    const Result result = crawl();
    CHECK(result[server.url("/a")].status == 404);
    CHECK(result[server.url("/b")].outcome == Outcome::disallowed);
}

TEST_CASE_FIXTURE(WithRobots,
                  "without a robots.txt everything is allowed; if it fails, nothing is") {
    server.on("/", box::page({}));
    setup.settings.retries.max_tries = 1;
    for (const int status : {400, 401, 403, 404, 410}) {
        server.on("/robots.txt", box::respond(status, "text/html", "Disallow: /"));
        CHECK(crawl()[server.url()].outcome == Outcome::page);
    }
    for (const int status : {429, 500, 503}) {
        server.on("/robots.txt", box::respond(status, "text/html", ""));
        const Result result = crawl();
        CHECK(result[server.url()].outcome == Outcome::disallowed);
        const std::string why = fmt::format("robots.txt: HTTP status {}", status);
        CHECK(result[server.url()].error == why);
        CHECK(result.notes == std::vector{server.url() + ": " + why});
    }
}

TEST_CASE_FIXTURE(
    WithRobots, "robots.txt may redirect five times, even to another host, and no more") {
    box::Server other(web);
    other.on("/rules", box::robots("User-agent: *\nDisallow: /"));
    server.on("/", box::page({}));
    server.on("/robots.txt", box::redirect_to("/1"));
    for (int i = 1; i < 4; ++i)
        server.on(fmt::format("/{}", i), box::redirect_to(fmt::format("/{}", i + 1)));
    server.on("/4", box::redirect_to(other.url("/rules")));
    CHECK(crawl()[server.url()].outcome == Outcome::disallowed);
    server.on("/4", box::redirect_to("/5"));
    server.on("/5", box::redirect_to(other.url("/rules")));
    CHECK(crawl()[server.url()].outcome == Outcome::page);
    server.on("/4", box::redirect_to("mailto:x"));
    CHECK(crawl()[server.url()].outcome == Outcome::page);
}

TEST_CASE_FIXTURE(
    WithRobots,
    "if robots.txt is too large, the line that the limit cuts doesn't count") {
    const std::string rule = "\nDisallow: /";
    std::string text = "User-agent: *\nDisallow: /b\n#";
    text += std::string(stage3::Robots::max_size - text.size() - rule.size(), '#');
    server.on("/robots.txt", box::robots(text + rule + "private"));
    server.on("/", box::page({"/b"}));
    const Result result = crawl();
    CHECK(result[server.url()].outcome == Outcome::page);
    CHECK(result[server.url("/b")].outcome == Outcome::disallowed);
}

TEST_CASE_FIXTURE(WithRobots,
                  "a robots.txt whose redirect leads nowhere counts as missing") {
    server.on("/", box::page({}));
    server.on("/rules", box::robots("User-agent: *\nDisallow: /"));
    const std::size_t crawls = 4;
    for (const box::Reply& reply :
         {box::respond(301, "text/html", ""),
          box::respond(302, "text/html", "", {"Location: "}),
          box::respond(300, "text/html", "", {"Location: /rules"}),
          box::respond(304, "text/html", "", {"Location: /rules"})}) {
        server.on("/robots.txt", reply);
        CHECK(crawl()[server.url()].outcome == Outcome::page);
    }
    CHECK(server.times_asked("/robots.txt") == crawls);
    CHECK(server.times_asked("/rules") == 0);
}

TEST_CASE_FIXTURE(WithRobots,
                  "a crawl that has reached max_pages doesn't wait for a robots.txt") {
    server.on("/", box::page({}));
    box::Server silent(web);
    silent.on("/robots.txt", box::fail(box::Fault::silence));
    setup.settings.frontier.max_pages = 1;
    const Result result = setup.crawl({silent.url("/1"), silent.url("/2"), server.url()});
    CHECK(result.ending == Ending::max_pages);
    CHECK(result.urls() == std::vector{server.url()});
    CHECK(web.time().now() < 1s); // its time limit is 30 s
}

TEST_CASE_FIXTURE(WithRobots, "late robots.txt files hold up no other host, even if "
                              "there are more than are fetched at once") {
    std::list<box::Server> late;
    server.on("/", box::page({}));
    setup.settings.workers = 2;
    setup.settings.robots.most_at_once = 4;
    std::vector<std::string> roots;
    for (int i = 0; i < 10; ++i) {
        late.emplace_back(web).on("/robots.txt", box::robots("").after(10s));
        late.back().on("/", box::page({}));
        roots.push_back(late.back().url());
    }
    roots.insert(roots.begin() + 3, server.url());
    const Result result = setup.crawl(roots);
    CHECK(result.records.size() == 11);
    CHECK(result.records.front().url == server.url());
    CHECK(server.begins("/").at(0) == 5ms);
    CHECK(result.progress.dead == 0);
    std::size_t at_once = 0;
    for (const box::Server& one : late)
        at_once += one.begins("/robots.txt").at(0) < 10s ? 1 : 0;
    CHECK(at_once == 4);
}

TEST_CASE_FIXTURE(WithRobots,
                  "a crawl that is cancelled while it waits for robots.txt ends") {
    server.on("/robots.txt", box::fail(box::Fault::silence));
    setup.during = [](EventLoop& loop, auto& task) {
        loop.call_later(100ms, [&task] { task.cancel(); });
    };
    CHECK(setup.crawl({server.url(), server.url("/a")}).ending == Ending::interrupted);
    CHECK(web.time().now() == 100ms);
}
