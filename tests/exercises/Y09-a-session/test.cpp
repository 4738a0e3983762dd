#include "coroutine.h"
#include "loop.h"
#include "session.h"
#include "task.h"
#include "tests/exercises/track/timed_kit.h"
#include "tests/support/listener.h"
#include "tests/support/scripted_server.h"
#include "tests/support/url.h"

using common::HttpResponse;
using tests::html;
using tests::KeepOpen;
using tests::Pause;
using tests::Reply;
using tests::ScriptedServer;
using tests::Send;
using track::Clock;
using yours::Cancelled;
using yours::Coroutine;
using yours::Session;
using yours::Task;

namespace {

/// A loop, a session, a server, and what was reported.
struct SessionTest : track::TimedStory {
    ScriptedServer server;
    Session session{loop};

    HttpResponse get(const std::string& url);

    /// A page after which the connection stays open.
    void serve_and_keep_open(const std::string& target) {
        Reply reply = html("<p>hello</p>");
        reply.emplace_back(KeepOpen());
        server.on(target, reply);
    }
};

/// Gets a page, and keeps the response.
Coroutine<> get_into(SessionTest& test, HttpResponse& response, std::string url) {
    try {
        response = co_await test.session.get(tests::url_of(url));
        test.say(response.error.empty() ? response.body.substr(0, 20)
                                        : "error: " + response.error);
    } catch (const Cancelled&) {
        test.say("cancelled");
        throw;
    } catch (const std::exception& error) {
        test.say(std::string("thrown: ") + error.what());
    }
}

HttpResponse SessionTest::get(const std::string& url) {
    told.clear();
    HttpResponse response;
    const Task task(loop, get_into(*this, response, url));
    REQUIRE_MESSAGE(ends(task),
                    "get never returns. Does libcurl hear when its time has come, and "
                    "when a socket is ready, and do you hear when it has finished? A "
                    "call of libcurl inside one of its callbacks does nothing.");
    REQUIRE_MESSAGE(told.rfind("thrown: ", 0) != 0,
                    "get has thrown. A page that can't be fetched is a response whose "
                    "`error` says why. "
                        << told);
    return response;
}

/// A URL at which nothing listens.
std::string nowhere() {
    const auto listener = tests::listen_on_loopback(0); // gone before it's asked
    return "http://127.0.0.1:" + std::to_string(tests::local_port(listener)) + "/";
}

} // namespace

TEST_CASE_FIXTURE(SessionTest, "H1: get returns status, headers and body") {
    server.on("/a?b=1", html("<p>hello</p>"));
    const HttpResponse response = get(server.url("/a?b=1"));
    REQUIRE_MESSAGE(response.error.empty(), "an error: " << response.error);
    REQUIRE_MESSAGE(response.status == 200, "a page was fetched, and its status is "
                                                << response.status << " instead of 200.");
    REQUIRE_MESSAGE(response.body == "<p>hello</p>", "the body is " << response.body);
    REQUIRE(response.header("Content-Type").substr(0, 9) == "text/html");
    REQUIRE(get(server.url("/nowhere")).status == 404);
}

TEST_CASE_FIXTURE(SessionTest,
                  "H2: a page that comes in pieces, or is long, is complete in the end") {
    SUBCASE("small pieces") {
        Reply reply = {Send{"HTTP/1.0 200 OK\r\nContent-Type: text/pl"}};
        for (const char* piece : {"ain\r", "\n\r\n", "o", "n", "e"}) {
            reply.emplace_back(Pause{2ms});
            reply.emplace_back(Send{piece});
        }
        server.on("/", reply);
        const HttpResponse response = get(server.url("/"));
        REQUIRE_MESSAGE(response.body == "one",
                        "the page came in pieces, with pauses between them, but the body "
                        "is not all of it: \""
                            << response.body << "\" " << response.error);
    }
    SUBCASE("a long page") {
        const std::string body(1'000'000, 'x');
        server.on("/", html(body));
        const HttpResponse response = get(server.url("/"));
        REQUIRE_MESSAGE(response.body.size() == body.size(),
                        "the page has a million bytes, but the body has "
                            << response.body.size() << ". " << response.error);
    }
}

TEST_CASE_FIXTURE(
    SessionTest,
    "H4: a server that can't be reached, or breaks off, is reported in error") {
    std::string url = server.url("/");
    SUBCASE("the server closes") { server.on("/", Reply{}); }
    SUBCASE("the server breaks off") {
        server.on("/", Reply{Send{"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nhel"}});
    }
    SUBCASE("nothing listens") { url = nowhere(); }
    const HttpResponse response = get(url);
    REQUIRE_MESSAGE(!response.error.empty(),
                    "the page can't be fetched, but the response's `error` is empty.");
}

TEST_CASE_FIXTURE(SessionTest, "H5: a page without end is given up") {
    const std::string megabyte(1'000'000, 'x');
    Reply reply = {Send{"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n"}};
    for (int i = 0; i < 12; ++i)
        reply.emplace_back(Send{megabyte});
    server.on("/", reply);
    const HttpResponse response = get(server.url("/"));
    REQUIRE_MESSAGE(
        response.body.size() <= 10'000'000,
        "the server sent twelve megabytes, and would have sent more. Of "
        "these, "
            << response.body.size()
            << " bytes were kept, but on_body may keep no more than most_bytes.");
    REQUIRE_MESSAGE(!response.error.empty(), "a page was given up because it is too "
                                             "long, so the response's `error` says so.");
}

TEST_CASE_FIXTURE(SessionTest, "H3: requests wait side by side") {
    for (const char* target : {"/a", "/b"})
        server.on(target, {tests::Meet{2, 3s}, Send{"HTTP/1.0 200 OK\r\n\r\n"}});
    HttpResponse first;
    HttpResponse second;
    const Task a(loop, get_into(*this, first, server.url("/a")));
    const Task b(loop, get_into(*this, second, server.url("/b")));
    REQUIRE(ends(a));
    REQUIRE(ends(b));
    REQUIRE_MESSAGE(server.most_at_once() == 2,
                    "two pages are fetched at the same time, but one has waited until "
                    "the other was there.");
}

// ---- What stays, and what doesn't ----

TEST_CASE_FIXTURE(SessionTest, "H8: a connection is kept, and used again") {
    serve_and_keep_open("/");
    for (int i = 0; i < 3; ++i)
        REQUIRE(get(server.url("/")).body == "<p>hello</p>");
    REQUIRE_MESSAGE(server.connections() == 1,
                    "three pages were fetched from one server, one after the other, over "
                        << server.connections()
                        << " connections. libcurl keeps a connection as long as its "
                           "multi handle is there.");
}

TEST_CASE_FIXTURE(SessionTest,
                  "H9: a socket for which libcurl has no wish any more is not watched") {
    {
        ScriptedServer other;
        Reply reply = html("<p>hello</p>");
        reply.emplace_back(KeepOpen());
        other.on("/", reply);
        REQUIRE(get(other.url("/")).body == "<p>hello</p>");
    } // here, the server closes the connection
    const auto begin = Clock::now();
    for (int i = 0; i < 20; ++i)
        turn_with_timers(5ms);
    REQUIRE_MESSAGE(Clock::now() - begin > 50ms,
                    "a page was fetched, and later the server has closed the connection. "
                    "libcurl had told you that it no longer waits for that socket "
                    "(CURL_POLL_REMOVE), but the loop still watches it, and so it no "
                    "longer sleeps.");
}

TEST_CASE_FIXTURE(SessionTest,
                  "H7: a request to end is not a failed page: it leaves get") {
    server.on("/", Reply{tests::Hold{}});
    HttpResponse response;
    Task task(loop, get_into(*this, response, server.url("/")));
    turn(2);
    SUBCASE("while it begins") {}
    SUBCASE("while it waits for the answer") {
        REQUIRE(turns_until([&] {
            loop.call_later(1ms, [] {});
            return server.times_asked("/") == 1;
        }));
    }
    task.cancel();
    turn(5);
    REQUIRE_MESSAGE(
        told == "cancelled",
        reported("the task that waits in get was cancelled. That is not a failed page: a "
                 "worker that mistakes it for one takes the next page, and can't be "
                 "stopped."));
}

TEST_CASE_FIXTURE(SessionTest,
                  "H6: a request that is given up is gone, and others go on") {
    server.on("/silent", Reply{tests::Hold{}});
    server.on("/slow", {tests::AwaitRelease{}, Send{"HTTP/1.0 200 OK\r\n\r\nslow"}});
    HttpResponse silent;
    HttpResponse slow;
    std::optional<Task> first;
    const Task second(loop, get_into(*this, slow, server.url("/slow")));
    const auto both_are_there = [&] {
        loop.call_later(1ms, [] {});
        return server.requests().size() == 2;
    };
    SUBCASE("because it is cancelled") {
        first.emplace(loop, get_into(*this, silent, server.url("/silent")));
        REQUIRE(turns_until(both_are_there));
        first->cancel();
    }
    SUBCASE("because its time is up") {
        const auto get_in_time = [](SessionTest& test,
                                    HttpResponse& response) -> Coroutine<> {
            const bool in_time = co_await yours::ends_within(
                test.loop, 5ms, get_into(test, response, test.server.url("/silent")));
            test.say(in_time ? "in time" : "late");
        };
        first.emplace(loop, get_in_time(*this, silent));
    }
    REQUIRE_MESSAGE(ends(*first),
                    reported("a request was given up, but its task never ends."));
    server.release();
    REQUIRE_MESSAGE(ends(second), reported("one of two requests was given up. Now the "
                                           "other one waits forever."));
    REQUIRE_MESSAGE(slow.body == "slow",
                    reported("one of two requests was given up. The other one should get "
                             "its page."));
    REQUIRE(silent.status == 0);
}
