#include "coroutine.h"
#include "fetch.h"
#include "future.h"
#include "task.h"
#include "tests/exercises/track/task_kit.h"
#include "tests/support/listener.h"
#include "tests/support/scripted_server.h"
#include "tests/support/socket_pair.h"
#include "tests/support/url.h"
#include "wait_for.h"

using common::Events;
using common::HttpResponse;
using tests::html;
using tests::Pause;
using tests::Reply;
using tests::ScriptedServer;
using tests::Send;
using tests::SocketPair;
using yours::Cancelled;
using yours::Coroutine;
using yours::Milliseconds;
using yours::Task;

namespace {

/// More than enough for a server on this machine.
constexpr Milliseconds patience = 3s;

/// A loop, a server, and what was reported.
struct FetchTest : track::Story {
    ScriptedServer server;

    bool is_watched(const common::Socket& socket) {
        try {
            loop.watch(socket.fd(), Events::read, [] {});
        } catch (const std::logic_error&) { // a selector watches a descriptor once
            return true;
        }
        loop.unwatch(socket.fd());
        return false;
    }

    HttpResponse fetch(const std::string& url, Milliseconds limit = patience);
};

Coroutine<> wait_until_ready(FetchTest& test, const common::Socket& socket,
                             Events events) {
    try {
        co_await yours::ready(test.loop, socket, events);
        test.say("ready");
    } catch (const Cancelled&) {
        test.say("cancelled");
    }
}

} // namespace

TEST_CASE_FIXTURE(FetchTest, "ready waits") {
    SocketPair pair;
    SUBCASE("until it can be read") {
        Task task(loop, wait_until_ready(*this, pair.near, Events::read));
        turn(3);
        REQUIRE_MESSAGE(told.empty(),
                        reported("ready has returned, but nothing was sent."));
        REQUIRE_MESSAGE(is_watched(pair.near),
                        "a task waits for a socket, but the loop doesn't watch it.");
        track::send_byte(pair.far);
        turn(2);
        REQUIRE_MESSAGE(told == "ready",
                        reported("something has arrived, but ready has not returned."));
        REQUIRE_MESSAGE(
            !is_watched(pair.near),
            "ready has returned, but the socket is still watched. The next wait for it "
            "would fail, because a descriptor is watched only once.");
    }
    SUBCASE("until it can be written to") {
        Task task(loop, wait_until_ready(*this, pair.near, Events::write));
        turn(2);
        REQUIRE_MESSAGE(
            told == "ready",
            reported("the socket can be written to, but ready has not returned."));
    }
    SUBCASE("and is cancelled") {
        Task task(loop, wait_until_ready(*this, pair.near, Events::read));
        turn(2);
        task.cancel();
        turn(2);
        REQUIRE_MESSAGE(told == "cancelled", "Told: " << told);
        REQUIRE_MESSAGE(!is_watched(pair.near),
                        "the task that waited for the socket was cancelled and is gone, "
                        "but the socket is still watched. What would the loop call?");
    }
}

TEST_CASE_FIXTURE(FetchTest, "a watch ends with its object") {
    const SocketPair pair;
    yours::Future future(loop);
    {
        const yours::Watch watch(loop, pair.near.fd(), Events::write, future);
        REQUIRE(is_watched(pair.near));
        REQUIRE(!future.done());
        turn();
        REQUIRE_MESSAGE(future.done(),
                        "the socket can be written to, but the future is not done.");
    }
    REQUIRE_MESSAGE(!is_watched(pair.near),
                    "the Watch was destroyed, but the socket is still watched.");
}

namespace {

/// Fetches, and keeps the response.
Coroutine<> fetch_into(FetchTest& test, HttpResponse& response, std::string url,
                       Milliseconds limit) {
    try {
        response = co_await yours::fetch(test.loop, tests::url_of(url), limit);
        test.say(response.error.empty() ? response.body.substr(0, 20)
                                        : "error: " + response.error);
    } catch (const Cancelled&) {
        test.say("cancelled");
    } catch (const std::exception& error) {
        test.say(std::string("thrown: ") + error.what());
    }
}

HttpResponse FetchTest::fetch(const std::string& url, Milliseconds limit) {
    HttpResponse response;
    Task task(loop, fetch_into(*this, response, url, limit));
    run_until_complete(loop, task);
    REQUIRE_MESSAGE(told.rfind("thrown: ", 0) != 0,
                    "fetch has thrown. A page that can't be fetched is a response whose "
                    "`error` gives the reason. "
                        << told);
    return response;
}

} // namespace

TEST_CASE_FIXTURE(FetchTest, "H1: fetch returns status, headers and body") {
    server.on("/a?b=1", html("<p>hello</p>"));
    const HttpResponse response = fetch(server.url("/a?b=1"));
    REQUIRE_MESSAGE(response.error.empty(), "an error: " << response.error);
    REQUIRE_MESSAGE(response.status == 200, "the status is " << response.status);
    REQUIRE_MESSAGE(response.body == "<p>hello</p>", "the body is " << response.body);
    REQUIRE(response.header("Content-Type").substr(0, 9) == "text/html");
    REQUIRE(fetch(server.url("/nowhere")).status == 404);
}

TEST_CASE_FIXTURE(FetchTest,
                  "H2: a page that comes in pieces, or is long, is complete in the end") {
    SUBCASE("small pieces") {
        Reply reply = {Send{"HTTP/1.0 200 OK\r\nContent-Type: text/pl"}};
        for (const char* piece : {"ain\r", "\n\r\n", "o", "n", "e"}) {
            reply.emplace_back(Pause{2ms});
            reply.emplace_back(Send{piece});
        }
        server.on("/", reply);
        const HttpResponse response = fetch(server.url("/"));
        REQUIRE_MESSAGE(response.body == "one",
                        "the page came in pieces, with pauses between them, but the body "
                        "is not all of it: \""
                            << response.body << "\" " << response.error);
    }
    SUBCASE("a long page") {
        const std::string body(1'000'000, 'x');
        server.on("/", html(body));
        const HttpResponse response = fetch(server.url("/"));
        REQUIRE_MESSAGE(response.body.size() == body.size(),
                        "the page has a million bytes, but the body has "
                            << response.body.size() << ". " << response.error);
    }
}

TEST_CASE_FIXTURE(
    FetchTest,
    "H4: a server that can't be reached, or breaks off, is reported in error") {
    std::string url = server.url("/");
    SUBCASE("the server closes") { server.on("/", Reply{}); }
    SUBCASE("the server breaks off") {
        server.on("/", Reply{Send{"HTTP/1.0 200 OK\r\n\r\n"}, tests::Reset{}});
    }
    SUBCASE("nothing listens") {
        const auto listener = tests::listen_on_loopback(0); // gone before it's asked
        url = "http://127.0.0.1:" + std::to_string(tests::local_port(listener)) + "/";
    }
    const HttpResponse response = fetch(url);
    REQUIRE_MESSAGE(!response.error.empty(),
                    "the page can't be fetched, but the response's `error` is empty.");
}

TEST_CASE_FIXTURE(FetchTest,
                  "H5: a server that says nothing takes no longer than the limit") {
    SUBCASE("it's silent") { server.on("/", Reply{tests::Hold{}}); }
    SUBCASE("it never comes to an end") {
        Reply drops = {Send{"HTTP/1.0 200 OK\r\n\r\n"}};
        for (int i = 0; i < 100; ++i) {
            drops.emplace_back(Pause{10ms});
            drops.emplace_back(Send{"drop "});
        }
        server.on("/", drops);
    }
    const HttpResponse response = fetch(server.url("/"), 250ms);
    REQUIRE_MESSAGE(response.error == std::string(yours::TimedOut().what()),
                    "the limit was 250 ms for the whole page, which takes a second or "
                    "longer, although something arrives all the time. The error: \""
                        << response.error << "\"");
}

TEST_CASE_FIXTURE(FetchTest, "H3: fetches wait side by side") {
    for (const char* target : {"/a", "/b"})
        server.on(target, {tests::Meet{2, 2s}, Send{"HTTP/1.0 200 OK\r\n\r\n"}});
    HttpResponse first;
    HttpResponse second;
    Task a(loop, fetch_into(*this, first, server.url("/a"), patience));
    Task b(loop, fetch_into(*this, second, server.url("/b"), patience));
    run_until_complete(loop, a);
    run_until_complete(loop, b);
    REQUIRE_MESSAGE(server.most_at_once() == 2,
                    "two pages are fetched at the same time, but one has waited until "
                    "the other was there.");
}

TEST_CASE_FIXTURE(FetchTest,
                  "H7: a request to end is not a failed page: it leaves the fetch") {
    server.on("/", Reply{tests::Hold{}});
    HttpResponse response;
    Task task(loop, fetch_into(*this, response, server.url("/"), patience));
    turn(4);
    SUBCASE("while it begins") {}
    SUBCASE("while it waits for the answer") {
        for (int i = 0; i < 2000 && server.times_asked("/") == 0; ++i) {
            loop.call_later(5ms, [] {});
            loop.turn();
        }
        REQUIRE(server.times_asked("/") == 1);
    }
    task.cancel();
    turn(5);
    REQUIRE_MESSAGE(
        told == "cancelled",
        reported(
            "the task that fetches was cancelled. That is not a failed page: a worker "
            "that mistakes it for one takes the next page, and can't be stopped."));
}

TEST_CASE_FIXTURE(FetchTest, "H6: after a fetch is given up, nothing is watched") {
    server.on("/", Reply{tests::Hold{}});
    server.on("/other", html("other"));
    SUBCASE("because its time is up") { fetch(server.url("/"), 10ms); }
    SUBCASE("because it is cancelled") {
        HttpResponse response;
        Task task(loop, fetch_into(*this, response, server.url("/"), patience));
        turn(4);
        task.cancel();
        turn(5);
    }
    // The socket was closed, and the next one has its number.
    const HttpResponse other = fetch(server.url("/other"));
    REQUIRE_MESSAGE(other.body == "other",
                    "the previous page was given up, and now another one can't be "
                    "fetched. Was the first socket still watched when it was closed? "
                        << other.error);
}
