// How a crawl ends: cancelled, out of descriptors, or with an error from its own code.
#include "stage3_queue_crawler/program/fail_parsing.h"
#include "tests/stage3/crawler/crawl_under_test.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <atomic>
#include <memory>
#include <ostream> // doctest wants it
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

using namespace tests;

TEST_CASE("a cancelled crawl ends at once and reports what was done") {
    ScriptedServer server;
    std::vector<std::string> links;
    for (int i = 0; i < 20; ++i) {
        links.push_back(fmt::format("/{}", i));
        server.on(links.back(), {Hold{}});
    }
    server.on("/", page(links));
    Setup setup;
    setup.during = [&setup](EventLoop& loop, auto& task) {
        setup.on_record = [&loop, &task](const Record&) { // the first page's
            loop.call_later(100ms, [&task] { task.cancel(); });
        };
    };
    const Result result = setup.crawl(server.url());
    CHECK(result.ending == Ending::interrupted);
    CHECK(result.urls() == std::vector{server.url()});
    CHECK(result.progress.in_flight == 0);
    CHECK(result.progress.waiting == 20); // the pages being fetched were given back
    CHECK(result.seconds < 20.0);
}

TEST_CASE("a crawl that is cancelled twice still waits for its workers") {
    ScriptedServer server;
    server.on("/", {Hold{}});
    Setup setup;
    setup.during = [](EventLoop& loop, auto& task) {
        loop.call_later(100ms, [&loop, &task] {
            task.cancel();
            // The crawl wakes in the next turn, and its workers in the one after.
            loop.call_soon(
                [&loop, &task] { loop.call_soon([&task] { task.cancel(); }); });
        });
    };
    CHECK(setup.crawl(server.url()).ending == Ending::interrupted);
}

TEST_CASE("a crawl that is cancelled before it begins fetches nothing") {
    ScriptedServer server;
    Setup setup;
    setup.during = [](EventLoop&, auto& task) { task.cancel(); };
    CHECK_THROWS_AS(setup.crawl(server.url()), stage3::Cancelled);
    CHECK(server.requests().empty());
}

TEST_CASE("a page whose parsing fails gets a record, and the crawl continues") {
    ScriptedServer server;
    server.on("/", page({"/a", "/b", "/c"}));
    for (const char* path : {"/a", "/b", "/c"})
        server.on(path, page({}));
    Setup setup;
    setup.settings.workers = 1;
    setup.settings.find_links = stage3::find_links_but_fail_at(3);
    const Result result = setup.crawl(server.url());
    CHECK(result.ending == Ending::complete);
    CHECK(result.records.size() == 4);
    CHECK(result[server.url("/b")].outcome == Outcome::failed);
    CHECK(result[server.url("/b")].status == 200);
    CHECK(result[server.url("/b")].error == "parsing failed, as --fail-parsing asked");
    CHECK(result[server.url("/c")].outcome == Outcome::page);
    REQUIRE(result.notes.size() == 1);
    const std::string& note = result.notes[0];
    CAPTURE(note);
    // g++ writes "Crawler<F>", and clang++ "Crawler<>".
    const auto work = note.find(">::work, waiting at crawler.h:");
    CHECK(note.find("  stage3::Crawler<") < work);
    const auto judge =
        note.find("  stage3::PageJudge::judge, waiting at page_judge.cpp:");
    const auto calls = note.find("  stage3::PageReader::read, before its first ");
    CHECK(work < judge);
    CHECK(judge < calls);
    CHECK(calls != std::string::npos);
}

TEST_CASE("any other error while a page is handled gets a record, too") {
    ScriptedServer server;
    server.on("/", page({"/a", "/b"}));
    server.on("/a", page({"/" + std::string(9000, 'x')})); // too long, so it's noted
    server.on("/b", page({}));
    Setup setup;
    setup.on_note = [](const std::string&) { throw std::runtime_error("a surprise"); };
    const Result result = setup.crawl(server.url());
    CHECK(result[server.url("/a")].outcome == Outcome::failed);
    CHECK(result[server.url("/a")].error == "a surprise");
    CHECK(result[server.url("/b")].outcome == Outcome::page);
}

TEST_CASE("a brief shortage of descriptors harms no fetch, however many wait") {
    ScriptedServer server;
    std::vector<std::string> roots;
    for (int i = 0; i < 100; ++i) {
        server.on(fmt::format("/{}", i), page({}));
        roots.push_back(fmt::format("http://a.test:{}/{}", server.port(), i));
    }
    Setup setup;
    setup.obey_robots = true;
    const auto first = std::make_shared<std::atomic<bool>>(true);
    setup.settings.session.look_up = [first](const std::string&) {
        if (first->exchange(false))
            throw common::ResolveError(
                "full", std::make_error_code(std::errc::too_many_files_open));
        return common::resolve("127.0.0.1", 0);
    };
    const Result result = setup.crawl(roots);
    CHECK(result.records.size() == 100);
    CHECK(result.progress.dead == 0);
    CHECK(result[roots[50]].tries == 1);
}

TEST_CASE("if no descriptor ever becomes free, the crawl ends with that error") {
    ScriptedServer server;
    server.on("/", page({}));
    tests::Fault fault;
    fault.no_descriptor_for_socket = 1'000'000;
    CHECK_THROWS_WITH(Setup().crawl(server.url()), doctest::Contains("ulimit -n"));
    std::vector<std::string> roots; // so many that one of them is always being tried
    for (int i = 0; i < 20; ++i)
        roots.push_back(server.url(fmt::format("/{}", i)));
    CHECK_THROWS_WITH(Setup().crawl(roots), doctest::Contains("ulimit -n"));
}

TEST_CASE("if records can't be written, the crawl ends with that error") {
    ScriptedServer server;
    server.on("/", page({"/a", "/b"}));
    server.on("/a", page({}));
    server.on("/b", {Hold{}});
    Setup setup;
    setup.on_record = [&](const Record& record) {
        if (record.url.href() == server.url("/a"))
            throw std::runtime_error("disk full");
    };
    CHECK_THROWS_WITH(setup.crawl(server.url()), "disk full");
}

TEST_CASE("the last check finds a URL that was lost") {
    stage3::KnownUrls urls;
    stage3::KnownUrl& known = urls[*common::parse_url("http://h/x")];
    urls.check_that_none_is_lost(); // URLs that are met, but not to be fetched, count too
    known.state = stage3::KnownUrl::State::queued;
    CHECK(urls.count_queued() == 1);
    CHECK_THROWS_WITH_AS(urls.check_that_none_is_lost(), doctest::Contains("http://h/x"),
                         std::logic_error);
    known.state = stage3::KnownUrl::State::dead;
    urls.check_that_none_is_lost();
}
