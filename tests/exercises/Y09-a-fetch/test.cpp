#include "fetch.h"
#include "task.h"
#include "tests/support/listener.h"
#include "tests/support/scripted_server.h"
#include "tests/support/socket_pair.h"
#include "tests/support/url.h"

#include <doctest/doctest.h>

#include <chrono>
#include <exception>
#include <ostream> // doctest wants it
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

using namespace std::chrono_literals;
using common::Events;
using common::HttpResponse;
using tests::html;
using tests::Pause;
using tests::Reply;
using tests::ScriptedServer;
using tests::Send;
using tests::SocketPair;
using tests::url_of;
using yours::Cancelled;
using yours::Coroutine;
using yours::Loop;
using yours::Milliseconds;
using yours::Task;

namespace {

/// More than enough for a server on this machine.
constexpr Milliseconds patience = 4s;

/// What a test is about: a loop, and what was reported. A test that still runs after some
/// seconds hangs, and is ended.
struct Story {
    Story() {
        loop.call_later(5s, [] {
            throw std::runtime_error("every task waits, and nothing more happens");
        });
    }

    Loop loop;
    std::string told;

    void say(const std::string& what) { told += (told.empty() ? "" : ", ") + what; }

    /// Turns, and doesn't sleep.
    void turn(int times = 1) {
        for (; times > 0; --times)
            loop.EventLoop::turn(0ms);
    }

    bool is_watched(const common::Socket& socket) {
        try {
            loop.watch(socket.fd(), Events::read, [] {});
        } catch (const std::logic_error&) { // a selector watches a descriptor once
            return true;
        }
        loop.unwatch(socket.fd());
        return false;
    }
};

Coroutine<> wait_until_ready(Story& story, const common::Socket& socket, Events events) {
    try {
        co_await yours::ready(story.loop, socket, events);
        story.say("ready");
    } catch (const Cancelled&) {
        story.say("cancelled");
    }
}

void send(common::Socket& socket, const std::string& text) {
    std::error_code error;
    REQUIRE(socket.send(text, error) == text.size());
}

} // namespace

TEST_CASE("ready waits") {
    SocketPair pair;
    Story story;
    SUBCASE("until it can be read") {
        Task task(story.loop, wait_until_ready(story, pair.near, Events::read));
        story.turn(3);
        REQUIRE_MESSAGE(
            story.told.empty(),
            "ready has returned, but nothing was sent. Reported: " << story.told);
        REQUIRE_MESSAGE(story.is_watched(pair.near),
                        "a task waits for a socket, but the loop doesn't watch it.");
        send(pair.far, "!");
        story.turn(2);
        REQUIRE_MESSAGE(story.told == "ready",
                        "something has arrived, but ready has not returned. Reported: "
                            << story.told);
        REQUIRE_MESSAGE(
            !story.is_watched(pair.near),
            "ready has returned, but the socket is still watched. The next wait for it "
            "would fail, because a descriptor is watched only once.");
    }
    SUBCASE("until it can be written to") {
        Task task(story.loop, wait_until_ready(story, pair.near, Events::write));
        story.turn(2);
        REQUIRE_MESSAGE(
            story.told == "ready",
            "the socket can be written to, but ready has not returned. Reported: "
                << story.told);
    }
    SUBCASE("and is cancelled") {
        Task task(story.loop, wait_until_ready(story, pair.near, Events::read));
        story.turn(2);
        task.cancel();
        story.turn(2);
        REQUIRE_MESSAGE(story.told == "cancelled", "Told: " << story.told);
        REQUIRE_MESSAGE(!story.is_watched(pair.near),
                        "the task that waited for the socket was cancelled and is gone, "
                        "but the socket is still watched. What would the loop call?");
    }
}

TEST_CASE("a watch ends with its object") {
    const SocketPair pair;
    Story story;
    yours::Future future(story.loop);
    {
        const yours::Watch watch(story.loop, pair.near.fd(), Events::write, future);
        REQUIRE(story.is_watched(pair.near));
        REQUIRE(!future.done());
        story.turn();
        REQUIRE_MESSAGE(future.done(),
                        "the socket can be written to, but the future is not done.");
    }
    REQUIRE_MESSAGE(!story.is_watched(pair.near),
                    "the Watch was destroyed, but the socket is still watched.");
}

namespace {

/// Fetches, and keeps the response.
Coroutine<> fetch_into(Story& story, HttpResponse& response, std::string url,
                       Milliseconds limit) {
    try {
        response = co_await yours::fetch(story.loop, url_of(url), limit);
        story.say(response.error.empty() ? response.body.substr(0, 20)
                                         : "error: " + response.error);
    } catch (const Cancelled&) {
        story.say("cancelled");
    } catch (const std::exception& error) {
        story.say(std::string("thrown: ") + error.what());
    }
}

HttpResponse fetch_one(Story& story, const std::string& url,
                       Milliseconds limit = patience) {
    HttpResponse response;
    Task task(story.loop, fetch_into(story, response, url, limit));
    run_until_complete(story.loop, task);
    REQUIRE_MESSAGE(story.told.rfind("thrown: ", 0) != 0,
                    "fetch has thrown. A page that can't be fetched is a response whose "
                    "`error` gives the reason. "
                        << story.told);
    return response;
}

} // namespace

TEST_CASE("a page is fetched") {
    ScriptedServer server;
    server.on("/", html("<p>hello</p>"));
    Story story;
    const HttpResponse response = fetch_one(story, server.url("/"));
    REQUIRE_MESSAGE(response.error.empty(), "an error: " << response.error);
    REQUIRE_MESSAGE(response.status == 200, "the status is " << response.status);
    REQUIRE_MESSAGE(response.body == "<p>hello</p>", "the body is " << response.body);
    REQUIRE(fetch_one(story, server.url("/nowhere")).status == 404);
}

TEST_CASE("a page that comes in pieces is fetched completely") {
    ScriptedServer server;
    Story story;
    SUBCASE("small ones") {
        Reply reply = {Send{"HTTP/1.0 200 OK\r\nContent-Type: text/pl"}};
        for (const char* piece : {"ain\r", "\n\r\n", "o", "n", "e"}) {
            reply.emplace_back(Pause{2ms});
            reply.emplace_back(Send{piece});
        }
        server.on("/", reply);
        const HttpResponse response = fetch_one(story, server.url("/"));
        REQUIRE_MESSAGE(response.body == "one",
                        "the page came in pieces, with pauses between them, but the body "
                        "is not all of it: \""
                            << response.body << "\" " << response.error);
    }
    SUBCASE("large ones") {
        const std::string body(1'000'000, 'x');
        server.on("/", html(body));
        const HttpResponse response = fetch_one(story, server.url("/"));
        REQUIRE_MESSAGE(response.body.size() == body.size(),
                        "the page has a million bytes, but the body has "
                            << response.body.size() << ". " << response.error);
    }
}

TEST_CASE("a page that can't be fetched gives a response with an error") {
    ScriptedServer server;
    Story story;
    std::string url = server.url("/");
    SUBCASE("the server closes") { server.on("/", Reply{}); }
    SUBCASE("the server breaks off") {
        server.on("/", Reply{Send{"HTTP/1.0 200 OK\r\n\r\n"}, tests::Reset{}});
    }
    SUBCASE("nothing listens") {
        const auto listener = tests::listen_on_loopback(0); // gone before it's asked
        url = "http://127.0.0.1:" + std::to_string(tests::local_port(listener)) + "/";
    }
    const HttpResponse response = fetch_one(story, url);
    REQUIRE_MESSAGE(!response.error.empty(),
                    "the page can't be fetched, but the response's `error` is empty.");
}

TEST_CASE("a server that takes too long is given up") {
    ScriptedServer server;
    Story story;
    SUBCASE("it's silent") { server.on("/", Reply{tests::Hold{}}); }
    SUBCASE("it never comes to an end") {
        Reply drops = {Send{"HTTP/1.0 200 OK\r\n\r\n"}};
        for (int i = 0; i < 100; ++i) {
            drops.emplace_back(Pause{10ms});
            drops.emplace_back(Send{"drop "});
        }
        server.on("/", drops);
    }
    server.on("/other", html("other"));
    const HttpResponse response = fetch_one(story, server.url("/"), 250ms);
    REQUIRE_MESSAGE(response.error == std::string(yours::TimedOut().what()),
                    "the limit was 250 ms for the whole page, which takes a second or "
                    "longer, although something arrives all the time. The error: \""
                        << response.error << "\"");
    // The socket was closed, and the next one has its number.
    const HttpResponse other = fetch_one(story, server.url("/other"));
    REQUIRE_MESSAGE(other.body == "other",
                    "the previous page was given up in time, but now another one can't "
                    "be fetched. Was the first socket still watched when it was closed? "
                        << other.error);
}

TEST_CASE("two pages are fetched at the same time") {
    ScriptedServer server;
    Reply slow = html("slow");
    slow.insert(slow.begin(), tests::AwaitRelease{4s});
    server.on("/slow", slow);
    server.on("/fast", html("fast"));
    Story story;
    HttpResponse first;
    HttpResponse second;
    Task a(story.loop, fetch_into(story, first, server.url("/slow"), patience));
    Task b(story.loop, fetch_into(story, second, server.url("/fast"), patience));
    run_until_complete(story.loop, b);
    server.release();
    run_until_complete(story.loop, a);
    REQUIRE_MESSAGE(story.told == "fast, slow",
                    "two pages are fetched at the same time, but the fast one has waited "
                    "for the slow one. Reported: "
                        << story.told);
}

TEST_CASE("a fetch that is cancelled is not a failed page") {
    ScriptedServer server;
    server.on("/", Reply{tests::Hold{}});
    server.on("/other", html("other"));
    Story story;
    HttpResponse response;
    Task task(story.loop, fetch_into(story, response, server.url("/"), patience));
    story.turn(4);
    SUBCASE("while it begins") {}
    SUBCASE("while it waits for the answer") {
        for (int i = 0; i < 2000 && server.times_asked("/") == 0; ++i) {
            story.loop.call_later(5ms, [] {});
            story.loop.turn();
        }
        REQUIRE(server.times_asked("/") == 1);
    }
    task.cancel();
    story.turn(5);
    REQUIRE_MESSAGE(
        story.told == "cancelled",
        "the task that fetches was cancelled. That is not a failed page: a worker that "
        "mistakes it for one takes the next page, and can't be stopped. Reported: "
            << story.told);
    const HttpResponse other = fetch_one(story, server.url("/other"));
    REQUIRE_MESSAGE(other.body == "other",
                    "the previous fetch was cancelled, and now another page can't be "
                    "fetched. Was the first socket still watched when it was closed? "
                        << other.error);
}
