// A crawl of a scripted server, which also makes the mistakes that it is told to make.
#include "tests/stage3/crawler/crawl_in_box.h"

using namespace tests;

TEST_CASE("a crawl fetches every page once and ends") {
    ScriptedServer server;
    server.on("/", page({"/a", "/b", "/a#part", "b", "/"})); // one page twice, and itself
    server.on("/a", page({"/b", "/c"}));
    server.on("/b", page({"/"})); // a cycle
    server.on("/c", page({"/gone", "http://elsewhere.example/", "mailto:a@b"}));
    const Result result = Setup().crawl(server.url());
    CHECK(result.ending == Ending::complete);
    CHECK(result.records.size() == 5);
    CHECK(server.requests().size() == 5);
    CHECK(result[server.url("/")].links == 3);
    CHECK(result[server.url("/")].new_links == 2);
    CHECK(result[server.url("/")].parent.empty());
    CHECK(result[server.url("/c")].parent == server.url("/a"));
    CHECK(result[server.url("/c")].depth == 2);
    CHECK(result[server.url("/c")].content_type == "text/html");
    CHECK(result[server.url("/gone")].outcome == Outcome::error);
    CHECK(result[server.url("/gone")].status == 404);
    CHECK(result[server.url("/gone")].error == "HTTP status 404");
    CHECK(result[server.url("/gone")].tries == 1);
    CHECK(result.progress.fetched == 4);
    CHECK(result.progress.dead == 1);
    CHECK(result.progress.in_flight == 0);
    CHECK(result.progress.waiting == 0);
    CHECK(result.notes.empty());
}

TEST_CASE(
    "every status from 200 to 299 is alive, and a number that HTTP lacks is an error") {
    ScriptedServer server;
    server.on("/", page({"/202", "/203", "/204", "/206", "/299", "/999"}));
    server.on("/203", respond(203, "text/html", "<a href=/found>"));
    server.on("/204",
              {Send{"HTTP/1.1 204 No Content\r\nContent-Type: text/html\r\n\r\n"}});
    for (const int status : {202, 206, 299, 999})
        server.on(fmt::format("/{}", status), respond(status, "text/plain", "text"));
    server.on("/found", page({}));
    const Result result = Setup().crawl(server.url());
    CHECK(result[server.url("/203")].outcome == Outcome::page);
    CHECK(result[server.url("/found")].outcome == Outcome::page);
    for (const char* const path : {"/202", "/204", "/206", "/299"}) {
        CAPTURE(path);
        CHECK(result[server.url(path)].outcome == Outcome::file);
        CHECK(result[server.url(path)].error.empty());
    }
    CHECK(result[server.url("/204")].bytes == 0);
    CHECK(result[server.url("/999")].outcome == Outcome::error);
    CHECK(result[server.url("/999")].error == "HTTP status 999, which HTTP doesn't have");
    CHECK(result.progress.dead == 1);
}

TEST_CASE_FIXTURE(SiteInBox, "a wall that keeps programs out says nothing of the page") {
    const std::vector<std::pair<int, std::string>> walls{
        {403, "cf-mitigated: challenge"},
        {503, "CF-Mitigated: challenge"},
        {503, "cf-chl-bypass: 1"},
        {202, "x-amzn-waf-action: challenge"},
        {405, "x-amzn-waf-action: captcha"}};
    std::vector<std::string> links{"/no-wall", "/passed"};
    for (const auto& [status, header] : walls) {
        const std::string path = fmt::format("/{}{}", status, links.size());
        links.push_back(path);
        server.on(path, box::respond(status, "text/html", "<a href=/puzzle>", {header}));
    }
    server.on("/no-wall", box::respond(403, "text/html", ""));
    server.on("/passed", box::respond(200, "text/html", "", {"cf-mitigated: no"}));
    server.on("/", box::page(links));
    const Result result = crawl();
    CHECK(result[server.url("/no-wall")].outcome == Outcome::error);
    CHECK(result[server.url("/passed")].outcome == Outcome::page);
    CHECK(result.records.size() == 8); // not the puzzle
    for (std::size_t i = 2; i < links.size(); ++i) {
        const Said& said = result[server.url(links[i])];
        CHECK(said.outcome == Outcome::unclear);
        CHECK(said.error
              == fmt::format("HTTP status {}, from a wall that keeps programs out",
                             said.status));
        CHECK(server.times_asked(links[i]) == 1); // it would be there again
    }
}

TEST_CASE_FIXTURE(SiteInBox, "a link that isn't a URL is dead, and no server is asked") {
    server.on("/", box::page({"/b", "http://a b/", "htpp://c/", "http://no/"}));
    server.on("/b", box::page({"http://a b/#c", "http://d:e/"}));
    setup.excluded.emplace_back("^http://d:");
    const Result result = crawl();
    CHECK(result.records.size() == 4);
    const Said& dead = result["http://a b/"];
    CHECK(dead.outcome == Outcome::failed);
    CHECK(dead.error == "not a URL: its host contains a blank");
    CHECK(dead.parent == server.url("/"));
    CHECK(dead.depth == 1);
    CHECK(result["htpp://c/"].outcome == Outcome::unclear);
    CHECK(result.progress.dead == 1);
    CHECK(result.left_out.empty()); // nobody could say more
}

TEST_CASE_FIXTURE(SiteInBox,
                  "as many pages are fetched at once as there are workers, and no more") {
    std::vector<std::string> links;
    for (int i = 0; i < 30; ++i)
        links.push_back(fmt::format("/{}", i));
    server.on("/", box::page(links));
    server.on_each(links, box::page({}));
    setup.settings.workers = 7;
    CHECK(crawl().records.size() == 31);
    CHECK(server.most_at_once() == 7);
}

TEST_CASE("a response that isn't a page counts as a file and isn't read") {
    ScriptedServer server;
    server.on("/", page({"/text", "/untyped", "/malformed", "/xml"}));
    server.on("/text", respond(200, "text/plain; charset=x", "<a href=/hidden>"));
    server.on("/malformed", respond(200, "text html;charset=utf-8", "<a href=/hidden>"));
    server.on("/untyped", {Send{"HTTP/1.0 200 OK\r\n\r\n<a href=/found>"}});
    server.on("/found", page({}));
    server.on("/xml", respond(200, "application/xhtml+xml; charset=\"UTF-8\"",
                              "<html xmlns='http://www.w3.org/1999/xhtml'>"
                              "<a href='/found'/></html>"));
    const Result result = Setup().crawl(server.url());
    CHECK(result[server.url("/text")].outcome == Outcome::file);
    CHECK(result[server.url("/text")].content_type == "text/plain");
    CHECK(result[server.url("/text")].charset == "x");
    CHECK(result[server.url("/malformed")].outcome == Outcome::file);
    CHECK(result[server.url("/malformed")].content_type == "text html");
    CHECK(result[server.url("/untyped")].outcome == Outcome::page);
    CHECK(result[server.url("/untyped")].content_type.empty());
    CHECK(result[server.url("/xml")].outcome == Outcome::page);
    CHECK(result[server.url("/xml")].charset == "UTF-8");
    CHECK(result[server.url("/found")].outcome == Outcome::page);
    CHECK(result.records.size() == 6);
}
