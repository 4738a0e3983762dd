#include "common/simple_crawl/event_loop.h"
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "common/web/http_response.h"
#include "common/web/url.h"
#include "stage2_coroutines/fetch_one.h"
#include "stage2_coroutines/socket_io.h"
#include "stage2_coroutines/task.h"
#include "tests/support/faults.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"
#include "tests/support/socket_pair.h"

#include <sys/socket.h>
#include <unistd.h>

using common::Socket;
using namespace stage2;
using namespace tests;

namespace {

struct LoopFixture {
    common::Tracer tracer;
    common::EventLoop loop{common::make_selector(), tracer};

    /// Runs the loop until the coroutine has ended.
    void run(Coroutine<> coroutine) {
        const stage2::Task task(stop_after(std::move(coroutine), loop), tracer);
        const bool done = task.done() || loop.run(10s);
        REQUIRE(done);
    }

    static Coroutine<> stop_after(Coroutine<> coroutine, common::EventLoop& loop) {
        co_await std::move(coroutine);
        loop.stop();
    }
};

Coroutine<> read_into(common::EventLoop& loop, Socket& socket, std::string& into) {
    into = co_await stage2::read(loop, socket);
}

Coroutine<> read_all_into(common::EventLoop& loop, Socket& socket, Enough enough,
                          std::string& into) {
    into = co_await stage2::read_all(loop, socket, std::move(enough));
}

const Enough never = [](const std::string&) { return false; };

/// Asks for a page, as stage 2 does.
Coroutine<> get(common::EventLoop& loop, common::Address address, std::string request,
                std::string& into) {
    std::error_code error;
    Socket socket = Socket::open(address.family(), error);
    REQUIRE_FALSE(error);
    co_await stage2::connect(loop, socket, address);
    co_await stage2::send_all(loop, socket, request);
    into = co_await stage2::read_all(loop, socket, never);
}

common::Address address_of(const ScriptedServer& server) {
    return common::resolve("127.0.0.1", server.port()).at(0);
}

std::string request_for(const ScriptedServer& server) {
    const auto url = common::parse_url(server.url());
    return common::http_get_request(url->authority(), url->target());
}

} // namespace

TEST_CASE_FIXTURE(LoopFixture, "a false alarm does not end a read") {
    // Two descriptors of one socket, and one byte: both are ready, but one of the reads
    // comes too late.
    SocketPair pair;
    Socket twin(::dup(pair.near.fd()));
    std::string first;
    std::string second;
    const stage2::Task one(read_into(loop, pair.near, first), tracer);
    const stage2::Task two(read_into(loop, twin, second), tracer);
    std::error_code error;
    pair.far.send("x", error);
    CHECK_FALSE(loop.run(50ms));
    CHECK(one.done() != two.done());
    CHECK(first + second == "x");
    pair.far.send("y", error);
    CHECK_FALSE(loop.run(50ms));
    CHECK(one.done());
    CHECK(two.done());
}

TEST_CASE_FIXTURE(LoopFixture, "read_all reads up to the peer's close, or enough") {
    SocketPair pair;
    std::error_code error;
    pair.far.send("12345", error);
    std::string text;
    const Enough five = [](const std::string& so_far) { return so_far.size() >= 5; };
    run(read_all_into(loop, pair.near, five, text)); // the far end is still open
    CHECK(text == "12345");
    pair.far.send("67", error);
    pair.far.close();
    LoopFixture other;
    other.run(read_all_into(other.loop, pair.near, never, text));
    CHECK(text == "67");
}

TEST_CASE_FIXTURE(LoopFixture, "an error says what broke, and how much was received") {
    ScriptedServer server;
    server.on("/",
              {Send{"HTTP/1.0 200 OK\r\n\r\nabc"}, tests::Pause{50ms}, tests::Reset{}});
    std::string text;
    const auto fail = [&](const common::Address& address) {
        try {
            run(get(loop, address, request_for(server), text));
            FAIL("nothing was thrown");
        } catch (const stage2::TaskFailed& failure) {
            failure.rethrow_nested();
        }
    };
    try {
        fail(address_of(server));
    } catch (const stage2::ConnectionBroke& error) {
        CHECK(error.code() == std::errc::connection_reset);
        CHECK(error.received == 22);
    }
    try {
        fail(common::resolve("127.0.0.1", 1).at(0));
    } catch (const std::system_error& error) {
        CHECK(error.code() == std::errc::connection_refused);
    }
}

TEST_CASE_FIXTURE(LoopFixture,
                  "send_all sends everything, however little the socket takes") {
    ScriptedServer server;
    server.on("/", tests::html("hello"));
    tests::Fault fault;
    fault.send_at_most = 7;
    fault.send_blocks_every_second_time = true;
    std::string text;
    run(get(loop, address_of(server), request_for(server), text));
    CHECK(text.ends_with("hello"));
    CHECK(fault.sends > 10);
}

TEST_CASE_FIXTURE(LoopFixture,
                  "a coroutine that is dropped while it waits leaves no watch") {
    SocketPair pair;
    std::string text;
    {
        const stage2::Task task(read_into(loop, pair.near, text), tracer);
        CHECK_FALSE(task.done());
    }
    std::error_code error;
    pair.far.send("x", error);
    CHECK_FALSE(loop.run(50ms)); // no callback runs
    // The descriptor is free for others.
    const stage2::Watch watch(loop, pair.near.fd(), common::Events::read, "other",
                              [&] { loop.stop(); });
    CHECK(loop.run(10s));
}

TEST_CASE_FIXTURE(LoopFixture, "fetch_one gets the same response in a single coroutine") {
    ScriptedServer server;
    server.on("/", {tests::Pause{20ms}, tests::html("hello")[0]});
    std::string whole;
    run(get(loop, address_of(server), request_for(server), whole));
    LoopFixture other;
    std::string response;
    other.run(
        stage2::fetch_one(other.loop, address_of(server), request_for(server), response));
    CHECK(response == whole);
    CHECK(response.ends_with("hello"));

    LoopFixture third;
    CHECK_THROWS_AS(third.run(stage2::fetch_one(
                        third.loop, common::resolve("127.0.0.1", 1).at(0), "", response)),
                    stage2::TaskFailed);
}
