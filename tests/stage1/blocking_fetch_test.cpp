#include "common/trace/stack_trace.h"
#include "stage1_callbacks/blocking_fetch.h"
#include "tests/practice_site/background_server.h"
#include "tests/practice_site/site.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"

using tests::ScriptedServer;

TEST_CASE("a blocking fetch returns the whole response") {
    ScriptedServer server;
    const std::string body(100'000, 'x'); // more than one chunk
    server.on("/", tests::html(body));
    const auto response = stage1::blocking_fetch(*common::parse_url(server.url()));
    CHECK(response.error.empty());
    CHECK(response.status == 200);
    CHECK(response.body == body);
}

TEST_CASE("a blocking fetch that fails says why") {
    ScriptedServer server;
    server.on("/reset", {tests::Reset{}});
    const auto failure = [](const std::string& url) {
        try {
            stage1::blocking_fetch(*common::parse_url(url));
        } catch (const std::system_error& error) {
            return error.code();
        }
        return std::error_code();
    };
    CHECK(failure(server.url("/reset")) == std::errc::connection_reset);
    CHECK(failure("http://127.0.0.1:1/") == std::errc::connection_refused);
}

TEST_CASE("a page that can't be fetched is dead, and says why") {
    ScriptedServer server;
    server.on("/reset", {tests::Reset{}});
    const auto error = [](const std::string& url) {
        const stage1::Page page = stage1::fetch_page(*common::parse_url(url));
        CHECK(page.is_dead());
        CHECK(page.links.empty());
        return page.response.error;
    };
    CHECK(error(server.url("/reset")) == "connection reset by peer");
    CHECK(error("http://127.0.0.1:1/") == "connection refused");
    // Too long for a label: no name server is asked.
    CHECK(error("http://" + std::string(70, 'x') + "/").find("xxx") != std::string::npos);
}

TEST_CASE("a crawl finds the same site one page at a time or with threads") {
    const practice_site::Site site({.pages = 60, .links = 8, .size = 1000, .seed = 2});
    const practice_site::BackgroundServer server(
        [&](const auto& request) { return site.answer(request); }, {.latency = 5ms});
    const auto manifest = site.manifest(server.origin());
    const auto root = *common::parse_url(server.url());
    const auto check = [&](const stage1::BlockingSummary& summary) {
        CHECK(summary.fetched == manifest.pages.size() + manifest.redirects.size());
        CHECK(summary.dead == manifest.dead.size());
    };
    const auto alone = stage1::crawl_one_by_one(root);
    check(alone);
    CHECK(alone.most_at_once == 1);
    const auto together = stage1::crawl_with_threads(root);
    check(together);
    CHECK(together.most_at_once > 1);
}

TEST_CASE("a host that can't be found is a dead page, not the end of the crawl") {
    // Too long for a label: no name server is asked.
    const auto root = *common::parse_url("http://" + std::string(70, 'x') + "/");
    CHECK(stage1::crawl_one_by_one(root).dead == 1);
    CHECK(stage1::crawl_with_threads(root).dead == 1);
}

TEST_CASE("an error in a blocking crawl shows its chain of calls") {
    ScriptedServer server;
    server.on("/", tests::html("<a href=/a>"));
    server.on("/a", tests::html(""));
    stage1::fail_parsing_at(2);
    try {
        stage1::crawl_one_by_one(*common::parse_url(server.url()));
        FAIL("nothing was thrown");
    } catch (const common::TracedError& error) {
        const std::string text = describe(error);
        CAPTURE(text);
        const auto crawl = text.find("stage1::crawl_one_by_one");
        const auto fetch = text.find("stage1::fetch_page");
        const auto parse = text.find("stage1::parse_links");
        CHECK(crawl < fetch);
        CHECK(fetch < parse);
        CHECK(parse != std::string::npos);
        CHECK(server.times_asked("/a") == 1);
    }
}
