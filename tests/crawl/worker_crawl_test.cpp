// What workers that share a queue must find, and how they end, with either library.
#include "common/web/url.h"
#include "tests/crawl/whole_site.h"
#include "tests/crawl/worker_crawl.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"
#include "tests/support/waits.h"

using namespace tests;

namespace {

using Urls = std::set<std::string>;

Crawled crawl(const std::string& root, std::size_t workers,
              std::optional<std::chrono::milliseconds> time_limit = {}) {
    return tests::crawl_with_workers({.root = common::parse_url(root).value(),
                                      .workers = workers,
                                      .time_limit = time_limit});
}

Urls met(const Crawled& crawled) {
    Urls urls;
    for (const common::Url& url : crawled.met)
        urls.emplace(url.href());
    return urls;
}

Urls failed(const Crawled& crawled) {
    Urls urls;
    for (const auto& [url, why] : crawled.failed)
        urls.emplace(url.href());
    return urls;
}

} // namespace

TEST_CASE("each URL of a site is found once with no more requests than workers") {
    for (const std::size_t workers : {std::size_t{1}, std::size_t{10}}) {
        const auto most_requests = tests::check_that_all_is_found(
            [&](const common::Url& root) {
                const Crawled crawled = crawl(std::string(root.href()), workers);
                CHECK(crawled.failed.empty());
                CHECK(!crawled.timed_out);
                return crawled.met;
            },
            workers == 1 ? 10ms : 100ms);
        CHECK(most_requests > workers / 2);
        CHECK(most_requests <= workers);
    }
}

TEST_CASE("a page that can't be fetched has no links and does not end the crawl") {
    ScriptedServer server;
    server.on("/", html("<a href=/broken><a href=/b><a href=http://127.0.0.1:1/>"));
    server.on("/broken",
              {tests::Send{"HTTP/1.0 200 OK\r\n\r\n<a href=/lost>"}, tests::Reset{}});
    server.on("/b", html("<a href=/c>"));
    for (const std::size_t workers : {std::size_t{1}, std::size_t{10}}) {
        const Crawled crawled = crawl(server.url(), workers);
        CHECK(met(crawled)
              == Urls{server.url(), server.url("/broken"), server.url("/b"),
                      server.url("/c")});
        CHECK(failed(crawled) == Urls{server.url("/broken")});
    }
    const std::string nobody = "http://127.0.0.1:1/";
    CHECK(failed(crawl(nobody, 2)) == Urls{nobody});
}

TEST_CASE("at the time limit all workers end, whatever they wait for") {
    tests::may_wait(3s, "it waits for the time limit, by which the pages must have come");
    ScriptedServer server;
    server.on("/", html("<a href=/silent><a href=/half><a href=/b>"));
    server.on("/silent", {tests::Hold{}});
    server.on("/half",
              {tests::Send{"HTTP/1.0 200 OK\r\n\r\n<a href=/c>"}, tests::Hold{}});
    const Crawled crawled = crawl(server.url(), 5, 3s);
    CHECK(crawled.timed_out);
    CHECK(met(crawled)
          == Urls{server.url(), server.url("/silent"), server.url("/half"),
                  server.url("/b")});
    CHECK(failed(crawled).empty()); // the other two were still waiting
    CHECK(server.times_asked("/b") == 1);
}

TEST_CASE("a crawl that is finished doesn't wait for its time limit") {
    ScriptedServer server;
    server.on("/", html("<a href=/a>"));
    const auto start = std::chrono::steady_clock::now();
    const Crawled crawled = crawl(server.url(), 3, 1h);
    CHECK(crawled.met.size() == 2);
    CHECK(!crawled.timed_out);
    CHECK(std::chrono::steady_clock::now() - start < 30min);
}
