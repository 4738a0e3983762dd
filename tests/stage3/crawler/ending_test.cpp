// How a crawl ends: cancelled, out of time, out of descriptors, or with an error from its
// own code.
#include "stage3_queue_crawler/crawler/answers.h"
#include "stage3_queue_crawler/program/fail_parsing.h"
#include "tests/stage3/crawler/crawl_in_box.h"

using namespace tests;

namespace {

/// Knows no answer, and notes which were failures.
struct Failures final : stage3::Answers {
    bool will_do(const common::Url& /*url*/, stage3::Purpose /*purpose*/) const override {
        return false;
    }
    stage3::Coroutine<std::optional<stage3::PageResponse>>
    find(common::Url /*url*/, stage3::Purpose /*purpose*/) override {
        co_return std::nullopt;
    }
    void keep(const stage3::Item& work, const stage3::PageResponse& response,
              bool /*alive*/, const common::Links* /*links*/) override {
        if (!response.error.empty())
            urls.emplace_back(work.url.href());
    }

    std::vector<std::string> urls;
};

} // namespace

TEST_CASE_FIXTURE(SiteInBox, "a cancelled crawl ends at once and reports what was done") {
    std::vector<std::string> links;
    for (int i = 0; i < 20; ++i) {
        links.push_back(fmt::format("/{}", i));
        server.on(links.back(), box::fail(box::Fault::silence));
    }
    server.on("/", box::page(links));
    setup.during = [](EventLoop& loop, auto& task) {
        loop.call_later(100ms, [&task] { task.cancel(); });
    };
    const Result result = crawl();
    CHECK(result.ending == Ending::interrupted);
    CHECK(result.urls() == std::vector{server.url()});
    CHECK(result.progress.in_flight == 0);
    CHECK(result.progress.waiting == 20); // the pages being fetched were given back
    CHECK(web.time().now() == 100ms);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a crawl ends when its time is over, whatever is under way") {
    server.on("/", box::page({"/silent", "/broken"}));
    server.on("/silent", box::fail(box::Fault::silence));
    server.on("/broken", box::fail(box::Fault::reset));
    setup.settings.timeout = 20s;
    setup.settings.retries.max_tries = 100;
    const Result result = crawl();
    CHECK(result.ending == Ending::timed_out);
    CHECK(result.urls() == std::vector{server.url()});
    CHECK(web.time().now() == 20s);
    CHECK(server.times_asked("/broken") > 3);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a crawl that is cancelled twice still waits for its workers") {
    server.on("/", box::fail(box::Fault::silence));
    setup.during = [](EventLoop& loop, auto& task) {
        loop.call_later(100ms, [&loop, &task] {
            task.cancel();
            // The crawl wakes in the next turn, and its workers in the one after.
            loop.call_soon(
                [&loop, &task] { loop.call_soon([&task] { task.cancel(); }); });
        });
    };
    CHECK(crawl().ending == Ending::interrupted);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a crawl that is cancelled before it begins fetches nothing") {
    setup.during = [](EventLoop&, auto& task) { task.cancel(); };
    CHECK_THROWS_AS(crawl(), stage3::Cancelled);
    CHECK(server.requests().empty());
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a page whose parsing fails gets a record, and the crawl continues") {
    server.on("/", box::page({"/a", "/b", "/c"}));
    for (const char* path : {"/a", "/b", "/c"})
        server.on(path, box::page({}));
    setup.settings.workers = 1;
    setup.helpers.find_links = stage3::find_links_but_fail_at(3);
    Failures failures; // so that a crawl with --state asks for it again
    setup.helpers.answers = &failures;
    const Result result = crawl();
    CHECK(failures.urls == std::vector{server.url("/b")});
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
    const auto reader =
        note.find("  stage3::PageReader::links_on, waiting at page_reader.cpp:");
    const auto calls = note.find("  stage3::PageReader::read, before its first ");
    CHECK(work < reader);
    CHECK(reader < calls);
    CHECK(calls != std::string::npos);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "any other error while a page is handled gets a record, too") {
    server.on("/", box::page({"/a", "/b"}));
    server.on("/a", box::page({"/" + std::string(9000, 'x')})); // too long, so it's noted
    server.on("/b", box::page({}));
    setup.on_note = [](const std::string&) { throw std::runtime_error("a surprise"); };
    Failures failures;
    setup.helpers.answers = &failures;
    const Result result = crawl();
    CHECK(failures.urls == std::vector{server.url("/a")});
    CHECK(result[server.url("/a")].outcome == Outcome::failed);
    CHECK(result[server.url("/a")].error == "a surprise");
    CHECK(result[server.url("/b")].outcome == Outcome::page);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "a brief shortage of descriptors harms no fetch, however many wait") {
    std::vector<std::string> roots;
    for (int i = 0; i < 100; ++i) {
        server.on(fmt::format("/{}", i), box::page({}));
        roots.push_back(server.url(fmt::format("/{}", i)));
    }
    server.on("/robots.txt",
              {box::fail(box::Fault::no_descriptor), box::respond(404, "text/html", "")});
    server.on("/7", {box::fail(box::Fault::no_descriptor), box::page({})});
    setup.obey_robots = true;
    const Result result = setup.crawl(roots);
    CHECK(result.records.size() == 100);
    CHECK(result.progress.dead == 0);
    CHECK(result[roots[50]].tries == 1);
    CHECK(server.begins("/robots.txt") == Times{0ms, 100ms});
}

TEST_CASE_FIXTURE(SiteInBox,
                  "if no descriptor ever becomes free, the crawl ends with that error") {
    std::vector<std::string> roots; // so many that one of them is always being tried
    for (int i = 0; i < 20; ++i) {
        roots.push_back(server.url(fmt::format("/{}", i)));
        server.on(fmt::format("/{}", i), box::fail(box::Fault::no_descriptor));
    }
    CHECK_THROWS_WITH(setup.crawl(roots[0]), doctest::Contains("ulimit -n"));
    CHECK(web.time().now() == 3'100ms);
    CHECK_THROWS_WITH(setup.crawl(roots), doctest::Contains("ulimit -n"));
    CHECK(web.time().now() == 6'200ms);
}

TEST_CASE_FIXTURE(SiteInBox,
                  "if records can't be written, the crawl ends with that error") {
    server.on("/", box::page({"/a", "/b"}));
    server.on("/a", box::page({}));
    server.on("/b", box::fail(box::Fault::silence));
    setup.on_record = [&](const Record& record) {
        if (record.url.href() == server.url("/a"))
            throw std::runtime_error("disk full");
    };
    CHECK_THROWS_WITH(crawl(), "disk full");
}
