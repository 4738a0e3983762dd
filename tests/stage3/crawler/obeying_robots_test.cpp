// How the crawler fetches and obeys robots.txt. robots_test.cpp tests how it is read.
#include "tests/stage3/crawler/crawl_under_test.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstddef>
#include <ostream> // doctest wants it
#include <string>
#include <string_view>
#include <vector>

using namespace tests;

namespace {

Reply robots(std::string_view text) { return respond(200, "text/plain", text); }

Setup obedient() {
    Setup setup;
    setup.obey_robots = true;
    return setup;
}

} // namespace

TEST_CASE("a URL that robots.txt disallows is recorded and not fetched") {
    ScriptedServer server;
    server.on("/robots.txt", robots("User-agent: *\nDisallow: /a\nAllow: /ab\n"));
    server.on("/", page({"/a", "/ab", "/b"}));
    for (const char* path : {"/a", "/ab", "/b"})
        server.on(path, page({"/a"}));
    const Result result = obedient().crawl(server.url());
    CHECK(result[server.url("/a")].outcome == Outcome::disallowed);
    CHECK(result[server.url("/a")].error == "disallowed by robots.txt");
    CHECK(result[server.url("/a")].status == 0);
    CHECK(server.times_asked("/a") == 0);
    CHECK(result.records.size() == 4); // there is none for robots.txt itself
    CHECK(result.progress.dead == 0);
    CHECK(result.progress.fetched == 3);
    CHECK(server.requests().at(0).target == "/robots.txt");
    CHECK(result.notes.empty());
}

TEST_CASE("robots.txt is asked for once, however many URLs need it") {
    ScriptedServer one;
    ScriptedServer two;
    std::vector<std::string> links;
    for (int i = 0; i < 20; ++i) {
        links.push_back(two.url(fmt::format("/{}", i)));
        two.on(fmt::format("/{}", i), page({}));
    }
    one.on("/", page(links));
    two.on("/robots.txt", Reply{Pause{100ms}, robots("")[0]});
    const Result result = obedient().crawl(one.url());
    CHECK(result.progress.dead == 0);
    CHECK(two.times_asked("/robots.txt") == 1);
    CHECK(one.times_asked("/robots.txt") == 1);
}

TEST_CASE("the rules for our own name in robots.txt count") {
    ScriptedServer server;
    server.on("/robots.txt", robots("User-agent: practice\nDisallow: /b\n"
                                    "User-agent: *\nDisallow: /a\n"));
    server.on("/", page({"/a", "/b"}));
    Setup setup = obedient();
    setup.settings.session.user_agent = "Practice/2.0 (+http://h/)";
    const Result result = setup.crawl(server.url());
    CHECK(result[server.url("/a")].status == 404);
    CHECK(result[server.url("/b")].outcome == Outcome::disallowed);
}

TEST_CASE("without a robots.txt everything is allowed; if it fails, nothing is") {
    ScriptedServer server;
    server.on("/", page({}));
    Setup setup = obedient();
    setup.settings.max_tries = 1;
    for (const int status : {400, 401, 403, 404, 410, 429}) {
        server.on("/robots.txt", respond(status, "text/html", "Disallow: /"));
        CHECK(setup.crawl(server.url())[server.url()].outcome == Outcome::page);
    }
    for (const int status : {500, 503}) {
        server.on("/robots.txt", respond(status, "text/html", ""));
        const Result result = setup.crawl(server.url());
        CHECK(result[server.url()].outcome == Outcome::disallowed);
        const std::string why = fmt::format("robots.txt: HTTP status {}", status);
        CHECK(result[server.url()].error == why);
        CHECK(result.notes == std::vector{server.url() + ": " + why});
    }
}

TEST_CASE("a brief failure passes for robots.txt as it does for a page") {
    for (const int status : {429, 502, 503, 504}) {
        ScriptedServer server;
        server.on("/", page({"/private/a"}));
        server.on("/robots.txt", {respond(status, "text/html", ""),
                                  robots("User-agent: *\nDisallow: /private")});
        Setup setup = obedient();
        setup.settings.max_tries = 2;
        const Result result = setup.crawl(server.url());
        CHECK(result[server.url()].outcome == Outcome::page);
        CHECK(result[server.url("/private/a")].outcome == Outcome::disallowed);
        CHECK(server.times_asked("/robots.txt") == 2);
    }
}

TEST_CASE("robots.txt isn't waited for if its server asks for a day") {
    ScriptedServer server;
    server.on("/", page({}));
    server.on("/robots.txt", respond(503, "text/html", "", "Retry-After: 86400\r\n"));
    CHECK(obedient().crawl(server.url())[server.url()].outcome == Outcome::disallowed);
    CHECK(server.times_asked("/robots.txt") == 1);
}

TEST_CASE("if no server answers for robots.txt, the page fails as it would on its own") {
    Setup setup = obedient();
    setup.settings.max_tries = 2;
    const Result result = setup.crawl("http://127.0.0.1:1/");
    CHECK(result["http://127.0.0.1:1/"].outcome == Outcome::failed);
    CHECK(result["http://127.0.0.1:1/"].error == "connection refused");
    CHECK(result["http://127.0.0.1:1/"].tries == 2);
}

TEST_CASE("robots.txt is asked for again after a failure") {
    ScriptedServer server;
    server.on("/robots.txt", {Reply{Reset{}}, robots("User-agent: *\nDisallow: /a")});
    server.on("/", page({"/a"}));
    const Result result = obedient().crawl(server.url());
    CHECK(result[server.url()].outcome == Outcome::page);
    CHECK(result[server.url()].tries == 1);
    CHECK(result[server.url("/a")].outcome == Outcome::disallowed);
    CHECK(server.times_asked("/robots.txt") == 2);
}

TEST_CASE("robots.txt may redirect five times, even to another host, and no more") {
    ScriptedServer server;
    ScriptedServer other;
    other.on("/rules", robots("User-agent: *\nDisallow: /"));
    server.on("/", page({}));
    server.on("/robots.txt", redirect_to("/1"));
    for (int i = 1; i < 4; ++i)
        server.on(fmt::format("/{}", i), redirect_to(fmt::format("/{}", i + 1)));
    server.on("/4", redirect_to(other.url("/rules")));
    CHECK(obedient().crawl(server.url())[server.url()].outcome == Outcome::disallowed);
    server.on("/4", redirect_to("/5"));
    server.on("/5", redirect_to(other.url("/rules")));
    CHECK(obedient().crawl(server.url())[server.url()].outcome == Outcome::page);
    server.on("/4", redirect_to("mailto:x"));
    CHECK(obedient().crawl(server.url())[server.url()].outcome == Outcome::page);
}

TEST_CASE(
    "a large robots.txt is read up to its own limit, whatever the limit for pages") {
    ScriptedServer server;
    server.on("/robots.txt",
              robots("User-agent: *\nDisallow: /a\n" + std::string(1'000'000, '#')));
    server.on("/", page({"/a"}));
    Setup setup = obedient();
    setup.settings.session.max_body = 1000;
    CHECK(setup.crawl(server.url())[server.url("/a")].outcome == Outcome::disallowed);
}

TEST_CASE("if robots.txt is too large, the line that the limit cuts doesn't count") {
    ScriptedServer server;
    const std::string rule = "\nDisallow: /";
    std::string text = "User-agent: *\nDisallow: /b\n#";
    text += std::string(stage3::Robots::max_size - text.size() - rule.size(), '#');
    server.on("/robots.txt", robots(text + rule + "private"));
    server.on("/", page({"/b"}));
    const Result result = obedient().crawl(server.url());
    CHECK(result[server.url()].outcome == Outcome::page);
    CHECK(result[server.url("/b")].outcome == Outcome::disallowed);
}

TEST_CASE("a robots.txt whose redirect leads nowhere counts as missing") {
    ScriptedServer server;
    server.on("/", page({}));
    server.on("/rules", robots("User-agent: *\nDisallow: /"));
    const std::size_t crawls = 4;
    for (const Reply& reply :
         {respond(301, "text/html", ""), respond(302, "text/html", "", "Location: \r\n"),
          respond(300, "text/html", "", "Location: /rules\r\n"),
          respond(304, "text/html", "", "Location: /rules\r\n")}) {
        server.on("/robots.txt", reply);
        CHECK(obedient().crawl(server.url())[server.url()].outcome == Outcome::page);
    }
    CHECK(server.times_asked("/robots.txt") == crawls);
    CHECK(server.times_asked("/rules") == 0);
}

TEST_CASE("the request for robots.txt starts a pause, too") {
    ScriptedServer server;
    server.on("/robots.txt", robots(""));
    server.on("/", page({"/a"}));
    Setup setup = obedient();
    setup.settings.politeness.delay = 150ms;
    CHECK(setup.crawl(server.url()).seconds >= 0.2999);
}

TEST_CASE("the pause that robots.txt asks for is kept if it's longer than ours") {
    ScriptedServer server;
    server.on("/robots.txt", robots("User-agent: *\nCrawl-delay: 0.15\n"));
    server.on("/", page({"/a", "/b"}));
    Setup setup = obedient();
    setup.settings.politeness.delay = 10ms;
    const Result result = setup.crawl(server.url());
    CHECK(result.records.size() == 3);
    CHECK(result.seconds >= 0.2999);
}

TEST_CASE("a disallowed URL doesn't count as a fetch") {
    ScriptedServer server;
    server.on("/robots.txt", robots("User-agent: *\nDisallow: /a\n"));
    server.on("/", page({"/a1", "/a2", "/b"}));
    Setup setup = obedient();
    setup.settings.workers = 1;
    setup.settings.max_pages = 2;
    const Result result = setup.crawl(server.url());
    CHECK(result.ending == Ending::complete);
    CHECK(result.records.size() == 4);
}

TEST_CASE("a crawl that has reached max_pages doesn't wait for a robots.txt") {
    ScriptedServer server;
    server.on("/", page({}));
    ScriptedServer silent;
    silent.on("/robots.txt", {Hold{}});
    Setup setup;
    setup.obey_robots = true;
    setup.settings.max_pages = 1;
    const Result result = setup.crawl({silent.url("/1"), silent.url("/2"), server.url()});
    CHECK(result.ending == Ending::max_pages);
    CHECK(result.urls() == std::vector{server.url()});
    CHECK(result.seconds < 10.0); // its time limit is 30 s
}

TEST_CASE("a robots.txt that never comes fails every URL that waits for it") {
    ScriptedServer silent;
    silent.on("/robots.txt", {Hold{}});
    Setup setup;
    setup.obey_robots = true;
    setup.settings.max_tries = 1;
    setup.settings.session.fetch_timeout = 300ms;
    const Result result = setup.crawl({silent.url("/1"), silent.url("/2")});
    CHECK(result.ending == Ending::complete);
    for (const char* path : {"/1", "/2"}) {
        CHECK(result[silent.url(path)].outcome == Outcome::failed);
        CHECK(result[silent.url(path)].error == "timed out after 0.3 s");
    }
    CHECK(silent.requests().size() == 1);
}

TEST_CASE("a robots.txt that can't be fetched is asked for no more often than a page") {
    ScriptedServer broken;
    broken.on("/robots.txt", {Reset{}});
    std::vector<std::string> roots;
    for (int i = 0; i < 100; ++i)
        roots.push_back(broken.url(fmt::format("/{}", i)));
    Setup setup;
    setup.obey_robots = true;
    setup.settings.max_tries = 2;
    const Result result = setup.crawl(roots);
    CHECK(result.records.size() == 100);
    CHECK(result.progress.dead == 100);
    CHECK(result[roots[50]].tries == 2);
    CHECK(broken.requests().size() == 2);
}

TEST_CASE("a URL met later fails with an earlier failure of robots.txt, too") {
    ScriptedServer broken;
    broken.on("/robots.txt", {Reset{}});
    ScriptedServer good;
    good.on("/", Reply{Pause{200ms}, page({broken.url("/1"), broken.url("/2")})[0]});
    Setup setup = obedient();
    setup.settings.max_tries = 1;
    const Result result = setup.crawl({broken.url("/0"), good.url()});
    CHECK(result.progress.dead == 3);
    CHECK(broken.requests().size() == 1);
}

TEST_CASE("late robots.txt files hold up no other host, even if there are more than are "
          "fetched at once") {
    ScriptedServer late; // it has many names
    late.on("/robots.txt", Reply{AwaitRelease{}, Pause{100ms}, robots("")[0]});
    late.on("/", page({}));
    ScriptedServer quick;
    quick.on("/", page({}));
    Setup setup;
    setup.obey_robots = true;
    setup.settings.workers = 2;
    setup.settings.robots_at_once = 4;
    setup.on_record = [&](const Record& record) {
        if (record.url.href() == quick.url())
            late.release();
    };
    setup.settings.session.look_up = [](const std::string&) {
        return common::resolve("127.0.0.1", 0);
    };
    std::vector<std::string> roots;
    for (int i = 0; i < 3; ++i)
        roots.push_back(fmt::format("http://h{}.test:{}/", i, late.port()));
    roots.push_back(quick.url());
    for (int i = 3; i < 10; ++i)
        roots.push_back(fmt::format("http://h{}.test:{}/", i, late.port()));
    const Result result = setup.crawl(roots);
    CHECK(result.records.size() == 11);
    CHECK(result.records.front().url == quick.url());
    CHECK(result.progress.dead == 0);
    CHECK(late.times_asked("/robots.txt") == 10); // more, if one wasn't released
    CHECK(late.most_at_once() <= 4 + 2);
}

TEST_CASE("robots.txt files are fetched from only a limited number of origins at once") {
    const std::size_t most = CrawlSettings().robots_at_once;
    ScriptedServer server; // it has as many names as needed
    server.on("/robots.txt", Reply{Meet{most / 2}, Pause{300ms}, robots("")[0]});
    server.on("/", page({}));
    Setup setup;
    setup.obey_robots = true;
    setup.settings.workers = 1;
    setup.settings.session.look_up = [](const std::string&) {
        return common::resolve("127.0.0.1", 0);
    };
    std::vector<std::string> roots;
    for (std::size_t i = 0; i < 2 * most; ++i)
        roots.push_back(fmt::format("http://h{}.test:{}/", i, server.port()));
    const Result result = setup.crawl(roots);
    CHECK(result.records.size() == 2 * most);
    CHECK(result.progress.dead == 0);
    CHECK(server.times_asked("/robots.txt") == 2 * most);
    CHECK(server.most_at_once() >= most / 2); // the worker doesn't wait for these
    CHECK(server.most_at_once() <= most + setup.settings.workers);
}

TEST_CASE("a crawl that is cancelled while it waits for robots.txt ends") {
    ScriptedServer server;
    server.on("/robots.txt", {Hold{}});
    Setup setup = obedient();
    setup.during = [](EventLoop& loop, auto& task) {
        loop.call_later(100ms, [&task] { task.cancel(); });
    };
    CHECK(setup.crawl({server.url(), server.url("/a")}).ending == Ending::interrupted);
}
