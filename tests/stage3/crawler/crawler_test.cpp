// The crawler against a server that does as it is told, also when that is wrong.
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/faults.h"
#include "tests/support/scripted_server.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream> // doctest wants it
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using stage3::Crawler;
using stage3::CrawlSettings;
using stage3::Ending;
using stage3::EventLoop;
using stage3::OrderName;
using stage3::Outcome;
using stage3::Pattern;
using stage3::Reach;
using stage3::Record;
using stage3::Scope;
using tests::Hold;
using tests::html;
using tests::Pause;
using tests::redirect_to;
using tests::Reply;
using tests::Reset;
using tests::respond;
using tests::ScriptedServer;
using tests::Send;
using Clock = std::chrono::steady_clock;

namespace {

/// A page with these links.
Reply page(const std::vector<std::string>& links) {
    std::string body;
    for (const std::string& link : links)
        body += fmt::format("<a href='{}'>x</a>\n", link);
    return html(body);
}

/// What a record says, after the crawl is gone.
struct Said {
    std::string url;
    std::string parent; // empty: none
    std::size_t depth = 0;
    Outcome outcome = Outcome::failed;
    int status = 0;
    std::string next_url;
    std::string error;
    std::string content_type;
    std::string charset;
    std::size_t bytes = 0;
    std::size_t links = 0;
    std::size_t new_links = 0;
    int tries = 0;
    double seconds = 0;
};

struct Result {
    Ending ending = Ending::complete;
    std::vector<Said> records;
    std::vector<std::string> notes;
    stage3::Progress progress;
    std::vector<stage3::LeftOut> left_out;
    double seconds = 0;

    const Said& operator[](const std::string& url) const {
        const auto found = std::ranges::find(records, url, &Said::url);
        REQUIRE_MESSAGE(found != records.end(), "no record of " << url);
        REQUIRE(std::ranges::count(records, url, &Said::url) == 1);
        return *found;
    }
    std::vector<std::string> urls() const {
        std::vector<std::string> result;
        for (const Said& record : records)
            result.push_back(record.url);
        return result;
    }
};

/// A crawl from these roots. `during`, if there is one, is called in the loop, with the
/// task, before it begins.
struct Setup {
    CrawlSettings settings;
    stage3::CrawlEvents events = {};
    bool obey_robots = false;
    Reach reach = Reach::host;
    std::vector<Pattern> excluded = {};
    std::function<void(EventLoop&, stage3::Task<Ending>&)> during = {};
    std::function<void(const Record&)> on_record = {};
    std::function<void(const std::string&)> on_note = {};

    Result crawl(const std::vector<std::string>& roots) {
        Result result;
        std::vector<common::Url> urls;
        for (const std::string& root : roots)
            urls.push_back(*common::parse_url(root));
        events.on_record = [&](const Record& record) {
            result.records.push_back(said(record));
            if (on_record)
                on_record(record);
        };
        events.on_note = [&](const std::string& note) {
            result.notes.push_back(note);
            if (on_note)
                on_note(note);
        };
        settings.obey_robots = obey_robots; // most tests count requests
        EventLoop loop;
        Crawler crawler(loop, urls, Scope(reach, urls, std::move(excluded)), settings,
                        events);
        const auto start = Clock::now();
        auto task = create_task(loop, crawler.crawl());
        if (during)
            during(loop, task);
        result.ending = stage3::run_until_complete<Ending>(loop, task);
        result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        result.progress = crawler.progress();
        result.left_out = crawler.left_out();
        return result;
    }
    Result crawl(const std::string& root) { return crawl(std::vector{root}); }

    static Said said(const Record& record) {
        return {.url = std::string(record.url.href()),
                .parent = std::string(record.parent ? record.parent->href() : ""),
                .depth = record.depth,
                .outcome = record.outcome,
                .status = record.status,
                .next_url = record.next_url,
                .error = record.error,
                .content_type = record.content_type,
                .charset = record.charset,
                .bytes = record.bytes,
                .links = record.links,
                .new_links = record.new_links,
                .tries = record.tries,
                .seconds = record.seconds};
    }
};

} // namespace

TEST_CASE("a crawl fetches every page once, and ends") {
    ScriptedServer server;
    server.on("/", page({"/a", "/b", "/a#part", "b", "/"})); // twice, and itself
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

TEST_CASE("every status that begins with 2 is alive, and no number that HTTP lacks") {
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

TEST_CASE("as many are fetched at once as there are workers, and no more") {
    ScriptedServer server;
    std::vector<std::string> links;
    for (int i = 0; i < 30; ++i) {
        links.push_back(fmt::format("/{}", i));
        server.on(links.back(), Reply{Pause{50ms}, html("")[0]});
    }
    server.on("/", page(links));
    Setup setup;
    setup.settings.workers = 7;
    CHECK(setup.crawl(server.url()).records.size() == 31);
    CHECK(server.most_at_once() == 7);
}

TEST_CASE("what is no page is a file, and isn't read") {
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

TEST_SUITE("redirects") {
    TEST_CASE("a chain of redirects gives a record each, at its page's depth") {
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

    TEST_CASE("redirects in a circle end") {
        ScriptedServer server;
        server.on("/", redirect_to("/other"));
        server.on("/other", redirect_to("/", 303));
        server.on("/self", redirect_to("/self", 307));
        const Result result = Setup().crawl({server.url(), server.url("/self")});
        CHECK(result.records.size() == 3);
        CHECK(server.requests().size() == 3);
        // Whoever closes a circle is dead.
        CHECK(result[server.url()].outcome == Outcome::redirect);
        for (const char* path : {"/other", "/self"}) {
            CHECK(result[server.url(path)].outcome == Outcome::failed);
            CHECK(result[server.url(path)].error == "redirect loop");
            CHECK(!result[server.url(path)].next_url.empty());
        }
        CHECK(result.progress.dead == 2);
    }

    TEST_CASE("a circle ends also where all of it was found by links") {
        ScriptedServer server;
        server.on("/", page({"/a", "/b", "/c", "/d"}));
        server.on("/a", redirect_to("/b"));
        server.on("/b", redirect_to("/c"));
        server.on("/c", redirect_to("/a"));
        server.on("/d", redirect_to("/a")); // leads into it, and is no part of it
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

    TEST_CASE("where chains meet, they are followed once") {
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

    TEST_CASE("a redirect out of scope is recorded, and not followed") {
        ScriptedServer server;
        const std::string elsewhere = fmt::format("http://localhost:{}/x", server.port());
        server.on("/", redirect_to(elsewhere));
        const Result result = Setup().crawl(server.url());
        CHECK(result.records.size() == 1);
        CHECK(result[server.url()].outcome == Outcome::redirect);
        CHECK(result[server.url()].next_url == elsewhere);
        CHECK(result.progress.dead == 0);
    }

    TEST_CASE("nor is one to another program") {
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

    TEST_CASE("a redirect to where no browser goes is an error") {
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
              == "HTTP status 304 (not modified), which nobody has asked for");
        CHECK(server.times_asked("/hidden") == 0);
    }

    TEST_CASE("so many redirects are followed and no more") {
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

    TEST_CASE("a link behind redirects begins anew") {
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

    TEST_CASE("at the limit, a broken body makes no other failure of it") {
        ScriptedServer server;
        server.on("/", {Send{"HTTP/1.1 302 Moved\r\nLocation: /x\r\n"
                             "Content-Length: 100\r\n\r\nabc"}});
        Setup setup;
        setup.settings.max_redirects = 0;
        const Result result = setup.crawl(server.url());
        CHECK(result[server.url()].error == "redirect limit reached");
        CHECK(result[server.url()].tries == 1);
    }

    TEST_CASE("a redirect's body doesn't matter, nor does an error's") {
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
}

TEST_SUITE("trying again") {
    TEST_CASE("a connection that breaks twice and then works is one record") {
        ScriptedServer server;
        server.on("/", {Reply{Reset{}}, Reply{}, page({})});
        const Result result = Setup().crawl(server.url());
        CHECK(result.records.size() == 1);
        CHECK(result[server.url()].outcome == Outcome::page);
        CHECK(result[server.url()].tries == 3);
        CHECK(result[server.url()].seconds > 0.7); // 0.25 and 0.5 of waiting
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
        server.on("/soon",
                  {respond(429, "text/html", "", "Retry-After: 1\r\n"), page({})});
        server.on("/tomorrow", respond(503, "text/html", "", "Retry-After: 86400\r\n"));
        const Result result = Setup().crawl(server.url());
        CHECK(result[server.url("/soon")].outcome == Outcome::page);
        CHECK(result[server.url("/soon")].seconds >= 1.0);
        CHECK(result[server.url("/tomorrow")].tries == 1);
        CHECK(result[server.url("/tomorrow")].error
              == "HTTP status 503, come back in 86400 s");
    }

    TEST_CASE("who waits for another try holds up no worker") {
        ScriptedServer server;
        std::vector<std::string> links;
        for (int i = 0; i < 20; ++i) {
            links.push_back(fmt::format("/{}", i));
            server.on(links.back(), {Reply{Reset{}}, page({})});
        }
        links.emplace_back("/last");
        server.on("/", page(links));
        server.on("/last", page({}));
        Setup setup;
        setup.settings.workers = 1;
        const Result result = setup.crawl(server.url());
        CHECK(result.records.size() == 22);
        CHECK(result.records[1].url == server.url("/last"));
        CHECK(result.seconds < 3.0); // one after the other, it would be 20 × 0.25
    }

    TEST_CASE("who comes back goes before all who have not had their turn") {
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
                continue; // it's the last to be tried at all
            // It was tried in the middle, and had to wait for less than half a second.
            CHECK(result.records[60].url != server.url(flaky));
            CHECK(result.records[61].url != server.url(flaky));
        }
    }

    TEST_CASE("what stays broken is not tried again") {
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

    TEST_CASE("where no descriptor is left, the fetch waits, and it was no try") {
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
}

TEST_SUITE("politeness") {
    namespace {

    /// When each request of a path that begins like this came, in seconds.
    struct Arrivals {
        explicit Arrivals(Setup& setup) {
            setup.events.on_start = [this](std::string_view, const stage3::Work& work) {
                times[std::string(work.url.authority())].push_back(Clock::now());
            };
        }
        /// The shortest time between two starts.
        double shortest(const ScriptedServer& server) const {
            const auto& all = times.at(fmt::format("127.0.0.1:{}", server.port()));
            double result = 1e9;
            for (std::size_t i = 1; i < all.size(); ++i)
                result = std::min(
                    result, std::chrono::duration<double>(all[i] - all[i - 1]).count());
            return result;
        }
        std::map<std::string, std::vector<Clock::time_point>> times;
    };

    /// A server with so many pages, on its first.
    void fill(ScriptedServer& server, int pages, std::vector<std::string> more = {}) {
        for (int i = 0; i < pages; ++i) {
            more.push_back(fmt::format("/{}", i));
            server.on(more.back(), Reply{Pause{20ms}, html("")[0]});
        }
        server.on("/", page(more));
    }

    /// Nine hosts of seven pages each, all quick.
    struct QuickHosts {
        QuickHosts() {
            for (ScriptedServer& server : servers) {
                server.on("/", page({"/1", "/2", "/3", "/4", "/5", "/6"}));
                for (int i = 1; i <= 6; ++i)
                    server.on(fmt::format("/{}", i), page({}));
            }
        }
        /// These roots, and then theirs.
        std::vector<std::string> roots_after(std::vector<std::string> roots) const {
            for (const ScriptedServer& server : servers)
                roots.push_back(server.url());
            return roots;
        }
        std::array<ScriptedServer, 9> servers;
    };

    /// How many records of other hosts come after so many of this one.
    int others_after(int records, const ScriptedServer& host, const Result& result) {
        int others = 0;
        for (const std::string& url : result.urls())
            if (url.starts_with(host.url()))
                --records;
            else if (records <= 0)
                ++others;
        return others;
    }

    } // namespace

    TEST_CASE("a host gets no more requests at once than allowed") {
        ScriptedServer one;
        ScriptedServer two;
        fill(two, 12);
        fill(one, 12, {two.url("/")});
        Setup setup;
        setup.settings.workers = 20;
        setup.settings.politeness.max_per_host = 3;
        CHECK(setup.crawl(one.url()).records.size() == 26);
        CHECK(one.most_at_once() == 3);
        CHECK(two.most_at_once() == 3);
    }

    TEST_CASE("there is a pause between the starts of two requests to a host") {
        ScriptedServer one;
        ScriptedServer two;
        fill(two, 4);
        fill(one, 4, {two.url("/")});
        Setup setup;
        setup.settings.politeness.delay = 100ms;
        const Arrivals arrivals(setup);
        const Result result = setup.crawl(one.url());
        CHECK(result.records.size() == 10);
        CHECK(arrivals.shortest(one) >= 0.0999);
        CHECK(arrivals.shortest(two) >= 0.0999);
        CHECK(result.seconds < 1.0); // both at the same time: 0.5 and 0.1
        CHECK(result.progress.waiting == 0);
    }

    TEST_CASE("with one worker and pauses, the order is that of the queue") {
        ScriptedServer server;
        fill(server, 8);
        Setup setup;
        setup.settings.workers = 1;
        setup.settings.politeness.delay = 20ms;
        const Result result = setup.crawl(server.url());
        std::vector<std::string> expected{server.url()};
        for (int i = 0; i < 8; ++i)
            expected.push_back(server.url(fmt::format("/{}", i)));
        CHECK(result.urls() == expected);
    }

    TEST_CASE("a server that is busy is left alone for a while, and others are not") {
        ScriptedServer busy;
        ScriptedServer other;
        fill(busy, 3, {other.url("/")});
        busy.on("/0", {respond(503, "text/html", "", "Retry-After: 1\r\n"), page({})});
        fill(other, 5);
        Setup setup;
        setup.settings.workers = 1;
        std::map<std::string, double> ended;
        const auto start = Clock::now();
        setup.on_record = [&](const Record& record) {
            ended[std::string(record.url.href())] =
                std::chrono::duration<double>(Clock::now() - start).count();
        };
        const Result result = setup.crawl(busy.url());
        CHECK(result.progress.dead == 0);
        CHECK(ended.at(busy.url("/0")) >= 1.0);
        CHECK(ended.at(busy.url("/2")) >= 1.0); // the same host
        CHECK(ended.at(other.url("/4")) < 1.0);
    }

    TEST_CASE("so is one that says that these are too many requests") {
        ScriptedServer busy;
        busy.on("/0", {respond(429, "text/html", ""), page({})});
        busy.on("/1", page({}));
        ScriptedServer other;
        other.on("/", page({}));
        Setup setup;
        setup.settings.workers = 1;
        const Result result = setup.crawl({busy.url("/0"), busy.url("/1"), other.url()});
        CHECK(result.records.size() == 3);
        CHECK(result.progress.dead == 0);
        CHECK(result.urls().front() == other.url()); // though it came last
    }

    TEST_CASE("who comes back for another try stands in line like all others") {
        const Reply busy = respond(503, "text/html", "");
        const auto crawl = [](std::vector<Reply> replies, const auto& configure,
                              const std::string& robots = "") {
            ScriptedServer server;
            fill(server, 6);
            server.on("/2", std::move(replies));
            if (!robots.empty())
                server.on("/robots.txt", respond(200, "text/plain", robots));
            Setup setup;
            setup.obey_robots = !robots.empty();
            setup.settings.timeout = 20s;
            configure(setup.settings);
            const Result result = setup.crawl(server.url());
            CHECK(result.ending == Ending::complete);
            CHECK(result.records.size() == 7);
            CHECK(result.progress.dead == 0);
            CHECK(result.progress.waiting == 0);
            return result[server.url("/2")].tries;
        };
        const auto delay = [](CrawlSettings& settings) {
            settings.politeness.delay = 50ms;
        };
        const auto one_at_once = [](CrawlSettings& settings) {
            settings.politeness.max_per_host = 1;
        };
        const auto nothing = [](CrawlSettings&) {};
        CHECK(crawl({busy, page({})}, delay) == 2);
        CHECK(crawl({busy, page({})}, one_at_once) == 2);
        CHECK(crawl({busy, page({})}, nothing, "User-agent: *\nCrawl-delay: 0.05") == 2);
        CHECK(crawl({Reply{Reset{}}, Reply{}, page({})}, delay) == 3);
        CHECK(crawl({respond(502, "text/html", ""), page({})}, one_at_once) == 2);
    }

    TEST_CASE("a server that is busy for ever is given up, page by page") {
        ScriptedServer server;
        std::vector<std::string> links;
        for (int i = 0; i < 10; ++i) {
            links.push_back(fmt::format("/{}", i));
            server.on(links.back(), respond(503, "text/html", ""));
        }
        server.on("/", page(links));
        Setup setup;
        setup.settings.max_tries = 3;
        setup.settings.timeout = 30s;
        const Result result = setup.crawl(server.url());
        CHECK(result.ending == Ending::complete);
        CHECK(result.records.size() == 11);
        CHECK(result.progress.dead == 10);
        CHECK(server.requests().size() == 31);
    }

    // With fewer workers than the slow host has pages: if each of them kept a
    // worker while it waits, nobody would be left for the others.
    TEST_CASE("ten hosts, one wants 1 s a request: the others don't notice") {
        const QuickHosts quick;
        ScriptedServer slow;
        slow.on("/robots.txt",
                respond(200, "text/plain", "User-agent: *\nCrawl-delay: 1\n"));
        slow.on("/", page({"/1", "/2", "/3", "/4"}));
        for (const char* path : {"/1", "/2", "/3", "/4"})
            slow.on(path, page({}));
        Setup setup;
        setup.obey_robots = true;
        setup.settings.workers = 3;
        const Result result = setup.crawl(quick.roots_after({slow.url()}));
        CHECK(result.ending == Ending::complete);
        CHECK(result.records.size() == 9 * 7 + 5);
        CHECK(result.progress.dead == 0);
        CHECK(others_after(3, slow, result) == 0);
    }

    TEST_CASE("ten hosts, one answers late: the others don't notice") {
        const QuickHosts quick;
        ScriptedServer slow;
        for (const char* path : {"/", "/1", "/2"})
            slow.on(path, Reply{Pause{1s}, page({})[0]});
        Setup setup;
        setup.settings.workers = 2;
        setup.settings.politeness.max_per_host = 1;
        const Result result = setup.crawl(
            quick.roots_after({slow.url("/"), slow.url("/1"), slow.url("/2")}));
        CHECK(result.ending == Ending::complete);
        CHECK(result.records.size() == 9 * 7 + 3);
        CHECK(result.progress.dead == 0);
        CHECK(others_after(2, slow, result) == 0);
    }

    // More of its pages than there are workers.
    TEST_CASE(
        "ten hosts, one has a robots.txt that comes late: the others don't notice") {
        const QuickHosts quick;
        ScriptedServer slow;
        slow.on("/robots.txt", Reply{Pause{1s}, respond(200, "text/plain", "")[0]});
        std::vector<std::string> roots;
        for (const char* path : {"/1", "/2", "/3", "/4"}) {
            slow.on(path, page({}));
            roots.push_back(slow.url(path));
        }
        Setup setup;
        setup.obey_robots = true;
        setup.settings.workers = 2;
        const Result result = setup.crawl(quick.roots_after(roots));
        CHECK(result.ending == Ending::complete);
        CHECK(result.records.size() == 9 * 7 + 4);
        CHECK(result.progress.dead == 0);
        CHECK(others_after(1, slow, result) == 0);
        CHECK(slow.times_asked("/robots.txt") == 1);
    }

    TEST_CASE("who may fetch only so many does not wait for those who stand in line") {
        ScriptedServer slow;
        fill(slow, 2);
        ScriptedServer other;
        other.on("/", page({}));
        Setup setup;
        setup.settings.workers = 1;
        setup.settings.politeness.delay = 10s;
        setup.settings.max_pages = 2;
        const Result result =
            setup.crawl({slow.url(), slow.url("/0"), slow.url("/1"), other.url()});
        CHECK(result.ending == Ending::max_pages);
        CHECK(result.urls() == std::vector{slow.url(), other.url()});
        CHECK(result.seconds < 5.0);
    }

    TEST_CASE("who was called, and may not fetch any more, is in nobody's way") {
        ScriptedServer busy;
        busy.on("/", {respond(503, "text/html", ""), page({})});
        ScriptedServer other;
        other.on("/", page({}));
        Setup setup;
        setup.settings.workers = 1;
        setup.settings.max_pages = 2;
        setup.settings.timeout = 5s;
        const Result result =
            setup.crawl({busy.url(), busy.url("/0"), busy.url("/1"), other.url()});
        CHECK(result.ending == Ending::max_pages);
        CHECK(result.urls() == std::vector{other.url(), busy.url()});
        CHECK(result[busy.url()].tries == 2);
        CHECK(busy.requests().size() == 2);
    }

    TEST_CASE("cancelled, the crawl leaves those who stand in line") {
        ScriptedServer server;
        fill(server, 30);
        Setup setup;
        setup.settings.politeness.delay = 10s;
        setup.during = [](EventLoop& loop, auto& task) {
            loop.call_later(100ms, [&task] { task.cancel(); });
        };
        const Result result = setup.crawl(server.url());
        CHECK(result.ending == Ending::interrupted);
        CHECK(result.progress.waiting == 30);
        CHECK(result.seconds < 2.0);
    }
}

TEST_SUITE("robots.txt") {
    namespace {

    Reply robots(std::string_view text) { return respond(200, "text/plain", text); }

    Setup obedient() {
        Setup setup;
        setup.obey_robots = true;
        return setup;
    }

    } // namespace

    TEST_CASE("what is disallowed is recorded, and not fetched") {
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
        CHECK(result.records.size() == 4); // none for robots.txt itself
        CHECK(result.progress.dead == 0);
        CHECK(result.progress.fetched == 3);
        CHECK(server.requests().at(0).target == "/robots.txt");
        CHECK(result.notes.empty());
    }

    TEST_CASE("it's asked for once, however many want to know") {
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

    TEST_CASE("our own name counts") {
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

    TEST_CASE("where there is none, all is allowed; where it fails, nothing is") {
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

    TEST_CASE("a moment of trouble passes, for robots.txt as for a page") {
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

    TEST_CASE("who says when to come back is asked then, and not after a day") {
        ScriptedServer server;
        server.on("/", page({}));
        server.on("/robots.txt", respond(503, "text/html", "", "Retry-After: 86400\r\n"));
        CHECK(obedient().crawl(server.url())[server.url()].outcome
              == Outcome::disallowed);
        CHECK(server.times_asked("/robots.txt") == 1);
    }

    TEST_CASE("where nobody answers, the page has failed as it would itself") {
        Setup setup = obedient();
        setup.settings.max_tries = 2;
        const Result result = setup.crawl("http://127.0.0.1:1/");
        CHECK(result["http://127.0.0.1:1/"].outcome == Outcome::failed);
        CHECK(result["http://127.0.0.1:1/"].error == "connection refused");
        CHECK(result["http://127.0.0.1:1/"].tries == 2);
    }

    TEST_CASE("after a failure it's asked for again") {
        ScriptedServer server;
        server.on("/robots.txt", {Reply{Reset{}}, robots("User-agent: *\nDisallow: /a")});
        server.on("/", page({"/a"}));
        const Result result = obedient().crawl(server.url());
        CHECK(result[server.url()].outcome == Outcome::page);
        CHECK(result[server.url()].tries == 1);
        CHECK(result[server.url("/a")].outcome == Outcome::disallowed);
        CHECK(server.times_asked("/robots.txt") == 2);
    }

    TEST_CASE("five redirects are followed, also to elsewhere, and no more") {
        ScriptedServer server;
        ScriptedServer other;
        other.on("/rules", robots("User-agent: *\nDisallow: /"));
        server.on("/", page({}));
        server.on("/robots.txt", redirect_to("/1"));
        for (int i = 1; i < 4; ++i)
            server.on(fmt::format("/{}", i), redirect_to(fmt::format("/{}", i + 1)));
        server.on("/4", redirect_to(other.url("/rules")));
        CHECK(obedient().crawl(server.url())[server.url()].outcome
              == Outcome::disallowed);
        server.on("/4", redirect_to("/5"));
        server.on("/5", redirect_to(other.url("/rules")));
        CHECK(obedient().crawl(server.url())[server.url()].outcome == Outcome::page);
        server.on("/4", redirect_to("mailto:x"));
        CHECK(obedient().crawl(server.url())[server.url()].outcome == Outcome::page);
    }

    TEST_CASE("a large one is read as far as need be, whatever the limit for pages") {
        ScriptedServer server;
        server.on("/robots.txt",
                  robots("User-agent: *\nDisallow: /a\n" + std::string(1'000'000, '#')));
        server.on("/", page({"/a"}));
        Setup setup = obedient();
        setup.settings.session.max_body = 1000;
        CHECK(setup.crawl(server.url())[server.url("/a")].outcome == Outcome::disallowed);
    }

    TEST_CASE("of one that is too large, the line at the limit doesn't count") {
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

    TEST_CASE("a redirect that leads nowhere is as good as none") {
        ScriptedServer server;
        server.on("/", page({}));
        server.on("/rules", robots("User-agent: *\nDisallow: /"));
        const std::size_t crawls = 4;
        for (const Reply& reply :
             {respond(301, "text/html", ""),
              respond(302, "text/html", "", "Location: \r\n"),
              respond(300, "text/html", "", "Location: /rules\r\n"),
              respond(304, "text/html", "", "Location: /rules\r\n")}) {
            server.on("/robots.txt", reply);
            CHECK(obedient().crawl(server.url())[server.url()].outcome == Outcome::page);
        }
        CHECK(server.times_asked("/robots.txt") == crawls);
        CHECK(server.times_asked("/rules") == 0);
    }

    TEST_CASE("it's a request as any other: the next one keeps its distance") {
        ScriptedServer server;
        server.on("/robots.txt", robots(""));
        server.on("/", page({"/a"}));
        Setup setup = obedient();
        setup.settings.politeness.delay = 150ms;
        CHECK(setup.crawl(server.url()).seconds >= 0.2999);
    }

    TEST_CASE("the pause that it asks for is made, if it's longer than ours") {
        ScriptedServer server;
        server.on("/robots.txt", robots("User-agent: *\nCrawl-delay: 0.15\n"));
        server.on("/", page({"/a", "/b"}));
        Setup setup = obedient();
        setup.settings.politeness.delay = 10ms;
        const Result result = setup.crawl(server.url());
        CHECK(result.records.size() == 3);
        CHECK(result.seconds >= 0.2999);
    }

    TEST_CASE("what is disallowed is no fetch") {
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

    TEST_CASE("who may fetch only so many does not wait for a robots.txt") {
        ScriptedServer server;
        server.on("/", page({}));
        ScriptedServer silent;
        silent.on("/robots.txt", {Hold{}});
        Setup setup;
        setup.obey_robots = true;
        setup.settings.max_pages = 1;
        const Result result =
            setup.crawl({silent.url("/1"), silent.url("/2"), server.url()});
        CHECK(result.ending == Ending::max_pages);
        CHECK(result.urls() == std::vector{server.url()});
        CHECK(result.seconds < 10.0); // 30 s would be its time limit
    }

    TEST_CASE("a robots.txt that never comes is the failure of all who wait for it") {
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

    TEST_CASE("a robots.txt that can't be had is asked for no more often than a page") {
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

    TEST_CASE("a failure is known to those who come later, too") {
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

    TEST_CASE("more late robots.txt than are fetched at once hold up nobody else") {
        ScriptedServer late; // by many names
        late.on("/robots.txt", Reply{Pause{300ms}, robots("")[0]});
        late.on("/", page({}));
        ScriptedServer quick;
        quick.on("/", page({}));
        Setup setup;
        setup.obey_robots = true;
        setup.settings.workers = 2;
        setup.settings.robots_at_once = 4;
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
        CHECK(late.most_at_once() <= 4 + 2);
    }

    TEST_CASE("of many origins, only so many robots.txt are fetched at once") {
        const std::size_t most = CrawlSettings().robots_at_once;
        ScriptedServer server; // by as many names as it takes
        server.on("/robots.txt", Reply{Pause{50ms}, robots("")[0]});
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
        CHECK(server.most_at_once() >= most / 2); // the worker doesn't wait for them
        CHECK(server.most_at_once() <= most + setup.settings.workers);
    }

    TEST_CASE("cancelled while it waits for robots.txt, the crawl ends") {
        ScriptedServer server;
        server.on("/robots.txt", {Hold{}});
        Setup setup = obedient();
        setup.during = [](EventLoop& loop, auto& task) {
            loop.call_later(100ms, [&task] { task.cancel(); });
        };
        CHECK(setup.crawl({server.url(), server.url("/a")}).ending
              == Ending::interrupted);
    }
}

TEST_SUITE("limits") {
    TEST_CASE("a depth of 0 is the roots, and redirects don't count") {
        ScriptedServer server;
        server.on("/", redirect_to("/start"));
        server.on("/start", page({"/1"}));
        server.on("/1", page({"/2"}));
        server.on("/2", page({}));
        Setup setup;
        setup.settings.max_depth = 0;
        Result result = setup.crawl(server.url());
        CHECK(result.ending == Ending::complete);
        CHECK(result.urls() == std::vector{server.url("/"), server.url("/start")});
        CHECK(result[server.url("/start")].links == 1);
        CHECK(result[server.url("/start")].new_links == 1);
        setup.settings.max_depth = 1;
        CHECK(setup.crawl(server.url()).records.size() == 3);
    }

    TEST_CASE("what was met too deep, and then nearer, is fetched") {
        ScriptedServer server;
        server.on("/", page({"/fast", "/slow"}));
        server.on("/fast", page({"/deep"}));
        server.on("/deep", page({"/x"})); // at depth 3
        server.on("/slow", Reply{Pause{200ms}, page({"/x"})[0]});
        server.on("/x", page({}));
        Setup setup;
        setup.settings.max_depth = 2;
        const Result result = setup.crawl(server.url());
        CHECK(result[server.url("/x")].depth == 2);
        CHECK(result[server.url("/x")].parent == server.url("/slow"));
    }

    TEST_CASE("so many pages are fetched and no more") {
        ScriptedServer server;
        for (int i = 0; i < 30; ++i)
            server.on(fmt::format("/{}", i), page({fmt::format("/{}", 2 * i + 1),
                                                   fmt::format("/{}", 2 * i + 2)}));
        Setup setup;
        setup.settings.max_pages = 7;
        const Result result = setup.crawl(server.url("/0"));
        CHECK(result.ending == Ending::max_pages);
        CHECK(result.records.size() == 7);
        CHECK(server.requests().size() == 7);
    }

    TEST_CASE("a site that has just so many is complete, tries not counted") {
        ScriptedServer server;
        server.on("/", page({"/a"}));
        server.on("/a", {Reply{Reset{}}, page({"/"})});
        Setup setup;
        setup.settings.max_pages = 2;
        const Result result = setup.crawl(server.url());
        CHECK(result.ending == Ending::complete);
        CHECK(result.records.size() == 2);
    }

    TEST_CASE("a crawl ends when its time is over, whatever is under way") {
        ScriptedServer server;
        server.on("/", page({"/silent", "/broken"}));
        server.on("/silent", {Hold{}});
        server.on("/broken", Reply{Reset{}});
        Setup setup;
        setup.settings.timeout = 300ms;
        const Result result = setup.crawl(server.url());
        CHECK(result.ending == Ending::timed_out);
        CHECK(result.urls() == std::vector{server.url()});
        CHECK(result.seconds < 2.0);
    }

    TEST_CASE("a fetch that takes too long is failed, and the crawl goes on") {
        ScriptedServer server;
        server.on("/", page({"/silent", "/good"}));
        server.on("/silent", {Hold{}});
        server.on("/good", page({}));
        Setup setup;
        setup.settings.session.fetch_timeout = 200ms;
        setup.settings.max_tries = 2;
        const Result result = setup.crawl(server.url());
        CHECK(result.ending == Ending::complete);
        CHECK(result[server.url("/silent")].error == "timed out after 0.2 s");
        CHECK(result[server.url("/silent")].tries == 2);
        CHECK(result[server.url("/good")].outcome == Outcome::page);
    }
}

TEST_SUITE("how it ends") {
    TEST_CASE("cancelled, it ends at once, and tells what was done") {
        ScriptedServer server;
        std::vector<std::string> links;
        for (int i = 0; i < 20; ++i) {
            links.push_back(fmt::format("/{}", i));
            server.on(links.back(), {Hold{}});
        }
        server.on("/", page(links));
        Setup setup;
        setup.during = [](EventLoop& loop, auto& task) {
            loop.call_later(200ms, [&task] { task.cancel(); });
        };
        const Result result = setup.crawl(server.url());
        CHECK(result.ending == Ending::interrupted);
        CHECK(result.urls() == std::vector{server.url()});
        CHECK(result.progress.in_flight == 0);
        CHECK(result.progress.waiting == 20); // what was being fetched, was given back
        CHECK(result.seconds < 2.0);
    }

    TEST_CASE("cancelled twice, it still waits for its workers") {
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

    TEST_CASE("cancelled before it has begun, it never begins") {
        ScriptedServer server;
        Setup setup;
        setup.during = [](EventLoop&, auto& task) { task.cancel(); };
        CHECK_THROWS_AS(setup.crawl(server.url()), stage3::Cancelled);
        CHECK(server.requests().empty());
    }

    TEST_CASE("a page whose parsing fails is a record, and the crawl goes on") {
        ScriptedServer server;
        server.on("/", page({"/a", "/b", "/c"}));
        for (const char* path : {"/a", "/b", "/c"})
            server.on(path, page({}));
        Setup setup;
        setup.settings.workers = 1;
        setup.settings.fail_parsing = 3;
        const Result result = setup.crawl(server.url());
        CHECK(result.ending == Ending::complete);
        CHECK(result.records.size() == 4);
        CHECK(result[server.url("/b")].outcome == Outcome::failed);
        CHECK(result[server.url("/b")].status == 200);
        CHECK(result[server.url("/b")].error
              == "parsing failed, as --fail-parsing has asked");
        CHECK(result[server.url("/c")].outcome == Outcome::page);
        REQUIRE(result.notes.size() == 1);
        const std::string& note = result.notes[0];
        CAPTURE(note);
        // g++ says "Crawler<F>", clang++ "Crawler<>".
        const auto work = note.find(">::work, waiting at crawler.h:");
        CHECK(note.find("  stage3::Crawler<") < work);
        const auto judge =
            note.find("  stage3::PageJudge::judge, waiting at page_judge.cpp:");
        const auto calls = note.find("  stage3::PageReader::read, before its first ");
        CHECK(work < judge);
        CHECK(judge < calls);
        CHECK(calls != std::string::npos);
    }

    TEST_CASE("whatever else goes wrong with a page ends in its record, too") {
        ScriptedServer server;
        server.on("/", page({"/a", "/b"}));
        server.on("/a", page({"/" + std::string(9000, 'x')})); // worth a note
        server.on("/b", page({}));
        Setup setup;
        setup.on_note = [](const std::string&) {
            throw std::runtime_error("a surprise");
        };
        const Result result = setup.crawl(server.url());
        CHECK(result[server.url("/a")].outcome == Outcome::failed);
        CHECK(result[server.url("/a")].error == "a surprise");
        CHECK(result[server.url("/b")].outcome == Outcome::page);
    }

    TEST_CASE(
        "one that is wanting for a moment harms nothing, however many wait for it") {
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

    TEST_CASE("where no descriptor ever comes, the crawl ends with that error") {
        ScriptedServer server;
        server.on("/", page({}));
        tests::Fault fault;
        fault.no_descriptor_for_socket = 1'000'000;
        CHECK_THROWS_WITH(Setup().crawl(server.url()), doctest::Contains("ulimit -n"));
        std::vector<std::string> roots; // so many that one or another is always trying
        for (int i = 0; i < 20; ++i)
            roots.push_back(server.url(fmt::format("/{}", i)));
        CHECK_THROWS_WITH(Setup().crawl(roots), doctest::Contains("ulimit -n"));
    }

    TEST_CASE("where records can't be written, the crawl ends with that error") {
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
        urls.check_that_none_is_lost(); // met, but not to be fetched
        known.state = stage3::KnownUrl::State::queued;
        CHECK(urls.count_queued() == 1);
        CHECK_THROWS_WITH_AS(urls.check_that_none_is_lost(),
                             doctest::Contains("http://h/x"), std::logic_error);
        known.state = stage3::KnownUrl::State::dead;
        urls.check_that_none_is_lost();
    }
}

TEST_SUITE("order and scope") {
    TEST_CASE("the order of the queue is the order of the records, with one worker") {
        ScriptedServer server;
        server.on("/", page({"/cccc", "/bb"}));
        server.on("/cccc", page({"/a", "/ddddd"}));
        server.on("/bb", page({"/ee"}));
        for (const char* path : {"/a", "/ddddd", "/ee"})
            server.on(path, page({}));
        const auto paths = [&](OrderName order) {
            Setup setup;
            setup.settings.workers = 1;
            setup.settings.order = order;
            std::string text;
            for (const std::string& url : setup.crawl(server.url()).urls())
                text += url.substr(server.url().size() - 1);
            return text;
        };
        CHECK(paths(OrderName::fifo) == "//cccc/bb/a/ddddd/ee");
        CHECK(paths(OrderName::lifo) == "//bb/ee/cccc/ddddd/a");
        CHECK(paths(OrderName::priority) == "//bb/ee/cccc/a/ddddd");
    }

    TEST_CASE(
        "what is excluded has no record, not even a root, nor a redirect's target") {
        ScriptedServer server;
        server.on("/", page({"/private/a", "/moved"}));
        server.on("/moved", redirect_to("/private/b"));
        Setup setup;
        setup.excluded.emplace_back("/private/");
        const Result result = setup.crawl({server.url(), server.url("/private/root")});
        CHECK(result.records.size() == 2);
        CHECK(result[server.url()].links == 1);
        CHECK(result.notes
              == std::vector<std::string>{server.url("/private/root") + " is excluded"});
        CHECK(result[server.url("/moved")].outcome == Outcome::redirect);
        CHECK(server.requests().size() == 2);
    }

    TEST_CASE("the user's headers go to the roots' origins, and to nobody else") {
        ScriptedServer named;
        ScriptedServer other; // the same host, another port
        named.on("/", page({"/a", other.url("/b")}));
        named.on("/a", redirect_to(other.url("/c")));
        for (const char* path : {"/b", "/c"})
            other.on(path, page({}));
        Setup setup;
        setup.settings.session.headers = {"X-Secret: s", "X-Other: t"};
        setup.settings.session.user_agent = "me/1";
        CHECK(setup.crawl(named.url()).records.size() == 4);
        for (const tests::Request& request : named.requests()) {
            CAPTURE(request.head);
            CHECK(request.head.find("X-Secret: s\r\nX-Other: t") != std::string::npos);
            CHECK(request.head.find("User-Agent: me/1\r\n") != std::string::npos);
        }
        CHECK(other.requests().size() == 2);
        for (const tests::Request& request : other.requests()) {
            CHECK(request.head.find("X-Secret") == std::string::npos);
            CHECK(request.head.find("User-Agent: me/1\r\n") != std::string::npos);
        }
    }

    TEST_CASE("robots.txt is asked for as the pages are, and elsewhere as by anybody") {
        ScriptedServer named;
        ScriptedServer other;
        named.on("/robots.txt", redirect_to(other.url("/robots.txt")));
        other.on("/robots.txt",
                 tests::respond(200, "text/plain", "User-agent: *\nDisallow: /no"));
        named.on("/", page({"/no"}));
        Setup setup;
        setup.obey_robots = true;
        setup.settings.session.headers = {"X-Secret: s"};
        const Result result = setup.crawl(named.url());
        CHECK(result[named.url("/no")].outcome == Outcome::disallowed);
        for (const tests::Request& request : named.requests())
            CHECK(request.head.find("\r\nX-Secret: s") != std::string::npos);
        REQUIRE(other.requests().size() == 1);
        CHECK(other.requests()[0].head.find("X-Secret") == std::string::npos);
    }

    TEST_CASE("a root's login is for its origin, and for nobody else") {
        ScriptedServer closed;
        ScriptedServer open;
        closed.on("/", page({"/a", open.url("/x")}));
        closed.on("/a", redirect_to(open.url("/y")));
        for (const char* path : {"/", "/x", "/y"})
            open.on(path, page({}));
        Setup setup;
        setup.obey_robots = true;
        const auto root = common::parse_url(closed.url()).value();
        setup.settings.logins.emplace(root.origin(), common::Login{"me", "secret"});
        CHECK(setup.crawl({closed.url(), open.url()}).records.size() == 5);
        CHECK(closed.requests().size() == 3);
        for (const tests::Request& request : closed.requests())
            CHECK(request.head.find("\r\nAuthorization: Basic bWU6c2VjcmV0")
                  != std::string::npos);
        CHECK(open.requests().size() == 4);
        for (const tests::Request& request : open.requests())
            CHECK(request.head.find("Authorization") == std::string::npos);
    }

    TEST_CASE("several roots are one crawl") {
        ScriptedServer one;
        ScriptedServer two(AF_INET6);
        one.on("/", page({two.url("/x")}));
        two.on("/", page({one.url("/")}));
        two.on("/x", page({}));
        const Result result = Setup().crawl({one.url(), two.url(), one.url()});
        CHECK(result.records.size() == 3);
        CHECK(result[two.url("/")].depth == 0);
    }

    TEST_CASE("a site that goes deeper and deeper comes to an end, and that is said") {
        ScriptedServer server;
        const std::vector<std::string> links{"a/", "?next", "?next&more"};
        server.on("/", page(links));
        server.on("/a/", page(links));
        server.on("/a/a/", page(links));
        Setup setup;
        setup.settings.traps = {.path_depth = 20, .repeats = 2, .queries = 1};
        setup.settings.workers = 1;
        const Result result = setup.crawl(server.url());
        CHECK(result.records.size() == 6); // three paths, each with one query, all told
        REQUIRE(result.left_out.size() == 2);
        CHECK(result.left_out[0].example == server.url("/?next&more"));
        CHECK(result.left_out[0].links == 3);
        CHECK(result.left_out[1].why.ends_with("more than 2 times (--max-repeats)"));
        CHECK(result.left_out[1].example == server.url("/a/a/a/"));
        CHECK(result.left_out[1].links == 1);
        REQUIRE(result.notes.size() == 2); // each kind once
        CHECK(result.notes[1]
              == server.url("/a/a/") + ": " + server.url("/a/a/a/")
                     + " is left out, and so will be other links "
                       "with one part of their path more than 2 times (--max-repeats)");
    }

    TEST_CASE("whose root is deep, or who wants to go that far, is in no trap") {
        ScriptedServer server;
        const std::string deep =
            "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/";
        server.on(deep, page({"22", "22/23"}));
        server.on(deep + "22", page({}));
        server.on(deep + "22/23", page({"/1/1/1/1/1"}));
        Setup setup;
        setup.settings.max_depth = 1;
        const Result result = setup.crawl(server.url(deep));
        CHECK(result.records.size() == 3);
        CHECK(result.left_out.empty());

        server.on("/a/a/a/a/", page({"b"}));
        server.on("/a/a/a/a/b", page({}));
        const Result repeated = Setup().crawl(server.url("/a/a/a/a/"));
        CHECK(repeated.records.size() == 2);
        CHECK(repeated.left_out.empty());
    }

    TEST_CASE("a page with too many links is read to a limit, and that is said") {
        ScriptedServer server;
        std::string body;
        for (int i = 0; i < 10'005; ++i)
            body += fmt::format("<a href='http://elsewhere.example/{}'>", i);
        body += "<a href=/inside>";
        for (int i = 0; i < 10'004; ++i)
            body += fmt::format("<a href='/{}'>", i);
        body += fmt::format("<a href='/{}'>", std::string(9000, 'x'));
        server.on("/", html(body));
        Setup setup;
        setup.settings.max_pages = 2;
        setup.settings.workers = 1;
        const Result result = setup.crawl(server.url());
        CHECK(result[server.url()].links == 10'000);
        REQUIRE(result.left_out.size() == 2);
        CHECK(result.left_out[0].links == 5);
        CHECK(result.left_out[0].example == "on " + server.url());
        CHECK(result.left_out[1].links == 1);
        CHECK(result[server.url("/inside")].status == 404); // foreign ones don't count
        CHECK(result.notes
              == std::vector<std::string>{
                  server.url()
                      + ": 5 links are left out, being beyond the limit for a page",
                  server.url() + ": 1 links are left out, being too long for URLs"});
    }
}
