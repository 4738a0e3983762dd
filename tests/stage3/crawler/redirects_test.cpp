// Redirects: chains, circles, and targets that lead nowhere.
#include "tests/stage3/crawler/crawl_under_test.h"

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

TEST_CASE("a link on a page that was redirected to has the whole redirect limit again") {
    ScriptedServer server;
    server.on("/", redirect_to("/1"));
    server.on("/1", redirect_to("/page"));
    server.on("/page", page({"/2"}));
    server.on("/2", redirect_to("/3"));
    server.on("/3", redirect_to("/end"));
    server.on("/end", page({}));
    Setup setup;
    setup.settings.frontier.max_redirects = 2;
    const Result result = setup.crawl(server.url());
    CHECK(result.progress.dead == 0);
    CHECK(result[server.url("/end")].outcome == Outcome::page);
}

TEST_CASE("at the redirect limit, a broken body doesn't change the error") {
    ScriptedServer server;
    server.on("/", {Send{"HTTP/1.1 302 Moved\r\nLocation: /x\r\n"
                         "Content-Length: 100\r\n\r\nabc"}});
    Setup setup;
    setup.settings.frontier.max_redirects = 0;
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
