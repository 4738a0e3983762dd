// Which failures are tried again, how often, and when.
#include "tests/stage3/crawler/crawl_under_test.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <ostream> // doctest wants it
#include <string>
#include <vector>

using namespace tests;

TEST_CASE("a connection that breaks twice and then works gives one record") {
    ScriptedServer server;
    server.on("/", {Reply{Reset{}}, Reply{}, page({})});
    const Result result = Setup().crawl(server.url());
    CHECK(result.records.size() == 1);
    CHECK(result[server.url()].outcome == Outcome::page);
    CHECK(result[server.url()].tries == 3);
    CHECK(result[server.url()].seconds > 0.7); // after waits of 0.25 s and 0.5 s
    CHECK(result[server.url()].seconds <= result.seconds);
}

TEST_CASE("a server in trouble is asked again, up to a limit") {
    ScriptedServer server;
    server.on("/", page({"/once", "/ever"}));
    server.on("/once", {respond(503, "text/html", "no"), page({})});
    server.on("/ever", respond(502, "text/html", "no"));
    Setup setup;
    setup.settings.max_tries = 2;
    const Result result = setup.crawl(server.url());
    CHECK(result[server.url("/once")].outcome == Outcome::page);
    CHECK(result[server.url("/once")].tries == 2);
    CHECK(result[server.url("/ever")].outcome == Outcome::error);
    CHECK(result[server.url("/ever")].status == 502);
    CHECK(result[server.url("/ever")].tries == 2);
    CHECK(server.times_asked("/ever") == 2);
}

TEST_CASE("a refused connection is tried as often as allowed") {
    Setup setup;
    setup.settings.max_tries = 3;
    const Result result = setup.crawl("http://127.0.0.1:1/");
    CHECK(result["http://127.0.0.1:1/"].outcome == Outcome::failed);
    CHECK(result["http://127.0.0.1:1/"].error == "connection refused");
    CHECK(result["http://127.0.0.1:1/"].status == 0);
    CHECK(result["http://127.0.0.1:1/"].tries == 3);
}

TEST_CASE("a server may say when to come back") {
    ScriptedServer server;
    server.on("/", page({"/soon", "/tomorrow"}));
    server.on("/soon", {respond(429, "text/html", "", "Retry-After: 1\r\n"), page({})});
    server.on("/tomorrow", respond(503, "text/html", "", "Retry-After: 86400\r\n"));
    const Result result = Setup().crawl(server.url());
    CHECK(result[server.url("/soon")].outcome == Outcome::page);
    CHECK(result[server.url("/soon")].seconds >= 1.0);
    CHECK(result[server.url("/tomorrow")].tries == 1);
    CHECK(result[server.url("/tomorrow")].error
          == "HTTP status 503, come back in 86400 s");
}

TEST_CASE("a URL that waits for another try holds up no worker") {
    ScriptedServer server;
    std::vector<std::string> links;
    for (int i = 0; i < 10; ++i) {
        links.push_back(fmt::format("/{}", i));
        server.on(links.back(), {Reply{Reset{}}, page({})});
    }
    links.emplace_back("/last");
    server.on("/", page(links));
    server.on("/last", page({}));
    Setup setup;
    setup.settings.workers = 1;
    // All first tries must end before the first page is due again, so time goes slowly
    // until then.
    const auto start = Clock::now();
    bool is_slow = true;
    setup.clock = [&] {
        const auto now = Clock::now();
        return is_slow ? start + (now - start) / 50 : now + 1s;
    };
    setup.on_record = [&](const Record& record) {
        if (record.url.href() != server.url())
            is_slow = false; // the first of the others, which should be the last
    };
    const Result result = setup.crawl(server.url());
    CHECK(result.records.size() == 12);
    CHECK(result.records[1].url == server.url("/last"));
}

TEST_CASE("a URL that comes back goes before those that had no turn yet") {
    for (const auto order : {stage3::OrderName::fifo, stage3::OrderName::lifo,
                             stage3::OrderName::priority}) {
        ScriptedServer server;
        const std::string flaky = "/with-a-name-longer-than-those-of-the-others";
        std::vector<std::string> links;
        for (int i = 0; i < 60; ++i) {
            links.push_back(fmt::format("/{}", i));
            server.on(links.back(), Reply{Pause{20ms}, page({})[0]});
        }
        links.insert(links.begin() + 30, flaky);
        server.on(flaky, {Reply{Reset{}}, page({})});
        server.on("/", page(links));
        Setup setup;
        setup.settings.workers = 1;
        setup.settings.order = order;
        const Result result = setup.crawl(server.url());
        CHECK(result.records.size() == 62);
        CHECK(result[server.url(flaky)].tries == 2);
        if (order == stage3::OrderName::priority)
            continue; // the last page to be tried at all
        // The page was tried in the middle, and had to wait for less than half a second.
        CHECK(result.records[60].url != server.url(flaky));
        CHECK(result.records[61].url != server.url(flaky));
    }
}

TEST_CASE("a permanent failure is not tried again") {
    ScriptedServer server;
    server.on("/", page({"/ssh", "/large"}));
    server.on("/ssh", {Send{"SSH-2.0-OpenSSH\r\n\r\n"}});
    server.on("/large", html(std::string(2000, 'x')));
    Setup setup;
    setup.settings.session.max_body = 1024;
    const Result result = setup.crawl(server.url());
    CHECK(result[server.url("/ssh")].tries == 1);
    CHECK(result[server.url("/large")].outcome == Outcome::failed);
    CHECK(result[server.url("/large")].error == "body larger than 1 KiB");
    CHECK(result[server.url("/large")].bytes == 1024);
    CHECK(result[server.url("/large")].status == 200);
    CHECK(server.times_asked("/large") == 1);
}

TEST_CASE(
    "a fetch that finds no free descriptor waits, and that doesn't count as a try") {
    ScriptedServer server;
    server.on("/", page({}));
    Setup setup;
    setup.settings.max_tries = 1;
    tests::Fault fault;
    fault.no_descriptor_for_socket = 2;
    const Result result = setup.crawl(server.url());
    CAPTURE(result[server.url()].error);
    CHECK(result[server.url()].outcome == Outcome::page);
    CHECK(result[server.url()].tries == 1);
    CHECK(result.seconds >= 0.2);
    REQUIRE(result.notes.size() == 1);
    CHECK(result.notes[0].find("ulimit -n") != std::string::npos);
}
