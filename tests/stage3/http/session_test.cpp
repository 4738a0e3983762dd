// HTTP on curl multi, against a scripted server, which also makes mistakes if told to.
#include "common/system/descriptors.h"
#include "common/text/ascii.h"
#include "stage3_queue_crawler/http/easy_option.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/http/fetching.h"
#include "tests/stage3/runtime/awaited.h"
#include "tests/support/listener.h"
#include "tests/support/pack.h"
#include "tests/support/scripted_server.h"
#include "tests/support/waits.h"

#include <random>

#include <fcntl.h>
#include <sys/resource.h>

using namespace stage3;
using namespace tests;

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

/// Runs a test with a server, and a session in a loop of its own.
using Test = Coroutine<> (*)(ScriptedServer& server, Session& session);
void with_session(ScriptedServer& server, Test test, SessionOptions options = {}) {
    stage3::run([](ScriptedServer& from, Test body, SessionOptions with) -> Coroutine<> {
        Session session(stage3::running_loop(), std::move(with));
        co_await body(from, session);
        CHECK(session.in_flight() == 0);
    }(server, test, std::move(options)));
}

/// A response with a body that a client keeps its connection for.
Send answer(const std::string& body, const std::string& excess = "") {
    return {fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}{}", body.size(),
                        body, excess)};
}

/// Its end never comes.
const Reply beginning_only{Send{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"},
                           Hold{}};

/// The outcome of a fetch that a server answers with `reply`.
Fetched answered(Reply reply, SessionOptions options = {}) {
    ScriptedServer server;
    server.on("/", std::move(reply));
    return fetch_once(server.url(), std::move(options));
}

/// The same with the response's bytes, as the server sends them.
Fetched answered(std::string bytes, SessionOptions options = {}) {
    return answered(Reply{Send{std::move(bytes)}}, std::move(options));
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
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        Response response = co_await session.get(url_of(from.url()));
        CHECK(response.status() == 200);
        CHECK(response.header("content-TYPE") == "text/html");
        CHECK(response.header("X-NAME") == "a"); // the first of the two
        CHECK(response.header("nothing").empty());
        co_await expect(response.read(), "<p>hello");
    });
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
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        const stage3::GetOptions options{.only_head = true};
        for (int i = 0; i < 2; ++i) {
            Response response = co_await session.get(url_of(from.url()), options);
            CHECK(response.status() == 200);
            CHECK(response.header("X") == "y");
            co_await expect(response.read(), "");
        }
    });
    const auto requests = server.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[1].head.starts_with("HEAD / HTTP/1.1\r\n"));
    CHECK(requests[1].connection == 0);
}

TEST_CASE("a fetch from the public internet only doesn't reach a private address, unless "
          "the session has been on one") {
    ScriptedServer server;
    server.on("/", tests::html(""));
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        const stage3::GetOptions options{.only_public = true};
        Fetched outcome = co_await fetch(session, from.url(), options);
        CHECK(outcome.kind() == Kind::forbidden);
        CHECK(outcome.words() == "address 127.0.0.1 is private");
        co_await fetch(session, from.url());
        outcome = co_await fetch(session, from.url(), options);
        CHECK(outcome.status == 200);
    });
    CHECK(server.requests().size() == 2);
}

TEST_CASE("many pages are fetched at once, and their connections are used again") {
    ScriptedServer server;
    for (int i = 0; i < 50; ++i)
        server.on(fmt::format("/{}", i),
                  {Meet{50}, answer(fmt::format("{:02}", i)), tests::KeepOpen{}});
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        for (int round = 0; round < 3; ++round) {
            std::vector<Future<Fetched>> fetches;
            for (int i = 0; i < 50; ++i)
                fetches.push_back(
                    stage3::create_task(fetch(session, from.url(fmt::format("/{}", i)))));
            const auto outcomes = co_await stage3::gather(std::move(fetches));
            for (std::size_t i = 0; i < outcomes.size(); ++i)
                CHECK(outcomes[i].body == fmt::format("{:02}", i));
        }
    });
    CHECK(server.most_at_once() == 50);
    CHECK(server.requests().size() == 150);
    CHECK(server.connections() <= 50);
}

TEST_CASE("who wants a page says so, unless the user says something else") {
    ScriptedServer server;
    server.on("/", tests::respond(200, "text/html", ""));
    SessionOptions options;
    std::string own = "*/*";
    std::string with_own = "text/html,*/*;q=0.8";
    SUBCASE("not the user's own") { options.headers = {"X-Accept: a/b"}; }
    SUBCASE("the user's own") {
        options.headers = {"aCCept: a/b"};
        own = with_own = "a/b";
    }
    const auto play = [](ScriptedServer& from, Session& session) -> Coroutine<> {
        for (const bool with_headers : {false, true})
            for (const bool wants_page : {false, true}) {
                const stage3::GetOptions how{.with_headers = with_headers,
                                             .wants_page = wants_page};
                Response response = co_await session.get(url_of(from.url("/")), how);
                co_await expect(response.read(), "");
            }
    };
    with_session(server, play, options);
    std::vector<std::string> accepted;
    for (const auto& request : server.requests()) {
        const std::string head = common::lower(request.head);
        const auto begin =
            head.find("\r\naccept: ") + std::string_view("\r\naccept: ").size();
        accepted.push_back(head.substr(begin, head.find("\r\n", begin) - begin));
    }
    CHECK(accepted
          == std::vector<std::string>{"*/*", "text/html,*/*;q=0.8", own, with_own});
}

TEST_CASE("the user's own header replaces one that would be sent anyway") {
    ScriptedServer server;
    server.on("/", tests::respond(200, "text/html", ""));
    SessionOptions options;
    options.headers = {"ACCEPT-encoding: identity", "X-A: b"};
    const auto play = [](ScriptedServer& from, Session& session) -> Coroutine<> {
        for (const bool with_headers : {false, true}) {
            const stage3::GetOptions how{.with_headers = with_headers};
            co_await fetch(session, from.url("/"), how);
        }
    };
    with_session(server, play, options);
    std::vector<std::string> found;
    for (const auto& request : server.requests()) {
        const std::string head = common::lower(request.head);
        found.push_back(head.substr(head.find("accept-encoding: ")));
    }
    CHECK(found
          == std::vector<std::string>{"accept-encoding: gzip",
                                      "accept-encoding: identity\r\nx-a: b"});
}

TEST_CASE("a fetch inherits nothing from the one before it on the same connection") {
    ScriptedServer server;
    server.on("/", tests::respond(200, "text/plain", "a", "Retry-After: 7\r\n"));
    server.on("/next", tests::respond(200, "text/plain", "longer"));
    SessionOptions options;
    options.headers = {"X-Mine: a"};
    options.look_up = [](const std::string&) { return common::resolve("127.0.0.1", 0); };
    const auto play = [](ScriptedServer& from, Session& session) -> Coroutine<> {
        const auto named = fmt::format("http://name.test:{}/", from.port());
        for (int i = 0; i < 3; ++i) {
            {
                const stage3::GetOptions special{.with_headers = true,
                                                 .login = common::Login{"me", "secret"},
                                                 .max_body = 1};
                Response first = co_await session.get(url_of(named), special);
                co_await expect(first.read(), "a");
                CHECK(first.retry_after() == 7s);
            }
            Response second = co_await session.get(url_of(from.url("/next")));
            co_await expect(second.read(), "longer");
            CHECK(second.retry_after() == 0s);
            CHECK(second.header("Retry-After").empty());
        }
    };
    with_session(server, play, options);
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

TEST_CASE("a broken connection and a silent server have their errors, and later fetches "
          "don't know of them") {
    tests::may_wait(2s, "two fetches have to time out, and the others not");
    ScriptedServer server;
    server.on("/", tests::html(""));
    server.on("/silent", {Hold{}});
    server.on("/half", beginning_only);
    server.on("/nothing", Reply{});
    server.on("/reset", {Reset{}});
    with_session(server,
                 [](ScriptedServer& from, Session& session) -> Coroutine<> {
                     std::string gone;
                     {
                         const ScriptedServer other;
                         gone = other.url();
                     }
                     struct Case {
                         std::string url, words;
                         std::optional<Kind> kind = {};
                     };
                     const std::vector<Case> fetches{
                         {from.url(), ""},
                         {gone, "connection refused", Kind::network},
                         {from.url("/nothing"), "empty response", Kind::network},
                         {from.url(), ""},
                         {from.url("/silent"), "timed out after 1 s", Kind::timed_out},
                         {from.url("/half"), "timed out after 1 s", Kind::timed_out},
                         {from.url("/reset"), "connection reset by peer", Kind::network},
                         {from.url(), ""},
                         {from.url("/nothing"), "empty response", Kind::network}};
                     for (const Case& one : fetches) {
                         CAPTURE(one.url);
                         const Fetched outcome = co_await fetch(session, one.url);
                         CHECK(outcome.words() == one.words);
                         CHECK(outcome.kind() == one.kind);
                         if (one.url == from.url("/half"))
                             CHECK(outcome.error->bytes == 3);
                     }
                 },
                 {.fetch_timeout = 1s});
    CHECK(server.times_asked("/reset") == 1); // a new connection breaks only once
}

TEST_CASE("the headers come first, and the body once it has arrived") {
    ScriptedServer server;
    server.on("/", {Send{"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"},
                    tests::AwaitRelease{}, Send{"cd"}});
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        Response response = co_await session.get(url_of(from.url()));
        from.release();
        co_await expect(response.read(), "abcd");
    });
}

TEST_CASE("redirects are not followed") {
    ScriptedServer server;
    server.on("/", tests::redirect_to("/elsewhere"));
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        const Response response = co_await session.get(url_of(from.url()));
        CHECK(response.status() == 302);
        CHECK(response.header("Location") == "/elsewhere");
    });
    CHECK(server.requests().size() == 1);
}

TEST_CASE("compressed bodies are unpacked, and the limit for a body applies afterwards") {
    CHECK(answered(gzipped(pack("a page"))).body == "a page");
    const std::string zeros(std::size_t{256} * 1024, '\0');
    CHECK(answered(gzipped(pack(zeros))).body == zeros);
    const Fetched outcome = answered(gzipped(pack(zeros)), {.max_body = 100'000});
    CHECK(outcome.kind() == Kind::too_large);
    CHECK(outcome.words() == "body larger than 100000 bytes");
    REQUIRE(outcome.error);
    CHECK(outcome.error->bytes == 100'000);
}

// response_head_test.cpp and content_decoder_test.cpp have every such response. Here,
// libcurl reads it, too, and may refuse it first, in words of its own.
TEST_CASE(
    "a response that breaks the rules, or is cut off, is an error with our reason") {
    const std::string page = "HTTP/1.1 200 OK\r\n";
    const std::string length = "Content-Length: 2\r\n";
    const std::string chunked = page + "Transfer-Encoding: chunked\r\n\r\n";
    const std::string packed = page + "Content-Encoding: gzip\r\n";
    const std::string large(100'000, 'x');
    const char* const too_large = "body larger than 64 KiB";
    const char* const cut_off = "the connection was closed in the middle of the body";
    const char* const badly_packed = "the body's compression is broken or unknown";
    std::string many;
    for (int i = 0; i < 3000; ++i)
        many += fmt::format("X-{}: a value of some length\r\n", i);
    struct Case {
        std::string bytes;
        Kind kind;
        const char* why = "";
    };
    const Case cases[] = {
        {"SSH-2.0-OpenSSH\r\n\r\nok", Kind::bad_response, "not an HTTP response"},
        {"HTTP/1.1 2000 OK\r\n\r\n", Kind::bad_response, "not an HTTP response"},
        {"HTTP/3.1 200 OK\r\n\r\n", Kind::bad_response, "not an HTTP response"},
        {page + std::string("X\0Y: 1\r\n\r\nok", 12), Kind::bad_response},
        {page + "X: " + std::string(200'000, 'x') + "\r\n\r\n", Kind::bad_response},
        {page + "X: a\rb\r\n\r\n", Kind::bad_response, "a carriage return inside a"},
        {page + "Location: /a\r\nLocation: /b\r\n\r\n", Kind::bad_response,
         "conflicting Location headers"},
        {page + "Transfer-Encoding: gzip\r\n\r\nok", Kind::bad_response,
         "unsupported Transfer-Encoding"},
        {page + "Transfer-Encoding: unheard-of\r\n\r\nok", Kind::bad_response,
         "unsupported Transfer-Encoding"},
        {page + length + "Content-Length: 3\r\n\r\nok", Kind::bad_response,
         "invalid Content-Length"},
        {page + "Content-Length: 0x5\r\n\r\nok", Kind::bad_response,
         "invalid Content-Length"},
        {page + "Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip\r\n\r\nok",
         Kind::bad_response, "too many content encodings"},
        {page + many + "\r\n", Kind::bad_response, "headers larger than 64 KiB"},
        {chunked + "1\r\nx\r\n0\r\n" + many, Kind::bad_response,
         "headers larger than 64 KiB"},
        {chunked + "zz\r\nabc\r\n", Kind::bad_response},
        {chunked + "FFFFFFFFFFFFFFFFFF\r\nabc\r\n", Kind::bad_response},
        {packed + "Content-Length: 5\r\n\r\nplain", Kind::bad_response, badly_packed},
        {page + "Content-Encoding: rot13\r\nContent-Length: 5\r\n\r\nplain",
         Kind::bad_response, badly_packed},
        {page + "Content-Length: 100000\r\n\r\n" + large, Kind::too_large, too_large},
        {"HTTP/1.0 200 OK\r\n\r\n" + large, Kind::too_large, too_large},
        {page + "Content-Length: 10\r\n\r\nabc", Kind::network, cut_off},
        {chunked + "5\r\nabc", Kind::network, cut_off},
        {page, Kind::network},
        {page + "Content-Type: text/html\r\n", Kind::network},
        {page + "Conte", Kind::network},
        {"HTTP/1.1 302 Found\r\nLocation: /x\r\n", Kind::network},
    };
    const SessionOptions small{.max_body = 64 * 1024};
    for (const Case& one : cases) {
        CAPTURE(one.bytes.substr(0, 100));
        const Fetched outcome = answered(one.bytes, small);
        CHECK(outcome.kind() == one.kind);
        CHECK(outcome.words().find(one.why) != std::string::npos);
    }
    for (const std::string& bytes :
         {page + length + "content-length: 2, 2\r\n\r\nok", page + length + "\r\nok",
          page + "Transfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"})
        CHECK(answered(bytes).words() == "ok");
    CHECK(answered("HTTP/1.0 200 OK\r\n\r\n" + large.substr(0, 64UL * 1024), small)
              .body.size()
          == 64UL * 1024);
    CHECK(answered(packed + "Content-Length: 0\r\n\r\n").words().empty());
}

TEST_CASE(
    "a compressed body without its end counts as cut off, whatever its length says") {
    const Fetched outcome = answered(gzipped(pack("a page").substr(0, 20)));
    CHECK(outcome.status == 200);
    CHECK(outcome.kind() == Kind::network); // the next try may get all of it
    CHECK(outcome.words() == "the body's compression was cut off");
    REQUIRE(outcome.error);
    CHECK(outcome.error->bytes == 6); // only the checksum is missing
}

TEST_CASE("a folded line before any header is refused, even on a kept connection") {
    ScriptedServer server;
    server.on("/", tests::html("a page"));
    server.on("/next", {Send{"HTTP/1.1 200 OK\r\n and: so on\r\nX: 1\r\n"
                             "Content-Length: 2\r\n\r\nok"}});
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        for (int i = 0; i < 20; ++i) { // libcurl 7.88 corrupted memory
            co_await expect(words_of(session, from.url()), "a page");
            const Fetched next = co_await fetch(session, from.url("/next"));
            CHECK(next.kind() == Kind::bad_response);
            CHECK(next.words() == "not an HTTP response");
        }
    });
}

TEST_CASE("a stalled server is given up on before the whole time is over") {
    tests::may_wait(
        9s,
        "libcurl looks at its speed once a second, and takes several seconds to notice");
    const auto start = std::chrono::steady_clock::now();
    const Fetched outcome = answered(beginning_only, {.stall_timeout = 1s});
    CHECK(std::chrono::steady_clock::now() - start < 10s);
    CHECK(outcome.words() == "nothing has come for 1 s");
}

TEST_CASE("running out of descriptors is reported as our own fault") {
    ScriptedServer server;
    server.on("/", tests::html("x"));
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        rlimit before{};
        CHECK(::getrlimit(RLIMIT_NOFILE, &before) == 0);
        rlimit low = before;
        low.rlim_cur = 3;
        ::setrlimit(RLIMIT_NOFILE, &low);
        const Fetched outcome = co_await fetch(session, from.url());
        ::setrlimit(RLIMIT_NOFILE, &before);
        CHECK(outcome.kind() == Kind::no_descriptor);
    });
}

TEST_SUITE("connections are kept and used again") {
    namespace {

    /// Fetches the targets one after the other.
    std::vector<Fetched> fetch_all(const ScriptedServer& server,
                                   const std::vector<std::string>& targets) {
        return stage3::run(
            [](const ScriptedServer& from,
               std::vector<std::string> all) -> Coroutine<std::vector<Fetched>> {
                Session session(stage3::running_loop());
                std::vector<Fetched> outcomes;
                for (const std::string& target : all) {
                    outcomes.push_back(co_await fetch(session, from.url(target)));
                    while (from.replies() < from.requests().size())
                        co_await stage3::sleep(1ms);
                    co_await stage3::sleep(20ms); // time for late bytes to arrive
                }
                co_return outcomes;
            }(server, targets));
    }

    /// Fetches a page twice at once, so that two connections are kept.
    Coroutine<> keep_two(Session& session, const std::string& url) {
        std::vector<Task<Fetched>> both;
        for (int i = 0; i < 2; ++i)
            both.push_back(create_task(fetch(session, url)));
        co_await stage3::wait(both);
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
            for (const Fetched& outcome : fetch_all(server, {path, path, path}))
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
        with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
            co_await keep_two(session, from.url("/a")); // both with excess bytes
            co_await expect(words_of(session, from.url("/b")), "good");
        });
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
            with_session(server,
                         [](ScriptedServer& from, Session& session) -> Coroutine<> {
                             co_await keep_two(session, from.url("/a"));
                             co_await expect(words_of(session, from.url("/b")), "good");
                             co_await expect(words_of(session, from.url("/c")), "no");
                         });
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
            for (const Fetched& outcome : fetch_all(server, {"/", "/", "/"}))
                CHECK(outcome.body == "x");
            CHECK(server.connections() == connections);
        }
    }

    TEST_CASE("a request on a kept connection that falls silent is not tried twice") {
        tests::may_wait(1s, "the second fetch has to time out, and the first not");
        ScriptedServer server;
        server.on("/", {Reply{answer("x"), tests::KeepOpen{}}, Reply{Hold{}}});
        with_session(server,
                     [](ScriptedServer& from, Session& session) -> Coroutine<> {
                         co_await expect(words_of(session, from.url()), "x");
                         const Fetched outcome = co_await fetch(session, from.url());
                         CHECK(outcome.kind() == Kind::timed_out);
                     },
                     {.fetch_timeout = 1s}); // the first fetch must succeed
        CHECK(server.times_asked("/") == 2);
    }

    TEST_CASE("there are no more connections than allowed, idle or not") {
        ScriptedServer one;
        ScriptedServer two;
        for (ScriptedServer* const server : {&one, &two})
            server->on("/", {answer("x"), tests::KeepOpen{}});
        stage3::run([](std::string a, std::string b) -> Coroutine<> {
            Session session(stage3::running_loop(), {.max_connections = 1});
            for (const std::string& url : {a, b, a})
                co_await expect(words_of(session, url), "x");
        }(one.url(), two.url()));
        CHECK(one.connections() == 2); // the first connection had to make room
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
    const std::string url = fmt::format("http://127.0.0.1:{}/", port);
    Fetched outcome = fetch_once(url, {.connect_timeout = 200ms});
    CHECK(outcome.kind() == Kind::timed_out);
    CHECK(outcome.words() == "no connection within 0.2 s");
    outcome = fetch_once(url, {.connect_timeout = 200ms, .fetch_timeout = 100ms});
    CHECK(outcome.words() == "timed out after 0.1 s");
}

TEST_CASE("a session that ends fails the fetches and the bodies that are waited for") {
    ScriptedServer server;
    server.on("/", {Hold{}});
    server.on("/half", beginning_only);
    stage3::run([](ScriptedServer& from) -> Coroutine<> {
        auto session = std::make_unique<Session>(stage3::running_loop());
        Response response = co_await session->get(url_of(from.url("/half")));
        const auto waiting = create_task(words_of(*session, from.url()));
        co_await stage3::sleep(20ms);
        session.reset();
        co_await expect(waiting, "the session has ended");
        CHECK(response.status() == 200); // a response may outlive its session
        std::string why;
        try {
            co_await response.read();
        } catch (const FetchError& error) {
            why = error.what();
        }
        CHECK(why == "the session has ended");
    }(server));
}

TEST_CASE("a header may continue on the next line and have any name") {
    ScriptedServer server;
    server.on("/", {Send{"HTTP/1.1 103 Early Hints\r\nA: early\r\n\r\n"
                         "HTTP/1.1 200 OK\r\nX: b\r\n\tLocation: /wrong\r\n"
                         "Location:\r\n /right\r\nHTTP/2-Settings: s\r\n\r\n"}});
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        const Response response = co_await session.get(url_of(from.url()));
        CHECK(response.header("location") == "/right");
        CHECK(response.header("x") == "b Location: /wrong");
        CHECK(response.header("http/2-settings") == "s");
        CHECK(response.header("a").empty());
    });
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
    stage3::run(
        [](std::string url) -> Coroutine<> {
            Session session(stage3::running_loop());
            std::vector<common::Socket> low; // take all numbers that select can watch
            while (low.empty() || low.back().fd() < 1024)
                low.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
            const Fetched outcome = co_await fetch(session, std::move(url));
            CHECK(outcome.kind() == Kind::no_descriptor);
        }(server.url()),
        std::move(options));
}

TEST_CASE("dropping a response unread ends its transfer") {
    ScriptedServer server;
    server.on("/", beginning_only);
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        bool is_reported = false;
        stage3::running_loop().set_exception_handler(
            [&](const auto&) { is_reported = true; });
        {
            const Response response = co_await session.get(url_of(from.url()));
            CHECK(session.in_flight() == 1);
        }
        CHECK(session.in_flight() == 0);
        co_await stage3::sleep(20ms);
        CHECK_FALSE(is_reported);
    });
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
             Case{"small",
                  {length(small.size()), tests::AwaitRelease{}, Send{small}, keep},
                  true},
             Case{"chunks", {Send{chunked + chunk(small) + chunk("")}, keep}, true},
             Case{"no body", {length(0), keep}, true},
             Case{"large",
                  {length(large.size()), tests::AwaitRelease{}, Send{large}, keep},
                  false},
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
                    from.release(); // not before: a body that is there counts as received
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
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        Response response = co_await session.get(url_of(from.url()));
        co_await expect(response.beginning(3), "abc");
        from.release();
        co_await expect(response.beginning(7), "abcdef");
        co_await expect(response.read(), "abcdef");
        response = co_await session.get(url_of(from.url("/cut-off")));
        co_await expect(throws<FetchError>(response.beginning(4)), true);
    });
}

TEST_CASE("two tasks can't wait for the beginning of one response") {
    ScriptedServer server;
    server.on("/", {Send{"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\na"}, Hold{}});
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        Response response = co_await session.get(url_of(from.url()));
        const auto first = create_task(response.beginning(3));
        co_await stage3::next_turn();
        co_await expect(throws<std::logic_error>(response.beginning(4)), true);
        co_await end(first);
        const auto second = create_task(response.beginning(5)); // there is none now
        co_await stage3::next_turn();
        CHECK_FALSE(second.done());
        co_await end(second);
    });
}

TEST_CASE("fetches can be cancelled at any moment") {
    ScriptedServer server;
    server.on("/", {Pause{3ms}, Send{"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"},
                    Pause{3ms}, Send{"def"}, tests::KeepOpen{}});
    with_session(server, [](ScriptedServer& from, Session& session) -> Coroutine<> {
        bool is_reported = false;
        stage3::running_loop().set_exception_handler(
            [&](const auto&) { is_reported = true; });
        std::mt19937 chance(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): always the same
        int whole = 0;
        for (int round = 0; round < 20; ++round) {
            std::vector<Task<Fetched>> fetches;
            for (int i = 0; i < 10; ++i)
                fetches.push_back(stage3::create_task(fetch(session, from.url())));
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
        CHECK_FALSE(is_reported);
    });
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
