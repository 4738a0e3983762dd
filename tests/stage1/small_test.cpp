// The smallest event loop, the smallest fetch with callbacks, and the smallest crawl.
#include "common/small/crawl.h"
#include "common/small/event_loop.h"
#include "common/small/sockets.h"
#include "stage1_callbacks/small/fetch.h"
#include "tests/crawl/small_crawl.h"
#include "tests/support/listener.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"
#include "tests/support/socket_pair.h"

using common::Events;
using tests::SocketPair;

namespace {

using Log = std::vector<std::string>;

void say(common::Socket& socket, const char* words) {
    std::error_code error;
    socket.send(words, error);
    REQUIRE_FALSE(error);
}

TEST_CASE("the smallest loop calls back once for each call of when_ready") {
    small::EventLoop loop;
    SocketPair pair;
    Log log;
    loop.when_ready(pair.near.fd(), Events::read, [&] {
        log.emplace_back("first");
        // Nothing has been read, so it is still ready, but no callback is registered.
        loop.when_ready(pair.near.fd(), Events::read, [&] {
            log.emplace_back("second");
            loop.stop();
        });
    });
    say(pair.far, "hello");
    loop.run();
    CHECK(log == Log{"first", "second"});
}

TEST_CASE("the smallest loop waits for several sockets at once") {
    small::EventLoop loop;
    SocketPair a;
    SocketPair b;
    Log log;
    loop.when_ready(a.near.fd(), Events::read, [&] {
        log.emplace_back("a");
        loop.stop();
    });
    loop.when_ready(b.near.fd(), Events::read, [&] {
        log.emplace_back("b");
        say(a.far, "your turn");
    });
    say(b.far, "hello");
    loop.run();
    CHECK(log == Log{"b", "a"});
}

TEST_CASE("the smallest fetch with callbacks takes a response that comes in pieces") {
    tests::ScriptedServer server;
    server.on("/", {tests::Send{"HTTP/1.0 200 OK\r\n\r\nin "},
                    tests::Pause{std::chrono::milliseconds(20)}, tests::Send{"pieces"}});
    small::EventLoop loop;
    std::string response;
    const auto url = *common::parse_url(server.url("/"));
    std::make_shared<small::Fetch>(loop, url, [&](const std::string& all) {
        response = all;
        loop.stop();
    })->start();
    loop.run();
    CHECK(response == "HTTP/1.0 200 OK\r\n\r\nin pieces");
}

TEST_CASE("the smallest fetch with callbacks throws if the connection is refused") {
    small::EventLoop loop;
    const auto port = tests::local_port(tests::listen_on_loopback(0)); // closed again
    const auto nobody = *common::parse_url(fmt::format("http://127.0.0.1:{}/", port));
    std::make_shared<small::Fetch>(loop, nobody, [](const std::string&) {})->start();
    CHECK_THROWS_AS(loop.run(), std::system_error);
}

TEST_CASE("the smallest crawl with callbacks finds all of a site") {
    tests::check_small_crawl(
        [](small::Crawl& crawl, small::EventLoop& loop, const common::Url& url) {
            const auto done = [&crawl, url](const std::string& response) {
                crawl.finished(url, response);
            };
            std::make_shared<small::Fetch>(loop, url, done)->start();
        });
}

} // namespace
