// What isn't searched for links is alive by its head, whatever becomes of its body: see
// also tests/hostile/bodies.py, from 22g on.
#include "tests/stage3/crawler/crawl_in_box.h"

#include <map>
#include <tuple>

using namespace tests;

namespace {

/// The record of a page's only link.
Said linked(Reply reply) {
    ScriptedServer server;
    server.on("/", page({"/x"}));
    server.on("/x", std::move(reply));
    const Result result = Setup().crawl(server.url());
    CHECK(server.times_asked("/x") == 1);
    return result[server.url("/x")];
}

} // namespace

TEST_CASE("what links lead to is asked for as a page, and what belongs to a page isn't") {
    ScriptedServer server;
    server.on("/", html("<a href=/a>a</a><img src=/i><link rel=stylesheet href=/s>"
                        "<a href='//localhost:1/'>x</a><iframe src=/f></iframe>"));
    for (const char* const target : {"/a", "/i", "/f"})
        server.on(target, html(""));
    server.on("/s", respond(200, "text/css", "@import '/t'"));
    server.on("/t", respond(200, "text/css", ""));
    Setup setup;
    setup.settings.checks.assets = true;
    setup.crawl(server.url());
    std::map<std::string, bool> as_page;
    for (const auto& request : server.requests())
        as_page[request.target] = request.head.find("text/html") != std::string::npos;
    CHECK(as_page
          == std::map<std::string, bool>{{"/", true},
                                         {"/a", true},
                                         {"/f", true},
                                         {"/i", false},
                                         {"/s", false},
                                         {"/t", false}});
}

TEST_CASE("without a type, the first character that isn't blank decides") {
    const std::string document = "<a href=/y>y</a>";
    for (const std::string& blanks : {std::string(), std::string(5000, '\n')}) {
        ScriptedServer server;
        server.on("/", Reply{respond(200, "", blanks + document)});
        server.on("/y", page({}));
        const Result result = Setup().crawl(server.url());
        CHECK(result[server.url("/y")].outcome == Outcome::page);
    }
    CHECK(linked(respond(200, "", "\n no page")).outcome == Outcome::file);
    CHECK(linked(respond(200, "", "\n ")).outcome == Outcome::file);
    CHECK(linked(respond(200, "", "")).outcome == Outcome::file);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a stream is alive, although nobody knows how long it will be") {
    server.on("/", box::page({"/events", "/video"}));
    for (const auto& [target, status, type] :
         {std::tuple("/events", 200, "text/event-stream"),
          {"/video", 206, "video/mp4"}}) {
        box::Reply endless = box::respond(status, type, "xx");
        endless.has_length = false;
        endless.fault = box::Fault::stuck;
        server.on(target, endless);
    }
    const Result result = crawl();
    for (const char* const target : {"/events", "/video"}) {
        CHECK(result[server.url(target)].outcome == Outcome::file);
        CHECK(result[server.url(target)].error.empty());
        CHECK(result[server.url(target)].tries == 1);
    }
    CHECK(web.time().now() == 1'010ms); // a second, in case it's short
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a style sheet is read if it's searched, and is else a download") {
    box::Reply cut = box::respond(200, "text/css", std::string(300'000, ' '));
    cut.fault = box::Fault::cut;
    server.on("/", box::page({"/x"}));
    server.on("/x", cut);
    CHECK(crawl()[server.url("/x")].outcome == Outcome::file);
    setup.settings.checks.assets = true;
    CHECK(crawl()[server.url("/x")].outcome == Outcome::failed);
}

TEST_CASE("bytes says how much of a body has come") {
    CHECK(linked(respond(200, "application/zip", std::string(1000, 'x'))).bytes == 1000);
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n"
                             "Content-Length: 20000000\r\n\r\n";
    CHECK(linked(Reply{Send{head + "1234"}}).bytes <= 4);
}

TEST_CASE("a HEAD that fails is confirmed by a GET in the same visit") {
    const std::vector<box::Reply> replies{
        box::redirect_to("/gone"),     box::respond(304, "", ""),
        box::respond(401, "", ""),     box::respond(404, "", ""),
        box::respond(410, "", ""),     box::respond(412, "", ""),
        box::respond(502, "", ""),     box::respond(999, "", ""),
        box::fail(box::Fault::reset),  box::fail(box::Fault::garbage),
        box::fail(box::Fault::silence)};
    for (const box::Reply& to_head : replies) {
        SiteInBox test;
        test.server.on("/", box::html("<img src=/x>"));
        test.server.on_head("/x", {to_head});
        test.server.on("/x", box::respond(200, "image/png", "x"));
        test.setup.settings.checks.assets = true;
        test.setup.settings.retries.max_tries = 1;
        const Result result = test.crawl();
        const Said& said = result[test.server.url("/x")];
        CHECK(said.outcome == Outcome::file);
        CHECK(said.error.empty());
        CHECK(test.server.times_asked("/x") == 2);
    }
}

TEST_CASE(
    "after a HEAD, a server that asks for a pause gets it, if there is another try") {
    for (const int max_tries : {1, 2}) {
        SiteInBox test;
        test.server.on("/", box::html("<img src=/x>"));
        test.server.on_head("/x", {box::respond(503, "", "")});
        test.server.on("/x", box::respond(200, "image/png", "x"));
        test.setup.settings.checks.assets = true;
        test.setup.settings.retries.max_tries = max_tries;
        const Result result = test.crawl();
        const Said& said = result[test.server.url("/x")];
        CHECK(said.outcome == Outcome::file);
        CHECK(said.tries == 2);
        const Times begins = test.server.begins("/x");
        REQUIRE(begins.size() == 2);
        CHECK((begins[1] - begins[0] > 500ms) == (max_tries == 2));
    }
}
