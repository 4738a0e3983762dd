// What pages 14 to 17 add to the smallest versions of stage 3's parts: timers and time
// limits, HTTP on curl multi, a crawler that survives, and its end.
#include "stage3_queue_crawler/small/crawler.h"
#include "stage3_queue_crawler/small/interrupt.h"
#include "stage3_queue_crawler/small/loop.h"
#include "stage3_queue_crawler/small/session.h"
#include "tests/crawl/whole_site.h"
#include "tests/support/prelude.h"
#include "tests/support/process.h"
#include "tests/support/scripted_server.h"
#include "tests/support/url.h"

#include <csignal>

using namespace stage3::small;
using tests::ScriptedServer;
using tests::url_of;

namespace {

using Log = std::vector<std::string>;

/// Notes when it is destroyed.
class Noted {
  public:
    Noted(Log& log, std::string text) : log_(log), text_(std::move(text)) {}
    Noted(const Noted&) = delete;
    Noted& operator=(const Noted&) = delete;
    ~Noted() { log_.push_back(text_); }

  private:
    Log& log_;
    std::string text_;
};

struct Timed {
    Loop loop;
    Log log;
};

// ---- Timers and time limits ----

TEST_CASE_FIXTURE(Timed, "the smallest timers: the earliest first, and none that was "
                         "cancelled, even if it is due") {
    const auto note = [this](const char* text) {
        return [this, text] { log.emplace_back(text); };
    };
    // The order in which they are due, even if something holds us up between two of them.
    std::map<Loop::TimerId, std::string> due;
    for (const auto& [delay, name] :
         {std::pair(3ms, "late"), {1ms, "first"}, {1ms, "second"}})
        due.emplace(loop.call_later(delay, note(name)), name);
    std::optional<Timer> never;
    loop.call_later(0ms, [&] { never.reset(); });
    never.emplace(loop, 0ms, note("cancelled"));
    for (const auto& [id, name] : due) {
        while (log.empty())
            loop.turn();
        CHECK(Loop::Clock::now() >= id.first);
        CHECK(log.front() == name);
        log.erase(log.begin());
    }
    CHECK(log.empty());
}

TEST_CASE_FIXTURE(Timed, "the smallest timers: what a callback adds waits for the next "
                         "turn") {
    int calls = 0;
    std::function<void()> again = [&] {
        ++calls;
        loop.call_later(0ms, again);
    };
    loop.call_later(0ms, again);
    loop.turn();
    CHECK(calls == 1);
    loop.turn();
    CHECK(calls == 2);
}

TEST_CASE_FIXTURE(Timed, "the smallest loop with timers sleeps no longer than it is "
                         "allowed to") {
    loop.call_later(1h, [] {});
    const auto start = Loop::Clock::now();
    loop.turn(1ms);
    CHECK(Loop::Clock::now() - start < 30min);
}

/// Waits for `future`, and cleans up in a turn of its own if it is asked to end.
Coroutine<> slow_to_end(Loop& loop, Future& future, Log& log) {
    bool was_asked = false;
    try {
        co_await future;
    } catch (const Cancelled&) {
        was_asked = true;
    }
    co_await sleep(loop, 0ms);
    log.emplace_back("has cleaned up");
    if (was_asked)
        throw Cancelled();
}

Coroutine<> note_whether_in_time(Loop& loop, Loop::Milliseconds limit, Coroutine<> what,
                                 Log& log) {
    try {
        const bool in_time = co_await ends_within(loop, limit, std::move(what));
        log.emplace_back(in_time ? "in time" : "late");
    } catch (const Cancelled&) {
        log.emplace_back("was asked to end");
        throw;
    }
}

TEST_CASE_FIXTURE(Timed,
                  "the smallest time limit: what ends within it, and what doesn't") {
    Future never(loop);
    Task fast(loop, note_whether_in_time(loop, 1h, sleep(loop, 0ms), log));
    run_until_complete(loop, fast);
    CHECK(log == Log{"in time"});
    Task slow(loop, note_whether_in_time(loop, 1ms, slow_to_end(loop, never, log), log));
    run_until_complete(loop, slow);
    CHECK(log == Log{"in time", "has cleaned up", "late"});
}

TEST_CASE_FIXTURE(Timed, "the smallest time limit throws what its coroutine throws") {
    const auto fail = []() -> Coroutine<> {
        throw std::runtime_error("can't be done");
        co_return;
    };
    Task task(loop, note_whether_in_time(loop, 1h, fail(), log));
    CHECK_THROWS_WITH_AS(run_until_complete(loop, task), "can't be done",
                         std::runtime_error);
}

// ---- The session ----

Coroutine<> get(Session& session, common::Url url, common::HttpResponse& response) {
    response = co_await session.get(std::move(url));
}

common::HttpResponse fetched(const std::string& url) {
    Loop loop;
    Session session(loop);
    common::HttpResponse response;
    Task task(loop, get(session, url_of(url), response));
    run_until_complete(loop, task);
    return response;
}

TEST_CASE("the smallest session: status, headers and body") {
    ScriptedServer server;
    server.on("/", tests::respond(200, "text/html", "hello", "X-More:  one \r\n"));
    const auto response = fetched(server.url());
    CHECK(response.status == 200);
    CHECK(response.header("content-type") == "text/html");
    CHECK(response.header("x-more") == "one");
    CHECK(response.body == "hello");
    CHECK(response.error.empty());
    CHECK(fetched(server.url("/nothing")).status == 404);
    CHECK_FALSE(fetched("http://127.0.0.1:1/").error.empty());
}

TEST_CASE("the smallest session: the headers are those of the last response") {
    ScriptedServer server;
    server.on("/", {tests::Send{"HTTP/1.1 103 Early Hints\r\nLocation: /no\r\n\r\n"
                                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}});
    const auto response = fetched(server.url());
    CHECK(response.status == 200);
    CHECK(response.header("location").empty());
}

TEST_CASE("the smallest session keeps its connections") {
    ScriptedServer server;
    auto reply = tests::html("hello");
    reply.emplace_back(tests::KeepOpen());
    server.on("/", reply);
    Loop loop;
    Session session(loop);
    for (int i = 0; i < 3; ++i) {
        common::HttpResponse response;
        Task task(loop, get(session, url_of(server.url()), response));
        run_until_complete(loop, task);
        CHECK(response.body == "hello");
    }
    CHECK(server.connections() == 1);
}

TEST_CASE("the smallest session: a fetch that is cancelled is gone, and others go on") {
    ScriptedServer server;
    server.on("/silent", {tests::Hold()});
    server.on("/slow",
              {tests::AwaitRelease(), tests::Send{"HTTP/1.0 200 OK\r\n\r\nslow"}});
    Loop loop;
    Session session(loop);
    common::HttpResponse silent;
    common::HttpResponse slow;
    Task first(loop, get(session, url_of(server.url("/silent")), silent));
    Task second(loop, get(session, url_of(server.url("/slow")), slow));
    while (server.requests().size() < 2)
        loop.turn(1ms);
    first.cancel();
    CHECK_THROWS_AS(run_until_complete(loop, first), Cancelled);
    server.release();
    run_until_complete(loop, second);
    CHECK(slow.body == "slow");
    CHECK(silent.status == 0);
}

// ---- The crawler ----

const std::chrono::milliseconds no_pause(0);

/// A crawler with all that it needs.
struct Crawling {
    explicit Crawling(const std::string& root, Settings settings = {})
        : crawler(loop, session, url_of(root), without_pause(std::move(settings))) {}

    static Settings without_pause(Settings settings) {
        settings.time_before_retry = no_pause;
        return settings;
    }

    void run() {
        Task task(loop, crawler.run());
        run_until_complete(loop, task);
    }

    Loop loop;
    Session session{loop};
    Crawler crawler;
};

TEST_CASE("the crawler of page 17 finds all of a site, ten pages at a time") {
    std::set<std::string> dead;
    const auto most_requests =
        tests::check_that_all_is_found([&](const common::Url& root) {
            Crawling crawl{std::string(root.href())};
            crawl.run();
            std::set<common::Url> found;
            for (const auto& [url, page] : crawl.crawler.found_on()) {
                found.insert(url);
                if (!crawl.crawler.why_dead(url).empty())
                    dead.emplace(url.href());
            }
            CHECK(crawl.crawler.records().size() == found.size());
            return found;
        });
    CHECK(most_requests > 5);
    CHECK(most_requests <= 10);
    CHECK_FALSE(dead.empty());
    for (const std::string& url : dead)
        CHECK(url.find("/missing/") != url.npos);
}

TEST_CASE("the crawler of page 17: a failed fetch gets another try, a 404 doesn't") {
    ScriptedServer server;
    server.on("/", tests::html("<a href=/busy><a href=/gone><a href=/broken>"));
    server.on("/busy", {tests::respond(503, "text/html", ""), tests::html("here I am")});
    server.on("/broken", {tests::Reset()});
    Crawling crawl(server.url());
    crawl.run();
    CHECK(server.times_asked("/busy") == 2);
    CHECK(server.times_asked("/gone") == 1);
    CHECK(server.times_asked("/broken") == 2);
    const auto why_dead = [&](const char* path) {
        return crawl.crawler.why_dead(url_of(server.url(path)));
    };
    CHECK(why_dead("/") == "");
    CHECK(why_dead("/busy") == "");
    CHECK(why_dead("/gone") == "HTTP status 404");
    CHECK_FALSE(why_dead("/broken").empty());
    CHECK(crawl.crawler.found_on().at(url_of(server.url("/gone")))
          == url_of(server.url()));
}

TEST_CASE("the crawler of page 17: a redirect is as dead as its target") {
    ScriptedServer server;
    server.on("/",
              tests::html("<a href=/good><a href=/bad><a href=/circle><a href=/out>"));
    server.on("/good", tests::redirect_to("/end"));
    server.on("/end", tests::html(""));
    server.on("/bad", tests::redirect_to("/gone"));
    server.on("/circle", tests::redirect_to("/elcric"));
    server.on("/elcric", tests::redirect_to("/circle"));
    server.on("/out", tests::redirect_to("http://nobody.example/"));
    Crawling crawl(server.url());
    crawl.run();
    const auto why_dead = [&](const char* path) {
        return crawl.crawler.why_dead(url_of(server.url(path)));
    };
    CHECK(why_dead("/good") == "");
    CHECK(why_dead("/bad") == "HTTP status 404");
    CHECK(why_dead("/gone") == "HTTP status 404");
    CHECK(why_dead("/circle") == "more than 20 redirects");
    CHECK(why_dead("/out") == "");
    CHECK(crawl.crawler.records().size() == 8);
}

TEST_CASE("the crawler of page 17: a page that throws has a record, and ends no worker") {
    ScriptedServer server;
    server.on("/", tests::html("<a href=/bad><a href=/good>"));
    server.on("/bad", tests::html("<a href=/never>"));
    server.on("/good", tests::html(""));
    Settings settings{.workers = 1};
    settings.links_of = [](const common::HttpResponse& response, const common::Url& url) {
        if (url.target() == "/bad")
            throw std::runtime_error("can't be read");
        return common::links_of(response, url);
    };
    Crawling crawl(server.url(), settings);
    crawl.run();
    CHECK(crawl.crawler.why_dead(url_of(server.url("/bad"))) == "can't be read");
    CHECK(crawl.crawler.why_dead(url_of(server.url("/good"))) == "");
    CHECK(crawl.crawler.records().size() == 3);
}

TEST_CASE("the crawler of page 17: an error that isn't a page's ends the crawl") {
    ScriptedServer server;
    server.on("/", tests::html("<a href=/silent><a href=/bad>"));
    server.on("/silent", {tests::Hold()});
    server.on("/bad", tests::html(""));
    Settings settings;
    settings.links_of = [](const common::HttpResponse& response, const common::Url& url) {
        if (url.target() == "/bad")
            throw 42; // NOLINT(hicpp-exception-baseclass)
        return common::links_of(response, url);
    };
    Crawling crawl(server.url(), settings);
    CHECK_THROWS_AS(crawl.run(), int);
    CHECK(crawl.crawler.records().size() == 1);
}

TEST_CASE("the crawler of page 17: asked to end with ten fetches under way, it ends, and "
          "their URLs go back") {
    ScriptedServer server;
    std::string links;
    for (int i = 0; i < 12; ++i) {
        const std::string path = "/" + std::to_string(i);
        links += "<a href=" + path + ">";
        server.on(path, {tests::Hold()});
    }
    server.on("/", tests::html(links));
    Crawling crawl(server.url());
    Task task(crawl.loop, crawl.crawler.run());
    while (server.requests().size() < 11)
        crawl.loop.turn(1ms);
    task.cancel();
    CHECK_THROWS_AS(run_until_complete(crawl.loop, task), Cancelled);
    CHECK(crawl.crawler.found_on().size() == 13);
    CHECK(crawl.crawler.records().size() == 1);
    CHECK(server.requests().size() == 11);
}

// ---- Ctrl-C, and the program ----

TEST_CASE("Ctrl-C on the smallest loop calls back from the loop, once") {
    Loop loop;
    int calls = 0;
    {
        const CtrlC ctrl_c(loop, [&] { ++calls; });
        std::raise(SIGINT);
        CHECK(calls == 0);
        loop.turn();
        CHECK(calls == 1);
        CHECK((std::signal(SIGINT, SIG_DFL) == SIG_DFL)); // the next one ends the program
    }
    CHECK((std::signal(SIGINT, SIG_DFL) == SIG_DFL));
}

TEST_CASE("dead_links reports what is dead") {
    ScriptedServer server;
    server.on("/", tests::html("<a href=/gone><a href=/good>"));
    server.on("/good", tests::html(""));
    const auto finished = tests::run_program("DEAD_LINKS", {server.url()});
    CHECK(finished.status == 1);
    CHECK(finished.out
          == server.url("/gone") + " (HTTP status 404), found on " + server.url() + "\n");
    CHECK(finished.err == "3 of 3 URLs done, 1 dead\n");
    CHECK(tests::run_program("DEAD_LINKS", {server.url("/good")}).status == 0);
    CHECK(tests::run_program("DEAD_LINKS", {"ftp://nowhere/"}).status == 2);
}

TEST_CASE("dead_links ends when its time is up, and on Ctrl-C, with a report") {
    ScriptedServer server;
    server.on("/", tests::html("<a href=/silent><a href=/gone>"));
    server.on("/silent", {tests::Hold()});
    const std::string gone =
        server.url("/gone") + " (HTTP status 404), found on " + server.url() + "\n";
    SUBCASE("time") {
        tests::may_wait(1s, "the program's option has whole seconds");
        tests::Finished finished;
        for (const char* const limit : {"1", "4"}) { // one is too little if it stalls
            finished =
                tests::run_program("DEAD_LINKS", {"--timeout", limit, server.url()});
            if (finished.err.starts_with("2 of 3"))
                break;
        }
        CHECK(finished.status == 1);
        CHECK(finished.out == gone);
        CHECK(finished.err == "2 of 3 URLs done, 1 dead\n");
        const auto none =
            tests::run_program("DEAD_LINKS", {"--timeout", "1", server.url("/silent")});
        CHECK(none.status == 3);
        CHECK(none.err == "0 of 1 URLs done, 0 dead\n");
    }
    SUBCASE("Ctrl-C") {
        const auto press = [&](pid_t program) {
            while (server.replies() < 2 && tests::is_running(program))
                std::this_thread::sleep_for(1ms);
            ::kill(program, SIGINT);
        };
        const auto finished =
            tests::run_program("DEAD_LINKS", {server.url()}, {.meanwhile = press});
        CHECK(finished.signal == SIGINT);
        CHECK(finished.err.find(" of 3 URLs done") != std::string::npos);
    }
}

} // namespace
