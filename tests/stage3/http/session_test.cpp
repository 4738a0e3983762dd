// HTTP on curl multi, against a scripted server, which also makes mistakes if told to.
#include "common/system/descriptors.h"
#include "stage3_queue_crawler/http/easy_option.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/listener.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"
#include "tests/support/url.h"
#include "tests/support/waits.h"

#include <random>

#include <fcntl.h>
#include <sys/resource.h>

using namespace stage3;
using namespace tests;
using Kind = stage3::FetchError::Kind;

// The tests outlive the coroutines, and a coroutine owns what it takes by value.
// NOLINTBEGIN(performance-unnecessary-value-param)

// What `set` lets through.
static_assert(stage3::is_option_value<long>);
static_assert(stage3::is_option_value<curl_off_t>);
static_assert(stage3::is_option_value<const char*>);
static_assert(stage3::is_option_value<decltype(&curl_easy_cleanup)>);
static_assert(!stage3::is_option_value<int>);
static_assert(!stage3::is_option_value<bool>);
static_assert(!stage3::is_option_value<Kind>);
static_assert(!stage3::is_option_value<std::string>);

namespace {

/// A response as a test sees it, or the reason why there is none.
struct Outcome {
    int status = 0;
    std::string body;
    std::optional<FetchError> error;
};

Coroutine<Outcome> fetch(Session& session, std::string url) {
    Outcome outcome;
    try {
        Response response = co_await session.get(url_of(url));
        outcome.status = response.status();
        outcome.body = co_await response.read();
    } catch (const FetchError& error) {
        outcome.error = error;
    }
    co_return outcome;
}

/// One fetch in its own loop.
Outcome fetch_once(const std::string& url, SessionOptions options = {}) {
    return stage3::run([](std::string from, SessionOptions with) -> Coroutine<Outcome> {
        Session session(stage3::running_loop(), std::move(with));
        Outcome outcome = co_await fetch(session, std::move(from));
        CHECK(session.in_flight() == 0);
        co_return outcome;
    }(url, std::move(options)));
}

/// The outcome of a fetch that a server answers with `reply`.
Outcome answered(Reply reply, SessionOptions options = {}) {
    ScriptedServer server;
    server.on("/", std::move(reply));
    return fetch_once(server.url(), std::move(options));
}

/// The same with the response's bytes, as the server sends them.
Outcome answered(std::string bytes, SessionOptions options = {}) {
    return answered(Reply{Send{std::move(bytes)}}, std::move(options));
}

/// "a page" and 256 KiB of zeros, compressed with `gzip -9`.
const std::string packed_page("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x4b\x54\x28\x48"
                              "\x4c\x4f\x05\x00\x64\x3b\xe5\x86\x06\x00\x00\x00",
                              26);
std::string packed_zeros() {
    std::string packed("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xed\xc1\x31\x01\x00\x00"
                       "\x00\xc2\xa0\xf5\x4f\xed\x6d\x07\xa0",
                       25);
    packed += std::string(254, '\0');
    packed += std::string("\xde\x00\x22\xea\x0e\xe2\x00\x00\x04\x00", 10);
    return packed;
}

std::string gzipped(const std::string& packed) {
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                       "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
                       packed.size(), packed);
}

} // namespace

TEST_CASE("a page has a status, headers and a body") {
    ScriptedServer server;
    server.on("/",
              tests::respond(200, "text/html", "<p>hello", "X-Name: a\r\nx-name: b\r\n"));
    stage3::run([](std::string url) -> Coroutine<> {
        Session session(stage3::running_loop());
        Response response = co_await session.get(url_of(url));
        CHECK(response.status() == 200);
        CHECK(response.header("content-TYPE") == "text/html");
        CHECK(response.header("X-NAME") == "a"); // the first of the two
        CHECK(response.header("nothing").empty());
        const std::string body = co_await response.read();
        CHECK(body == "<p>hello");
    }(server.url()));
    const auto requests = server.requests();
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].head.find("\r\nUser-Agent: AwaitTheWeb/") != std::string::npos);
    CHECK(requests[0].head.find("\r\nAccept-Encoding: ") != std::string::npos);
}

TEST_CASE("a HEAD has headers and no body, and leaves its connection for the next one") {
    ScriptedServer server;
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                             "Content-Length: 100\r\nX: y\r\n\r\n";
    server.on("/", {Send{head}, tests::KeepOpen{}});
    stage3::run([](std::string url) -> Coroutine<> {
        Session session(stage3::running_loop());
        const stage3::GetOptions options{.only_head = true};
        for (int i = 0; i < 2; ++i) {
            Response response = co_await session.get(url_of(url), options);
            CHECK(response.status() == 200);
            CHECK(response.header("X") == "y");
            const std::string body = co_await response.read();
            CHECK(body.empty());
        }
    }(server.url()));
    const auto requests = server.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[1].head.starts_with("HEAD / HTTP/1.1\r\n"));
    CHECK(requests[1].connection == 0);
}

TEST_CASE("a fetch from the public internet only doesn't reach a private address, unless "
          "the session has been on one") {
    ScriptedServer server;
    server.on("/", tests::html(""));
    stage3::run([](std::string url) -> Coroutine<> {
        Session session(stage3::running_loop());
        const stage3::GetOptions options{.only_public = true};
        try {
            co_await session.get(url_of(url), options);
            FAIL("it was fetched");
        } catch (const FetchError& error) {
            CHECK(error.kind == Kind::forbidden);
            CHECK(error.what() == std::string("address 127.0.0.1 is private"));
        }
        co_await fetch(session, url);
        const Response response = co_await session.get(url_of(url), options);
        CHECK(response.status() == 200);
    }(server.url()));
    CHECK(server.requests().size() == 2);
}

TEST_CASE("many pages are fetched at once, and their connections are used again") {
    ScriptedServer server;
    for (int i = 0; i < 50; ++i)
        server.on(
            fmt::format("/{}", i),
            {Meet{50},
             Send{fmt::format("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{:02}", i)},
             tests::KeepOpen{}});
    stage3::run([](ScriptedServer& from) -> Coroutine<> {
        Session session(stage3::running_loop());
        for (int round = 0; round < 3; ++round) {
            std::vector<Future<Outcome>> fetches;
            for (int i = 0; i < 50; ++i)
                fetches.push_back(
                    stage3::create_task(fetch(session, from.url(fmt::format("/{}", i)))));
            const auto outcomes = co_await stage3::gather(std::move(fetches));
            for (std::size_t i = 0; i < outcomes.size(); ++i)
                CHECK(outcomes[i].body == fmt::format("{:02}", i));
        }
    }(server));
    CHECK(server.most_at_once() == 50);
    CHECK(server.requests().size() == 150);
    CHECK(server.connections() <= 50);
}

TEST_CASE("a fetch inherits nothing from the one before it on the same connection") {
    ScriptedServer server;
    server.on("/", tests::respond(200, "text/plain", "a", "Retry-After: 7\r\n"));
    server.on("/next", tests::respond(200, "text/plain", "longer"));
    std::string port = server.url();
    port = port.substr(port.rfind(':'));
    stage3::run([](std::string with_port) -> Coroutine<> {
        SessionOptions options;
        options.headers = {"X-Mine: a"};
        options.look_up = [](const std::string&) {
            return common::resolve("127.0.0.1", 0);
        };
        Session session(stage3::running_loop(), options);
        for (int i = 0; i < 3; ++i) {
            {
                const stage3::GetOptions special{.with_headers = true,
                                                 .login = common::Login{"me", "secret"},
                                                 .max_body = 1};
                Response first =
                    co_await session.get(url_of("http://name.test" + with_port), special);
                const std::string body = co_await first.read();
                CHECK(body == "a");
                CHECK(first.retry_after() == 7s);
            }
            Response second =
                co_await session.get(url_of("http://127.0.0.1" + with_port + "next"));
            const std::string body = co_await second.read();
            CHECK(body == "longer");
            CHECK(second.retry_after() == 0s);
            CHECK(second.header("Retry-After").empty());
        }
    }(port));
    const auto requests = server.requests();
    REQUIRE(requests.size() == 6);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const bool special = i % 2 == 0;
        const std::string& head = requests[i].head;
        CHECK((head.find("Authorization: Basic ") != std::string::npos) == special);
        CHECK((head.find("X-Mine: a") != std::string::npos) == special);
        CHECK((head.find("Host: name.test") != std::string::npos) == special);
    }
}

TEST_CASE("after a failure, later fetches are reported as if it had not happened") {
    tests::may_wait(1s, "one fetch has to time out, and the others not");
    ScriptedServer server;
    server.on("/", tests::html(""));
    server.on("/silent", {Hold{}});
    server.on("/nothing", Reply{});
    server.on("/reset", {Reset{}});
    std::string gone;
    {
        const ScriptedServer other;
        gone = other.url();
    }
    const std::vector<std::pair<std::string, std::string>> fetches{
        {server.url(), ""},
        {gone, "connection refused"},
        {server.url() + "nothing", "empty response"},
        {server.url(), ""},
        {server.url() + "silent", "timed out after 1 s"},
        {server.url() + "reset", "connection reset by peer"},
        {server.url(), ""},
        {server.url() + "nothing", "empty response"}};
    using Fetches = std::vector<std::pair<std::string, std::string>>;
    stage3::run([](Fetches one_after_another) -> Coroutine<> {
        Session session(stage3::running_loop(), {.fetch_timeout = 1s});
        for (const auto& [url, what] : one_after_another) {
            CAPTURE(url);
            const Outcome outcome = co_await fetch(session, url);
            CHECK((outcome.error ? outcome.error->what() : std::string()) == what);
        }
    }(fetches));
}

TEST_CASE("the headers come first, and the body once it has arrived") {
    ScriptedServer server;
    server.on("/", {Send{"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"},
                    tests::AwaitRelease{}, Send{"cd"}});
    stage3::run([](ScriptedServer& from) -> Coroutine<> {
        Session session(stage3::running_loop());
        Response response = co_await session.get(url_of(from.url()));
        from.release();
        const std::string body = co_await response.read();
        CHECK(body == "abcd");
    }(server));
}

TEST_CASE("redirects are not followed") {
    ScriptedServer server;
    server.on("/", tests::redirect_to("/elsewhere"));
    stage3::run([](std::string url) -> Coroutine<> {
        Session session(stage3::running_loop());
        const Response response = co_await session.get(url_of(url));
        CHECK(response.status() == 302);
        CHECK(response.header("Location") == "/elsewhere");
    }(server.url()));
    CHECK(server.requests().size() == 1);
}

TEST_CASE("compressed bodies are unpacked") {
    CHECK(answered(gzipped(packed_page)).body == "a page");
    const Outcome zeros = answered(gzipped(packed_zeros()));
    CHECK(zeros.body == std::string(std::size_t{256} * 1024, '\0'));
}

TEST_CASE("the limit for a body applies after decompression") {
    const Outcome outcome = answered(gzipped(packed_zeros()), {.max_body = 100'000});
    REQUIRE(outcome.error);
    CHECK(outcome.error->kind == Kind::too_large);
    CHECK(outcome.error->bytes == 100'000);
    CHECK(outcome.error->what() == std::string("body larger than 100000 bytes"));
}

TEST_CASE("a body that is too large is refused, with or without a length") {
    const SessionOptions small{.max_body = 64 * 1024};
    const std::string body(100'000, 'x');
    for (const std::string head : {"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
                                   "HTTP/1.0 200 OK\r\n\r\n"}) {
        const Outcome outcome = answered(head + body, small);
        REQUIRE(outcome.error);
        CHECK(outcome.error->kind == Kind::too_large);
        CHECK(outcome.error->what() == std::string("body larger than 64 KiB"));
    }
    CHECK(answered("HTTP/1.0 200 OK\r\n\r\n" + std::string(64 * 1024, 'x'), small)
              .body.size()
          == 64 * 1024);
}

TEST_CASE("headers and trailers without end are refused") {
    std::string many;
    for (int i = 0; i < 3000; ++i)
        many += fmt::format("X-{}: a value of some length\r\n", i);
    for (const std::string& bytes :
         {"HTTP/1.1 200 OK\r\n" + many + "\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
              + many}) {
        const Outcome outcome = answered(bytes);
        REQUIRE(outcome.error);
        CHECK(outcome.error->kind == Kind::bad_response);
        CHECK(outcome.error->what() == std::string("headers larger than 64 KiB"));
    }
}

// response_head_test.cpp has every such head. Here, libcurl reads it, too, and may refuse
// it first, in words of its own.
TEST_CASE("a head that is refused is an error with our reason") {
    const std::string page = "HTTP/1.1 200 OK\r\n";
    const std::string length = "Content-Length: 2\r\n";
    const std::pair<std::string, const char*> cases[] = {
        {"SSH-2.0-OpenSSH\r\n", "not an HTTP response"},
        {"HTTP/1.1 2000 OK\r\n" + length, "not an HTTP response"},
        {"HTTP/3.1 200 OK\r\n" + length, "not an HTTP response"},
        {page + std::string("X\0Y: 1\r\n", 8), ""},
        {page + "X: " + std::string(200'000, 'x') + "\r\n", ""},
        {page + "X: a\rb\r\n" + length, "a carriage return inside a header"},
        {page + "Location: /a\r\nLocation: /b\r\n", "conflicting Location headers"},
        {page + "Transfer-Encoding: gzip\r\n", "unsupported Transfer-Encoding"},
        {page + "Transfer-Encoding: unheard-of\r\n", "unsupported Transfer-Encoding"},
        {page + length + "Content-Length: 3\r\n", "invalid Content-Length"},
        {page + "Content-Length: 0x5\r\n", "invalid Content-Length"},
        {page + "Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip\r\n",
         "too many content encodings"},
    };
    for (const auto& [head, why] : cases) {
        CAPTURE(head.substr(0, 100));
        const Outcome outcome = answered(head + "\r\nok");
        REQUIRE(outcome.error);
        CHECK(outcome.error->kind == Kind::bad_response);
        CHECK(std::string(outcome.error->what()).find(why) != std::string::npos);
    }
    CHECK(answered(page + length + "content-length: 2, 2\r\n\r\nok").body == "ok");
    CHECK(answered(page + "Transfer-Encoding: Chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n").body
          == "x");
}

TEST_CASE("broken or unknown compression is an error") {
    for (const char* encoding : {"gzip", "rot13"}) {
        const Outcome outcome =
            answered(fmt::format("HTTP/1.1 200 OK\r\nContent-Encoding: {}\r\n"
                                 "Content-Length: 5\r\n\r\nplain",
                                 encoding));
        REQUIRE(outcome.error);
        CHECK(outcome.error->kind == Kind::bad_response);
        CHECK(outcome.error->what()
              == std::string("the body's compression is broken or unknown"));
    }
}

TEST_CASE(
    "a compressed body without its end counts as cut off, whatever its length says") {
    const Outcome outcome = answered(gzipped(packed_page.substr(0, 20)));
    REQUIRE(outcome.error);
    CHECK(outcome.status == 200);
    CHECK(outcome.error->kind == Kind::network); // the next try may get all of it
    CHECK(outcome.error->what() == std::string("the body's compression was cut off"));
    CHECK(outcome.error->bytes == 6); // only the checksum is missing
    CHECK_FALSE(answered("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                         "Content-Length: 0\r\n\r\n")
                    .error);
}

TEST_CASE("a folded line before any header is refused, even on a kept connection") {
    ScriptedServer server;
    server.on("/", tests::html("a page"));
    server.on("/next", {Send{"HTTP/1.1 200 OK\r\n and: so on\r\nX: 1\r\n"
                             "Content-Length: 2\r\n\r\nok"}});
    stage3::run([](std::string url) -> Coroutine<> {
        Session session(stage3::running_loop());
        for (int i = 0; i < 20; ++i) { // libcurl 7.88 corrupted memory
            const Outcome page = co_await fetch(session, url);
            CHECK(page.body == "a page");
            const Outcome next = co_await fetch(session, url + "next");
            REQUIRE(next.error);
            CHECK(next.error->kind == Kind::bad_response);
            CHECK(next.error->what() == std::string("not an HTTP response"));
        }
    }(server.url()));
}

TEST_CASE("each kind of broken connection has its error") {
    struct Case {
        Reply reply;
        std::string what;
    };
    const Case cases[] = {
        {{}, "empty response"},
        {{Reset{}}, "connection reset by peer"},
        {{Send{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}},
         "the connection was closed in the middle of the body"},
        {{Send{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"}},
         "the connection was closed in the middle of the body"},
    };
    for (const Case& one : cases) {
        const Outcome outcome = answered(one.reply);
        REQUIRE(outcome.error);
        CHECK(outcome.error->kind == Kind::network);
        CHECK(outcome.error->what() == one.what);
    }
    std::string gone;
    {
        const ScriptedServer server;
        gone = server.url();
    }
    const Outcome refused = fetch_once(gone);
    REQUIRE(refused.error);
    CHECK(refused.error->kind == Kind::network);
    CHECK(refused.error->what() == std::string("connection refused"));
}

TEST_CASE("slow and silent servers time out") {
    tests::may_wait(2200ms, "libcurl has no clock but the real one");
    const Outcome silent = answered(Reply{Hold{}}, {.fetch_timeout = 200ms});
    REQUIRE(silent.error);
    CHECK(silent.error->kind == Kind::timed_out);
    CHECK(silent.error->what() == std::string("timed out after 0.2 s"));
    const Outcome half =
        answered(Reply{Send{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}, Hold{}},
                 {.fetch_timeout = 2s}); // the three bytes must be here by then
    REQUIRE(half.error);
    CHECK(half.error->kind == Kind::timed_out);
    CHECK(half.error->bytes == 3);
}

TEST_CASE("a stalled server is given up on before the whole time is over") {
    tests::may_wait(
        9s,
        "libcurl looks at its speed once a second, and takes several seconds to notice");
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome =
        answered(Reply{Send{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}, Hold{}},
                 {.stall_timeout = 1s});
    CHECK(std::chrono::steady_clock::now() - start < 10s);
    REQUIRE(outcome.error);
    CHECK(outcome.error->what() == std::string("nothing has come for 1 s"));
}

TEST_CASE("running out of descriptors is reported as our own fault") {
    ScriptedServer server;
    server.on("/", tests::html("x"));
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const Outcome outcome =
        stage3::run([](std::string url, rlimit limit) -> Coroutine<Outcome> {
            Session session(stage3::running_loop());
            limit.rlim_cur = 3;
            ::setrlimit(RLIMIT_NOFILE, &limit);
            Outcome one = co_await fetch(session, std::move(url));
            co_return one;
        }(server.url(), before));
    ::setrlimit(RLIMIT_NOFILE, &before);
    REQUIRE(outcome.error);
    CHECK(outcome.error->kind == Kind::no_descriptor);
}

TEST_SUITE("connections are kept and used again") {
    namespace {

    /// Fetches the targets one after the other.
    std::vector<Outcome> fetch_all(const ScriptedServer& server,
                                   const std::vector<std::string>& targets) {
        return stage3::run(
            [](const ScriptedServer& from,
               std::vector<std::string> all) -> Coroutine<std::vector<Outcome>> {
                Session session(stage3::running_loop());
                std::vector<Outcome> outcomes;
                for (const std::string& target : all) {
                    outcomes.push_back(co_await fetch(session, from.url(target)));
                    while (from.replies() < from.requests().size())
                        co_await stage3::sleep(1ms);
                    co_await stage3::sleep(20ms); // time for late bytes to arrive
                }
                co_return outcomes;
            }(server, targets));
    }
    Send answer(const std::string& body, const std::string& excess = "") {
        return {fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}{}",
                            body.size(), body, excess)};
    }

    } // namespace

    TEST_CASE("excess bytes of one response don't become the next one") {
        const std::string large(100'000, 'x');
        const std::string fake = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfake";
        for (const std::string& excess : {std::string("y"), fake, fake + fake})
            for (const bool late : {false, true}) {
                CAPTURE(excess);
                CAPTURE(late);
                ScriptedServer server;
                server.on("/a", late ? Reply{answer(large), Pause{5ms}, Send{excess},
                                             tests::KeepOpen{}}
                                     : Reply{answer(large, excess), tests::KeepOpen{}});
                server.on("/b", {answer("good"), tests::KeepOpen{}});
                const auto outcomes = fetch_all(server, {"/a", "/b", "/b"});
                CHECK(outcomes[0].body == large);
                for (const int i : {1, 2}) {
                    CHECK_FALSE(outcomes[static_cast<std::size_t>(i)].error);
                    CHECK(outcomes[static_cast<std::size_t>(i)].body == "good");
                }
                CHECK(server.connections() == 2); // the second one is new, and kept
            }
    }

    TEST_CASE("a kept connection that the server has closed is no failure") {
        ScriptedServer server;
        // The server promises to keep the connection, and then closes or breaks it.
        server.on("/closed", {answer("x")});
        server.on("/broken", {answer("x"), Pause{5ms}, Reset{}});
        server.on("/late", {Reply{answer("x"), tests::KeepOpen{}}, Reply{Reset{}},
                            Reply{answer("y")}});
        for (const char* path : {"/closed", "/broken"}) {
            CAPTURE(path);
            for (const Outcome& outcome : fetch_all(server, {path, path, path}))
                CHECK(outcome.body == "x");
        }
        // The connection breaks while the request is under way.
        const auto outcomes = fetch_all(server, {"/late", "/late"});
        CHECK(outcomes[0].body == "x");
        CHECK(outcomes[1].body == "y");
        CHECK(server.times_asked("/late") == 3);
    }

    TEST_CASE("the second try is made on a new connection, not on another kept one") {
        ScriptedServer server;
        server.on("/a", {Meet{2}, answer("x", "excess"), tests::KeepOpen{}});
        server.on("/b", {answer("good"), tests::KeepOpen{}});
        stage3::run([](std::string a, std::string b) -> Coroutine<> {
            Session session(stage3::running_loop());
            std::vector<Task<Outcome>> both;
            both.push_back(create_task(fetch(session, a)));
            both.push_back(create_task(fetch(session, a)));
            co_await stage3::wait(both); // two are kept, both with excess bytes
            const Outcome outcome = co_await fetch(session, b);
            CHECK_FALSE(outcome.error);
            CHECK(outcome.body == "good");
        }(server.url("/a"), server.url("/b")));
        CHECK(server.connections() == 3);
    }

    TEST_CASE(
        "a status that is about the connection is asked for once more, on a new one") {
        for (const int status : {408, 421, 425}) {
            CAPTURE(status);
            ScriptedServer server;
            const Reply refusal{tests::respond(status, "text/plain", "no")[0],
                                tests::KeepOpen{}};
            server.on("/a", {Meet{2}, answer("x"), tests::KeepOpen{}});
            server.on("/b", {refusal, Reply{answer("good"), tests::KeepOpen{}}});
            server.on("/c", refusal);
            stage3::run([](ScriptedServer& from, int refused) -> Coroutine<> {
                Session session(stage3::running_loop());
                std::vector<Task<Outcome>> both;
                both.push_back(create_task(fetch(session, from.url("/a"))));
                both.push_back(create_task(fetch(session, from.url("/a"))));
                co_await stage3::wait(both); // two connections are kept
                Outcome outcome = co_await fetch(session, from.url("/b"));
                CHECK(outcome.body == "good");
                outcome = co_await fetch(session, from.url("/c"));
                CHECK(outcome.status == refused);
            }(server, status));
            CHECK(server.times_asked("/c") == 2);
            CHECK(server.requests()[3].connection == 2);
        }
    }

    TEST_CASE(
        "behind a response whose end is in doubt, its connection isn't used again") {
        const std::string chunks = "Transfer-Encoding: chunked\r\n";
        const std::string body = "\r\n1\r\nx\r\n0\r\n\r\n";
        for (const auto& [head, connections] :
             {std::pair("HTTP/1.1 200 OK\r\n" + chunks, 1U),
              std::pair("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n" + chunks, 3U),
              std::pair("HTTP/1.1 200 OK\r\n" + chunks + "Content-Length: 11\r\n", 3U),
              std::pair("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + chunks, 3U)}) {
            CAPTURE(head);
            ScriptedServer server;
            server.on("/", {Send{head + body}, tests::KeepOpen{}});
            for (const Outcome& outcome : fetch_all(server, {"/", "/", "/"}))
                CHECK(outcome.body == "x");
            CHECK(server.connections() == connections);
        }
    }

    TEST_CASE("a request on a kept connection that falls silent is not tried twice") {
        tests::may_wait(1s, "the second fetch has to time out, and the first not");
        ScriptedServer server;
        server.on("/", {Reply{answer("x"), tests::KeepOpen{}}, Reply{Hold{}}});
        SessionOptions options;
        options.fetch_timeout = 1s; // the first fetch must succeed
        stage3::run([](std::string url, SessionOptions with) -> Coroutine<> {
            Session session(stage3::running_loop(), with);
            Outcome outcome = co_await fetch(session, url);
            CHECK(outcome.body == "x");
            outcome = co_await fetch(session, url);
            REQUIRE(outcome.error);
            CHECK(outcome.error->kind == Kind::timed_out);
        }(server.url(), options));
        CHECK(server.times_asked("/") == 2);
    }

    TEST_CASE("there are no more connections than allowed, idle or not") {
        ScriptedServer one;
        ScriptedServer two;
        for (ScriptedServer* const server : {&one, &two})
            server->on("/", {answer("x"), tests::KeepOpen{}});
        SessionOptions options;
        options.max_connections = 1;
        stage3::run([](std::string a, std::string b, SessionOptions with) -> Coroutine<> {
            Session session(stage3::running_loop(), with);
            for (const std::string& url : {a, b, a}) {
                const Outcome outcome = co_await fetch(session, url);
                CHECK(outcome.body == "x");
            }
        }(one.url(), two.url(), options));
        CHECK(one.connections() == 2); // the first connection had to make room
    }

    TEST_CASE("a new connection that breaks is a failure") {
        ScriptedServer server;
        server.on("/", Reply{Reset{}});
        const auto outcomes = fetch_all(server, {"/"});
        CHECK(outcomes[0].error);
        CHECK(server.times_asked("/") == 1);
    }
}

TEST_CASE("connecting has its own time limit") {
    // A listener whose backlog is full.
    const common::Socket listener = tests::listen_on_loopback(0, 0);
    const std::uint16_t port = tests::local_port(listener);
    std::vector<common::Socket> others;
    for (int i = 0; i < 4; ++i) {
        std::error_code error;
        others.push_back(common::Socket::open(AF_INET, error));
        error = others.back().connect(common::resolve("127.0.0.1", port).front());
        CHECK(error == std::errc::operation_in_progress);
    }
    SessionOptions options;
    options.connect_timeout = 200ms;
    Outcome outcome = fetch_once(fmt::format("http://127.0.0.1:{}/", port), options);
    REQUIRE(outcome.error);
    CHECK(outcome.error->kind == Kind::timed_out);
    CHECK(std::string(outcome.error->what()) == "no connection within 0.2 s");
    options.fetch_timeout = 100ms;
    outcome = fetch_once(fmt::format("http://127.0.0.1:{}/", port), options);
    REQUIRE(outcome.error);
    CHECK(std::string(outcome.error->what()) == "timed out after 0.1 s");
}

TEST_CASE("a session that ends fails the fetches that wait") {
    ScriptedServer server;
    server.on("/", {Hold{}});
    stage3::run([](std::string url) -> Coroutine<> {
        auto session = std::make_unique<Session>(stage3::running_loop());
        const Task<Outcome> waiting = create_task(fetch(*session, url));
        co_await stage3::sleep(20ms);
        session.reset();
        const Outcome outcome = co_await waiting;
        REQUIRE(outcome.error);
        CHECK(std::string(outcome.error->what()) == "the session has ended");
    }(server.url()));
}

TEST_CASE("a response may outlive its session, but can't be read to its end") {
    ScriptedServer server;
    server.on("/", {Send{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}, Hold{}});
    stage3::run([](std::string url) -> Coroutine<> {
        auto session = std::make_unique<Session>(stage3::running_loop());
        Response response = co_await session->get(url_of(url));
        session.reset();
        CHECK(response.status() == 200);
        std::string why;
        try {
            co_await response.read();
        } catch (const FetchError& error) {
            why = error.what();
        }
        CHECK(why == "the session has ended");
    }(server.url()));
}

TEST_CASE("headers that end in the middle are an error") {
    ScriptedServer server;
    for (const char* text :
         {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", "HTTP/1.1 200 OK\r\nConte",
          "HTTP/1.1 302 Found\r\nLocation: /x\r\n", "HTTP/1.1 200 OK\r\n"}) {
        CAPTURE(text);
        server.on("/", {Send{text}});
        const Outcome outcome = fetch_once(server.url());
        REQUIRE(outcome.error);
        CHECK(outcome.error->kind == Kind::network);
    }
}

TEST_CASE("a header may continue on the next line and have any name") {
    ScriptedServer server;
    server.on("/", {Send{"HTTP/1.1 103 Early Hints\r\nA: early\r\n\r\n"
                         "HTTP/1.1 200 OK\r\nX: b\r\n\tLocation: /wrong\r\n"
                         "Location:\r\n /right\r\nHTTP/2-Settings: s\r\n\r\n"}});
    stage3::run([](std::string url) -> Coroutine<> {
        Session session(stage3::running_loop());
        const Response response = co_await session.get(url_of(url));
        CHECK(response.header("location") == "/right");
        CHECK(response.header("x") == "b Location: /wrong");
        CHECK(response.header("http/2-settings") == "s");
        CHECK(response.header("a").empty());
    }(server.url()));
}

TEST_CASE("a body in broken chunks is not asked for again") {
    ScriptedServer server;
    for (const char* chunk : {"zz\r\nabc\r\n", "FFFFFFFFFFFFFFFFFF\r\nabc\r\n"}) {
        server.on("/", {Send{std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: "
                                         "chunked\r\n\r\n")
                             + chunk}});
        const Outcome outcome = fetch_once(server.url());
        REQUIRE(outcome.error);
        CHECK(outcome.error->kind == Kind::bad_response);
    }
}

TEST_CASE("a socket that the selector can't watch counts as a lack of descriptors") {
    ScriptedServer server;
    server.on("/", tests::html("x"));
    if (common::allow_descriptors() < 1100) {
        MESSAGE("skipped: this shell does not allow enough descriptors");
        return;
    }
    stage3::LoopOptions options;
    options.selector = common::make_selector("select");
    std::optional<Outcome> outcome;
    stage3::run(
        [](std::string url, std::optional<Outcome>& result) -> Coroutine<> {
            Session session(stage3::running_loop());
            std::vector<common::Socket> low; // take all numbers that select can watch
            while (low.empty() || low.back().fd() < 1024)
                low.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
            result = co_await fetch(session, std::move(url));
        }(server.url(), outcome),
        std::move(options));
    REQUIRE(outcome);
    REQUIRE(outcome->error);
    CHECK(outcome->error->kind == Kind::no_descriptor);
}

TEST_CASE("dropping a response unread ends its transfer") {
    ScriptedServer server;
    server.on("/", {Send{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}, Hold{}});
    bool reported = false;
    stage3::run([](std::string url, bool& seen) -> Coroutine<> {
        stage3::running_loop().set_exception_handler([&](const auto&) { seen = true; });
        Session session(stage3::running_loop());
        {
            const Response response = co_await session.get(url_of(url));
            CHECK(session.in_flight() == 1);
        }
        CHECK(session.in_flight() == 0);
        co_await stage3::sleep(20ms);
    }(server.url(), reported));
    CHECK_FALSE(reported);
}

TEST_CASE("a body that isn't wanted is received only if that is cheap") {
    tests::may_wait(6s, "four bodies never come: each is waited for for 1 s");
    const std::string small(100'000, 'x');
    const std::string large(300'000, 'x');
    const std::string head = "HTTP/1.1 200 OK\r\n";
    const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
    const auto length = [&](std::size_t bytes) {
        return Send{head + fmt::format("Content-Length: {}\r\n\r\n", bytes)};
    };
    const auto chunk = [](const std::string& text) {
        return fmt::format("{:x}\r\n{}\r\n", text.size(), text);
    };
    struct Case {
        std::string name;
        Reply reply;
        bool is_received;
    };
    const tests::KeepOpen keep;
    for (const Case& one : {
             Case{"small", {length(small.size()), Pause{5ms}, Send{small}, keep}, true},
             Case{"chunks", {Send{chunked + chunk(small) + chunk("")}, keep}, true},
             Case{"no body", {length(0), keep}, true},
             Case{"large", {length(large.size()), Pause{5ms}, Send{large}, keep}, false},
             Case{"long chunks", {Send{chunked + chunk(large)}, Hold{}}, false},
             Case{"large, and silent", {length(large.size()), Hold{}}, false},
             Case{"small, and silent", {length(small.size()), Hold{}}, false},
             Case{"chunks without end", {Send{chunked + chunk("x")}, Hold{}}, false},
             Case{"cut off", {length(small.size()), Send{"x"}}, false},
         })
        for (const bool says_so_first : {true, false}) {
            CAPTURE(one.name);
            CAPTURE(says_so_first);
            ScriptedServer server;
            server.on("/", one.reply);
            server.on("/next", tests::html(""));
            stage3::run([](ScriptedServer& from, bool first) -> Coroutine<> {
                Session session(stage3::running_loop());
                stage3::GetOptions options;
                if (first)
                    options.wants_body = [](const auto&) { return false; };
                {
                    Response response = co_await session.get(url_of(from.url()), options);
                    CHECK(response.is_wanted() != first);
                    const std::size_t bytes = co_await response.skip();
                    CHECK(bytes <= 300'000);
                }
                CHECK(session.in_flight() == 0);
                co_await fetch(session, from.url("/next"));
            }(server, says_so_first));
            CHECK(server.requests().back().connection == (one.is_received ? 0 : 1));
        }
}

TEST_CASE("the beginning of a body is there before the rest") {
    ScriptedServer server;
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n";
    server.on("/", {Send{head + "a"}, Pause{5ms}, Send{"bc"}, tests::AwaitRelease{},
                    Send{"def"}});
    server.on("/cut-off", {Send{head + "abc"}});
    stage3::run([](ScriptedServer& from) -> Coroutine<> {
        Session session(stage3::running_loop());
        Response response = co_await session.get(url_of(from.url()));
        const std::string three(co_await response.beginning(3));
        CHECK(three == "abc");
        from.release();
        const std::string seven(co_await response.beginning(7));
        CHECK(seven == "abcdef");
        const std::string all = co_await response.read();
        CHECK(all == "abcdef");
        response = co_await session.get(url_of(from.url("/cut-off")));
        bool is_cut_off = false;
        try {
            co_await response.beginning(4);
        } catch (const FetchError&) {
            is_cut_off = true;
        }
        CHECK(is_cut_off);
    }(server));
}

TEST_CASE("two tasks can't wait for the beginning of one response") {
    ScriptedServer server;
    server.on("/", {Send{"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\na"}, Hold{}});
    stage3::run([](ScriptedServer& from) -> Coroutine<> {
        Session session(stage3::running_loop());
        Response response = co_await session.get(url_of(from.url()));
        auto first = create_task(response.beginning(3));
        co_await stage3::next_turn();
        bool is_refused = false;
        try {
            co_await response.beginning(4);
        } catch (const std::logic_error&) {
            is_refused = true;
        }
        CHECK(is_refused);
        first.cancel();
        const std::vector<Task<std::string_view>> one{first};
        co_await stage3::wait(one, 10s);
        auto second = create_task(response.beginning(5)); // there is none now
        co_await stage3::next_turn();
        CHECK_FALSE(second.done());
        second.cancel();
        const std::vector<Task<std::string_view>> another{second};
        co_await stage3::wait(another, 10s);
    }(server));
}

TEST_CASE("fetches can be cancelled at any moment") {
    ScriptedServer server;
    server.on("/", {Pause{3ms}, Send{"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"},
                    Pause{3ms}, Send{"def"}, tests::KeepOpen{}});
    bool reported = false;
    stage3::run([](std::string url, bool& seen) -> Coroutine<> {
        stage3::running_loop().set_exception_handler([&](const auto&) { seen = true; });
        Session session(stage3::running_loop());
        std::mt19937 chance(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): always the same
        int whole = 0;
        for (int round = 0; round < 20; ++round) {
            std::vector<Task<Outcome>> fetches;
            for (int i = 0; i < 10; ++i)
                fetches.push_back(stage3::create_task(fetch(session, url)));
            for (std::size_t i = 0; i + 1 < fetches.size(); ++i) { // all but the last
                const auto delay = std::chrono::microseconds(chance() % 3000);
                co_await stage3::sleep(delay);
                fetches[i].cancel();
            }
            co_await stage3::wait(fetches);
            for (const auto& one : fetches)
                if (!one.cancelled()) {
                    CHECK(one.result().body == "abcdef");
                    ++whole;
                }
            CHECK(session.in_flight() == 0);
        }
        CHECK(whole >= 20);
        CHECK(whole < 200);
    }(server.url(), reported));
    CHECK_FALSE(reported);
}

TEST_CASE("a loop may close while many fetches are under way") {
    tests::may_wait(1100ms, "a timer that libcurl left behind would be due after 1 s");
    ScriptedServer server;
    server.on("/", {Send{"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"}, Hold{}});
    EventLoop loop;
    loop.set_exception_handler([](const auto&) {});
    auto session = std::make_unique<Session>(loop, SessionOptions{.fetch_timeout = 1s});
    for (int i = 0; i < 20; ++i)
        static_cast<void>(create_task(loop, fetch(*session, server.url())));
    const std::function<void()> stop_when_all_are = [&] {
        if (session->in_flight() == 20)
            loop.stop();
        else
            loop.call_later(1ms, stop_when_all_are);
    };
    stop_when_all_are();
    loop.run_forever();
    SUBCASE("the loop closes first") {
        loop.close();
        CHECK(session->in_flight() == 0);
    }
    SUBCASE("the session ends first") {
        session.reset();
        // A timer left by libcurl would call a session that is gone.
        loop.call_later(1100ms, [&] { loop.stop(); });
        loop.run_forever();
    }
}

// NOLINTEND(performance-unnecessary-value-param)
