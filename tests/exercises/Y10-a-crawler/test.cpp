#include "crawler.h"
#include "loop.h"
#include "session.h"
#include "task.h"
#include "tests/exercises/track/timed_kit.h"
#include "tests/support/scripted_server.h"
#include "tests/support/url.h"

using common::HttpResponse;
using common::Url;
using tests::html;
using tests::redirect_to;
using tests::Reply;
using tests::respond;
using tests::ScriptedServer;
using track::end_of;
using yours::Crawler;
using yours::Record;
using yours::Session;
using yours::Settings;
using yours::Task;

namespace {

/// A server, a crawler, and what it needs.
struct CrawlTest : track::TimedStory {
    ScriptedServer server;
    Session session{loop};
    Settings settings = without_pause();
    std::optional<Crawler> crawler;
    std::optional<Task> main; // runs the crawler

    static Settings without_pause() {
        Settings settings;
        settings.time_before_retry = 0ms;
        return settings;
    }

    Url url_of(const std::string& path) const { return tests::url_of(server.url(path)); }

    void begin() {
        crawler.emplace(loop, session, url_of("/"), settings);
        main.emplace(loop, crawler->run());
    }

    /// Crawls all of the site. False if that never ends.
    bool crawls() {
        begin();
        return ends(*main);
    }

    /// The same, and calls `meanwhile` every now and then.
    bool crawls_meanwhile(const std::function<void()>& meanwhile) {
        begin();
        return turns_until([&] {
            loop.call_later(1ms, [] {}); // look again
            meanwhile();
            return main->done();
        });
    }

    std::string why_dead(const std::string& path) const {
        return crawler->why_dead(url_of(path));
    }

    bool has_record(const std::string& path) const {
        return crawler->records().contains(url_of(path));
    }

    const Record& record(const std::string& path) const {
        REQUIRE_MESSAGE(has_record(path),
                        path << " has no record, and so it isn't done.");
        return crawler->records().at(url_of(path));
    }

    /// The paths of the requests so far, in their order.
    std::string requests() const {
        std::string all;
        for (const tests::Request& request : server.requests())
            all += (all.empty() ? "" : " ") + request.target;
        return all;
    }

    /// Lets the loop turn until that many requests have come.
    bool has_asked(std::size_t times) {
        return turns_until([&] {
            loop.call_later(1ms, [] {}); // look again
            return server.requests().size() >= times;
        });
    }
};

/// Links to /0, /1 and so on.
std::string links(int number) {
    std::string text;
    for (int i = 0; i < number; ++i)
        text += "<a href=/" + std::to_string(i) + ">link</a> ";
    return text;
}

} // namespace

TEST_CASE_FIXTURE(CrawlTest, "C1: a crawl ends when every URL is done, and each was "
                             "fetched once") {
    server.on("/", html("<a href=/a>a</a> <a href=/b>b</a> <a href=/a>a again</a>"));
    server.on("/a", html("<a href=/>back</a> <a href=/c>c</a> <a href=/d>d</a>"));
    server.on("/b", html("<a href=/c>c</a>"));
    server.on("/c", html("<a href=/b>b</a>"));
    server.on("/d", html("<a href=/e>e</a>"));
    server.on("/e", html("the last one"));
    SUBCASE("one worker") { settings.workers = 1; }
    SUBCASE("ten workers") { settings.workers = 10; }
    REQUIRE_MESSAGE(crawls(),
                    "the crawl never ends. Its requests were: "
                        << requests()
                        << ". The workers can't know when everything is done, so "
                           "something else has to wait for that, and end them.");
    REQUIRE_MESSAGE(crawler->found_on().contains(url_of("/")),
                    "run has ended, and has not even found the root.");
    REQUIRE_MESSAGE(crawler->found_on().size() == 6,
                    "a site has six pages, and the crawler has found "
                        << crawler->found_on().size()
                        << " of them. Its requests were: " << requests()
                        << ". The links of a page are added before it counts as done.");
    for (const char* path : {"/", "/a", "/b", "/c", "/d", "/e"}) {
        REQUIRE_MESSAGE(server.times_asked(path) == 1,
                        path << " was asked for " << server.times_asked(path)
                             << " times. All requests: " << requests());
        REQUIRE(record(path).status == 200);
        REQUIRE_MESSAGE(why_dead(path).empty(),
                        path << " is a good page, but is dead: " << why_dead(path));
    }
    REQUIRE_MESSAGE(end_of(*main) == "well",
                    "every URL was done, and the crawl ended: " << end_of(*main));
}

TEST_CASE_FIXTURE(CrawlTest, "C2: as many pages are fetched at the same time as there "
                             "are workers, and never more") {
    settings.workers = 3;
    server.on("/", html(links(9)));
    for (int i = 0; i < 9; ++i) {
        Reply reply = {tests::Meet{3, 3s}, tests::Pause{10ms}};
        const Reply page = html("");
        reply.insert(reply.end(), page.begin(), page.end());
        server.on("/" + std::to_string(i), reply);
    }
    REQUIRE(crawls());
    REQUIRE_MESSAGE(server.most_at_once() == 3,
                    "there are 3 workers and enough to do, but the server has seen "
                        << server.most_at_once() << " requests at the same time.");
    REQUIRE(crawler->records().size() == 10);
}

TEST_CASE_FIXTURE(CrawlTest, "C3: only pages of the root's host are fetched, and each is "
                             "noted with the page that led to it") {
    const std::string other =
        "http://localhost:" + std::to_string(server.port()) + "/elsewhere";
    server.on("/", html("<a href=/a>a</a> <a href='" + other + "'>far</a>"));
    server.on("/a", html("<a href=/b>b</a>"));
    server.on("/b", html("<a href=/a>a</a>"));
    REQUIRE(crawls());
    REQUIRE_MESSAGE(server.times_asked("/elsewhere") == 0,
                    "a page links to another host, and the crawler has followed the "
                    "link. There would be no end to that.");
    REQUIRE(crawler->found_on().size() == 3);
    REQUIRE_MESSAGE(crawler->found_on().at(url_of("/a")) == url_of("/"),
                    "/a was found on / first, and is noted with "
                        << crawler->found_on().at(url_of("/a")).href());
    REQUIRE(crawler->found_on().at(url_of("/b")) == url_of("/a"));
}

// ---- What servers do ----

TEST_CASE_FIXTURE(
    CrawlTest,
    "C4: a fetch that failed gets one more try, and a page that is gone none") {
    SUBCASE("among others") {
        server.on("/", html("<a href=/last> <a href=/busy> <a href=/many> "
                            "<a href=/gone> <a href=/broken> <a href=/down>"));
        // Meanwhile, something is always unfinished.
        server.on("/last", tests::Reply{tests::AwaitRelease{1s}, tests::Reset()});
        server.on("/busy", {respond(503, "text/html", ""), html("here I am")});
        server.on("/many", {respond(429, "text/html", ""), html("here I am")});
        server.on("/broken", {Reply{tests::Reset()}, html("here I am")});
        server.on("/down", respond(500, "text/html", ""));
        const std::set<std::string> second_tries{"/busy", "/many", "/broken", "/down"};
        REQUIRE_MESSAGE(
            crawls_meanwhile([&] {
                if (std::ranges::all_of(second_tries, [&](const std::string& path) {
                        return server.times_asked(path) == 2;
                    }))
                    server.release();
            }),
            "some fetches have failed, and the crawl never ends. Its "
            "requests were: "
                << requests()
                << ". Does the visit go back when its second has passed? A "
                   "coroutine's parameters live as long as its frame, and "
                   "the group keeps the frame.");
        REQUIRE_MESSAGE(has_record("/busy"),
                        "a server was too busy for /busy, and then the URL was lost: it "
                        "has no record. A visit that is destroyed before it is done puts "
                        "its URL back.");
        for (const std::string& path : second_tries)
            REQUIRE_MESSAGE(server.times_asked(path) == 2,
                            "the first try for "
                                << path
                                << " has failed, and one more may help. It was asked for "
                                << server.times_asked(path) << " times.");
        REQUIRE_MESSAGE(server.times_asked("/gone") == 1,
                        "/gone does not exist (404), and was asked for "
                            << server.times_asked("/gone")
                            << " times. Another try can't help.");
        for (const char* path : {"/busy", "/many", "/broken"})
            REQUIRE_MESSAGE(why_dead(path).empty(),
                            "the second try for " << path << " was good, but it is dead: "
                                                  << why_dead(path));
        REQUIRE_MESSAGE(why_dead("/down") == "HTTP status 500",
                        "/down has answered 500 twice. Why it is dead: \""
                            << why_dead("/down") << "\"");
        REQUIRE_MESSAGE(why_dead("/gone") == "HTTP status 404",
                        "/gone has answered 404. Why it is dead: \"" << why_dead("/gone")
                                                                     << "\"");
    }
    SUBCASE("as the only URL") {
        server.on("/", {respond(503, "text/html", ""), html("here I am")});
        REQUIRE(crawls());
        REQUIRE_MESSAGE(has_record("/"),
                        "the only URL that was left needed a second try, and the crawl "
                        "has ended without it. A visit that goes back is put into the "
                        "queue first, and then it counts as dealt with.");
        REQUIRE(record("/").status == 200);
    }
    REQUIRE(end_of(*main) == "well");
}

TEST_CASE_FIXTURE(CrawlTest,
                  "C5: a URL that waits for its second try holds up no worker") {
    settings.workers = 1;
    settings.time_before_retry = 1h;
    server.on("/", html("<a href=/busy> <a href=/other>"));
    server.on("/busy", respond(503, "text/html", ""));
    server.on("/other", html(""));
    begin();
    REQUIRE_MESSAGE(has_asked(3),
                    "there is one worker. While /busy waits for its second try, which is "
                    "in an hour, the worker should fetch /other. Requests: "
                        << requests());
    REQUIRE(requests() == "/ /busy /other");
    REQUIRE(turns_until([&] {
        loop.call_later(1ms, [] {}); // look again
        return has_record("/other");
    }));
    main->cancel();
    REQUIRE(ends(*main));
}

TEST_CASE_FIXTURE(CrawlTest,
                  "C6: a server that says nothing takes no longer than the limit") {
    settings.time_for_fetch = 20ms;
    server.on("/", Reply{tests::Hold()});
    REQUIRE_MESSAGE(crawls(), "a server never answers, and its worker waits forever. The "
                              "limit is 20 ms.");
    REQUIRE_MESSAGE(!why_dead("/").empty(),
                    "a server has not answered in time, but its URL is not dead.");
}

TEST_CASE_FIXTURE(CrawlTest, "C7: a redirect is as dead as its target") {
    server.on("/", html("<a href=/good> <a href=/bad> <a href=/circle> <a href=/out>"));
    server.on("/good", redirect_to("/end"));
    server.on("/end", html(""));
    server.on("/bad", redirect_to("/gone"));
    server.on("/circle", redirect_to("/elcric"));
    server.on("/elcric", redirect_to("/circle"));
    server.on("/out", redirect_to("http://nobody.example/"));
    REQUIRE(crawls());
    REQUIRE(crawler->records().size() == 8);
    REQUIRE_MESSAGE(why_dead("/good").empty(),
                    "/good redirects to a good page, but is dead: " << why_dead("/good"));
    REQUIRE_MESSAGE(why_dead("/bad") == why_dead("/gone"),
                    "/bad redirects to /gone, which is dead (\""
                        << why_dead("/gone")
                        << "\"). So /bad is dead for the same reason. Your answer: \""
                        << why_dead("/bad") << "\"");
    REQUIRE(why_dead("/gone") == "HTTP status 404");
    REQUIRE_MESSAGE(!why_dead("/circle").empty(),
                    "/circle redirects to /elcric, and that back to /circle: neither "
                    "leads to a page, so both are dead.");
    REQUIRE_MESSAGE(why_dead("/out").empty(),
                    "/out redirects to another host, which is not fetched. So nothing is "
                    "known against it.");
}

TEST_CASE_FIXTURE(CrawlTest,
                  "C8: a page that can't be read has a record, and ends no worker") {
    settings.workers = 1;
    settings.links_of = [](const HttpResponse& response, const Url& url) {
        if (url.target() == "/bad")
            throw std::runtime_error("can't be read");
        return common::links_of(response, url);
    };
    server.on("/", html("<a href=/bad> <a href=/good>"));
    server.on("/bad", html("<a href=/never>"));
    server.on("/good", html(""));
    REQUIRE(crawls());
    REQUIRE_MESSAGE(
        end_of(*main) == "well",
        "one page can't be read, and that has ended the whole crawl: " << end_of(*main));
    REQUIRE_MESSAGE(why_dead("/bad") == "can't be read",
                    "links_of has thrown \"can't be read\" for /bad. Why it is dead: \""
                        << why_dead("/bad") << "\"");
    REQUIRE(record("/good").status == 200);
}

TEST_CASE_FIXTURE(CrawlTest, "C9: an error that is no page's ends the crawl") {
    settings.links_of = [](const HttpResponse& response, const Url& url) {
        if (url.target() == "/bad")
            throw 42; // NOLINT(hicpp-exception-baseclass)
        return common::links_of(response, url);
    };
    server.on("/", html("<a href=/silent> <a href=/bad>"));
    server.on("/silent", Reply{tests::Hold()});
    server.on("/bad", html(""));
    REQUIRE_MESSAGE(crawls(), "a worker has thrown something that is no std::exception. "
                              "That is more than a bad page, and ends the whole crawl, "
                              "but yours still waits for other pages.");
    REQUIRE_MESSAGE(!has_record("/bad"),
                    "a worker has thrown something that is no std::exception, and /bad "
                    "has a record, as if it were only a bad page.");
    REQUIRE_THROWS_AS(main->throw_if_failed(), int);
}

// ---- How it ends ----

TEST_CASE_FIXTURE(CrawlTest, "C10: a crawl that is asked to end waits for no server, and "
                             "what isn't done has no record") {
    settings.workers = 3;
    server.on("/", html(links(5)));
    for (int i = 0; i < 5; ++i)
        server.on("/" + std::to_string(i), Reply{tests::Hold()});
    begin();
    REQUIRE(has_asked(4)); // the root, and one for each worker
    main->cancel();
    REQUIRE_MESSAGE(ends(*main),
                    "the crawl was asked to end while three workers waited for a silent "
                    "server, and it never ends. Requests: "
                        << requests());
    REQUIRE_MESSAGE(end_of(*main) == "cancelled",
                    "the crawl was asked to end, and it ended: " << end_of(*main));
    REQUIRE_MESSAGE(server.requests().size() == 4,
                    "the crawl was asked to end, and a worker has taken its next page. "
                    "Requests: "
                        << requests());
    REQUIRE(crawler->found_on().size() == 6);
    REQUIRE_MESSAGE(crawler->records().size() == 1,
                    "only the root was done when the crawl was asked to end, but there "
                    "are "
                        << crawler->records().size()
                        << " records. A request to end is not a failed page.");
}

TEST_CASE_FIXTURE(CrawlTest,
                  "C11: a crawl that is asked to end doesn't wait for a second try") {
    settings.time_before_retry = 1h;
    server.on("/", Reply{tests::Reset()});
    begin();
    REQUIRE(turns_until([&] {
        loop.call_later(1ms, [] {});
        return server.replies() == 1;
    }));
    for (int i = 0; i < 100; ++i)
        turn_with_timers(); // the worker has heard of it
    main->cancel();
    REQUIRE_MESSAGE(ends(*main),
                    "the crawl was asked to end while a URL waited for its second try, "
                    "in an hour. But the crawl waits for that try.");
    REQUIRE(end_of(*main) == "cancelled");
    REQUIRE(crawler->records().empty());
}
