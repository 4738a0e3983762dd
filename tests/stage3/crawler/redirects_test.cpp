// Redirects: chains, circles, and targets that lead nowhere.
#include "tests/stage3/crawler/crawl_under_test.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstddef>
#include <ostream> // doctest wants it
#include <string>
#include <vector>

using namespace tests;

TEST_CASE("each redirect of a chain gets a record at its page's depth") {
    ScriptedServer server;
    server.on("/", page({"/a"}));
    server.on("/a", redirect_to("b#part", 301));
    server.on("/b", redirect_to("/c", 308));
    server.on("/c", page({"/d"}));
    server.on("/d", page({}));
    const Result result = Setup().crawl(server.url());
    CHECK(result.records.size() == 5);
    CHECK(result[server.url("/a")].outcome == Outcome::redirect);
    CHECK(result[server.url("/a")].status == 301);
    CHECK(result[server.url("/a")].next_url == server.url("/b"));
    CHECK(result[server.url("/b")].parent == server.url("/a"));
    CHECK(result[server.url("/c")].depth == 1);
    CHECK(result[server.url("/d")].depth == 2);
    CHECK(result.progress.redirects == 2);
}

TEST_CASE("a circle of redirects ends") {
    ScriptedServer server;
    server.on("/", redirect_to("/other"));
    server.on("/other", redirect_to("/", 303));
    server.on("/self", redirect_to("/self", 307));
    const Result result = Setup().crawl({server.url(), server.url("/self")});
    CHECK(result.records.size() == 3);
    CHECK(server.requests().size() == 3);
    // A redirect that closes a circle is dead.
    CHECK(result[server.url()].outcome == Outcome::redirect);
    for (const char* path : {"/other", "/self"}) {
        CHECK(result[server.url(path)].outcome == Outcome::failed);
        CHECK(result[server.url(path)].error == "redirect loop");
        CHECK(!result[server.url(path)].next_url.empty());
    }
    CHECK(result.progress.dead == 2);
}

TEST_CASE("a circle of redirects ends even if links lead to every part of it") {
    ScriptedServer server;
    server.on("/", page({"/a", "/b", "/c", "/d"}));
    server.on("/a", redirect_to("/b"));
    server.on("/b", redirect_to("/c"));
    server.on("/c", redirect_to("/a"));
    server.on("/d", redirect_to("/a")); // leads into the circle, but isn't part of it
    for (const std::size_t workers : {1U, 4U}) {
        Setup setup;
        setup.settings.workers = workers;
        const Result result = setup.crawl(server.url());
        int closed = 0;
        for (const char* path : {"/a", "/b", "/c"})
            closed += result[server.url(path)].error == "redirect loop" ? 1 : 0;
        CHECK(closed == 1);
        CHECK(result[server.url("/d")].outcome == Outcome::redirect);
        CHECK(result.progress.dead == 1);
    }
}

TEST_CASE("if two chains of redirects meet, the rest is followed once") {
    ScriptedServer server;
    server.on("/", page({"/a", "/b"}));
    server.on("/a", redirect_to("/c"));
    server.on("/b", redirect_to("/c"));
    server.on("/c", redirect_to("/d"));
    server.on("/d", page({}));
    CHECK(Setup().crawl(server.url()).records.size() == 5);
    CHECK(server.times_asked("/c") == 1);
    CHECK(server.times_asked("/d") == 1);
}

TEST_CASE("a redirect out of scope is recorded and not followed") {
    ScriptedServer server;
    const std::string elsewhere = fmt::format("http://localhost:{}/x", server.port());
    server.on("/", redirect_to(elsewhere));
    const Result result = Setup().crawl(server.url());
    CHECK(result.records.size() == 1);
    CHECK(result[server.url()].outcome == Outcome::redirect);
    CHECK(result[server.url()].next_url == elsewhere);
    CHECK(result.progress.dead == 0);
}

TEST_CASE("a redirect to another program's scheme is recorded and not followed") {
    ScriptedServer server;
    server.on("/", page({"/mail", "/app"}));
    server.on("/mail", redirect_to("mailto:a@b"));
    server.on("/app", redirect_to("itms-apps://x"));
    const Result result = Setup().crawl(server.url());
    for (const char* path : {"/mail", "/app"})
        CHECK(result[server.url(path)].outcome == Outcome::redirect);
    CHECK(result[server.url("/mail")].next_url == "mailto:a@b");
    CHECK(result.records.size() == 3);
}

TEST_CASE("a redirect to a target that no browser follows is an error") {
    const std::vector<std::string> targets{
        "about:blank",  "blob:x",    "data:,x",
        "file:///etc/", "ftp://h/x", "gopher://h/x",
        "javascript:0", "FiLe:x",    "view-source:http://127.0.0.1/"};
    ScriptedServer server;
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        paths.push_back(fmt::format("/{}", i));
        server.on(paths.back(), redirect_to(targets[i]));
    }
    server.on("/", page(paths));
    const Result result = Setup().crawl(server.url());
    for (std::size_t i = 0; i < targets.size(); ++i) {
        CAPTURE(targets[i]);
        const auto& record = result[server.url(paths[i])];
        CHECK(record.outcome == Outcome::error);
        CHECK(record.next_url == targets[i]);
    }
    CHECK(result[server.url("/7")].error
          == "redirect to file:, which no browser follows");
}

TEST_CASE("a redirect without a target is an error") {
    ScriptedServer server;
    server.on("/", page({"/none", "/empty", "/bad", "/300", "/304"}));
    server.on("/none", respond(302, "text/html", ""));
    server.on("/empty", redirect_to(" "));
    server.on("/bad", redirect_to("http://h:99999/"));
    server.on("/300", redirect_to("/hidden", 300));
    server.on("/304", redirect_to("/hidden", 304));
    const Result result = Setup().crawl(server.url());
    for (const char* path : {"/none", "/empty", "/bad"}) {
        CAPTURE(path);
        CHECK(result[server.url(path)].outcome == Outcome::error);
        CHECK(result[server.url(path)].status == 302);
        CHECK(result[server.url(path)].error.starts_with("redirect "));
    }
    CHECK(result[server.url("/none")].error == "redirect without a target");
    CHECK(result[server.url("/bad")].error
          == "redirect to what is no URL: http://h:99999/");
    CHECK(result[server.url("/300")].error == "HTTP status 300");
    CHECK(result[server.url("/304")].error
          == "HTTP status 304 (not modified) to a request without a condition");
    CHECK(server.times_asked("/hidden") == 0);
}

TEST_CASE("a chain of redirects is followed up to the limit") {
    ScriptedServer server;
    for (int i = 0; i < 9; ++i)
        server.on(fmt::format("/{}", i), redirect_to(fmt::format("/{}", i + 1)));
    Setup setup;
    setup.settings.max_redirects = 3;
    const Result result = setup.crawl(server.url("/0"));
    CHECK(result.records.size() == 4);
    CHECK(result[server.url("/2")].outcome == Outcome::redirect);
    CHECK(result[server.url("/3")].outcome == Outcome::failed);
    CHECK(result[server.url("/3")].error == "redirect limit reached");
    CHECK(result[server.url("/3")].status == 302);
    CHECK(result[server.url("/3")].next_url == server.url("/4"));
    setup.settings.max_redirects = 0;
    CHECK(setup.crawl(server.url("/0"))[server.url("/0")].outcome == Outcome::failed);
}

TEST_CASE("a link on a page that was redirected to has the whole redirect limit again") {
    ScriptedServer server;
    server.on("/", redirect_to("/1"));
    server.on("/1", redirect_to("/page"));
    server.on("/page", page({"/2"}));
    server.on("/2", redirect_to("/3"));
    server.on("/3", redirect_to("/end"));
    server.on("/end", page({}));
    Setup setup;
    setup.settings.max_redirects = 2;
    const Result result = setup.crawl(server.url());
    CHECK(result.progress.dead == 0);
    CHECK(result[server.url("/end")].outcome == Outcome::page);
}

TEST_CASE("at the redirect limit, a broken body doesn't change the error") {
    ScriptedServer server;
    server.on("/", {Send{"HTTP/1.1 302 Moved\r\nLocation: /x\r\n"
                         "Content-Length: 100\r\n\r\nabc"}});
    Setup setup;
    setup.settings.max_redirects = 0;
    const Result result = setup.crawl(server.url());
    CHECK(result[server.url()].error == "redirect limit reached");
    CHECK(result[server.url()].tries == 1);
}

TEST_CASE("the body of a redirect or of an error doesn't matter") {
    ScriptedServer server;
    server.on("/", page({"/moved", "/gone"}));
    server.on("/moved", {Send{"HTTP/1.1 302 Moved\r\nLocation: /x\r\n"
                              "Content-Length: 100\r\n\r\nabc"}});
    server.on("/gone",
              {Send{"HTTP/1.1 404 Gone\r\nContent-Length: 100\r\n\r\nabc"}, Reset{}});
    server.on("/x", page({}));
    const Result result = Setup().crawl(server.url());
    CHECK(result[server.url("/moved")].outcome == Outcome::redirect);
    CHECK(result[server.url("/gone")].outcome == Outcome::error);
    CHECK(result[server.url("/x")].outcome == Outcome::page);
    CHECK(server.times_asked("/moved") == 1);
}

TEST_CASE("a page that has nothing but a refresh out of the scope says where it leads") {
    ScriptedServer server;
    const std::string refresh =
        "<meta http-equiv=refresh content='0; url=http://elsewhere.example/'>";
    server.on("/", html(refresh + "<a href=/more>"));
    server.on("/more", html(refresh));
    const Result result = Setup().crawl(server.url());
    CHECK(result[server.url()].next_url.empty());
    CHECK(result[server.url("/more")].next_url == "http://elsewhere.example/");
    CHECK(result[server.url("/more")].outcome == Outcome::page);
}
