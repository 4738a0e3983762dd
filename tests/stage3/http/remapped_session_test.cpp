// A crawl's door to HTTP, when URLs are served somewhere else.
#include "stage3_queue_crawler/http/remapped_session.h"
#include "stage3_queue_crawler/http/response_head.h"
#include "tests/stage3/http/fetching.h"
#include "tests/support/scripted_server.h"

#include <cstdlib>

using namespace stage3;
using namespace tests;

// NOLINTBEGIN(performance-unnecessary-value-param)

namespace {

/// "https://example.org/docs/" is `server`'s "/site/".
std::shared_ptr<const UrlMappings> mapped_to(const ScriptedServer& server,
                                             bool is_folder = false) {
    auto mappings = std::make_shared<UrlMappings>();
    mappings->add({.from = url_of("https://example.org/docs/"),
                   .to = url_of(server.url("/site/")),
                   .is_folder = is_folder});
    return mappings;
}

/// "200 body", "302 Location" or why there is no answer.
std::string answer_to(const std::string& url, std::shared_ptr<const UrlMappings> mappings,
                      SessionOptions with = {}, GetOptions how = {}) {
    return stage3::run([](std::string from, std::shared_ptr<const UrlMappings> where,
                          SessionOptions session_options,
                          GetOptions options) -> Coroutine<std::string> {
        RemappedSession session(running_loop(), session_options, std::move(where));
        std::string words;
        try {
            Response response = co_await session.get(url_of(from), std::move(options));
            const std::string body = co_await response.read();
            words = fmt::format("{} {}{}", response.status(), response.header("Location"),
                                body);
        } catch (const FetchError& error) {
            words = error.what();
        }
        CHECK_FALSE(session.is_busy());
        co_return words;
    }(url, std::move(mappings), std::move(with), std::move(how)));
}

} // namespace

TEST_CASE("a mapped URL is fetched where it is served, and others where they say") {
    ScriptedServer server;
    server.on("/site/a?b", html("here"));
    server.on("/else", html("there"));
    CHECK(answer_to("https://example.org/docs/a?b", mapped_to(server)) == "200 here");
    CHECK(answer_to(server.url("/else"), mapped_to(server)) == "200 there");
}

TEST_CASE("redirects lead to what is meant, wherever they were resolved") {
    ScriptedServer server;
    for (const auto& [location, meant] :
         {std::pair<std::string, std::string>("b", "https://example.org/docs/b"),
          {"/site/b?c", "https://example.org/docs/b?c"},
          {server.url("/site/b#part"), "https://example.org/docs/b#part"},
          {"/login", server.url("/login")}, // outside: no one has said what that is
          {"https://example.org/docs/c", "https://example.org/docs/c"},
          {"https://other.example/", "https://other.example/"},
          {"mailto:a@b", "mailto:a@b"}}) {
        server.on("/site/a", redirect_to(location));
        CHECK(answer_to("https://example.org/docs/a", mapped_to(server))
              == "302 " + meant);
    }
}

TEST_CASE("what has no server is answered without one") {
    const ScriptedServer server;
    CHECK(answer_to("http://www.example.org/docs", mapped_to(server))
          == "301 https://example.org/docs/");
    CHECK(server.requests().empty());
}

TEST_CASE("the robots.txt of a server that is mapped in part is its own, or none") {
    ScriptedServer live;
    live.on("/robots.txt", respond(200, "text/plain", "User-agent: *"));
    for (const bool is_live : {true, false}) {
        const std::string origin = is_live ? live.url("") : "http://127.0.0.1:1";
        auto mappings = std::make_shared<UrlMappings>();
        mappings->add({.from = url_of(origin + "/docs/"),
                       .to = url_of("http://127.0.0.1:2/"),
                       .is_folder = true});
        CHECK(answer_to(origin + "/robots.txt", mappings)
              == (is_live ? "200 User-agent: *" : "404 "));
    }
}

TEST_CASE("a folder's refusal is an error that says why; a server's is an answer") {
    ScriptedServer server;
    server.on("/site/a", respond(403, "text/html", "", "Refused-Because: a link\r\n"));
    server.on("/site/b", respond(403, "text/html", "no"));
    CHECK(answer_to("https://example.org/docs/a", mapped_to(server, true)) == "a link");
    CHECK(answer_to("https://example.org/docs/b", mapped_to(server, true)) == "403 no");
    CHECK(answer_to("https://example.org/docs/a", mapped_to(server)) == "403 ");
}

TEST_CASE("heads are told with the URL that is meant") {
    ScriptedServer server;
    server.on("/site/a", respond(200, "text/html", "", "Set-Cookie: a=b\r\n"));
    std::string told;
    GetOptions options;
    options.on_head = [&told](const common::Url& url, const ResponseHead& head) {
        told = fmt::format("{} {}", url.href(), head.header("Set-Cookie"));
    };
    CHECK(answer_to("https://example.org/docs/a", mapped_to(server), {}, options)
          == "200 ");
    CHECK(told == "https://example.org/docs/a a=b");
}

TEST_CASE("a place that the user has named may be private, and needs no proxy if it's a "
          "folder") {
    ScriptedServer server;
    server.on("/site/a", html("here"));
    server.on("/b", html("there"));
    SessionOptions options;
    options.objection = [](const sockaddr&) { return "private"; };
    GetOptions only_public;
    only_public.only_public = true;
    CHECK(answer_to("https://example.org/docs/a", mapped_to(server), options, only_public)
          == "200 here");
    CHECK(answer_to(server.url("/b"), mapped_to(server), options) == "private");
    options = {};
    options.proxy = "http://127.0.0.1:1"; // nothing listens there
    CHECK(answer_to("https://example.org/docs/a", mapped_to(server, true), options)
          == "200 here");
    CHECK(answer_to("https://example.org/docs/a", mapped_to(server), options)
          != "200 here");
    ::setenv("http_proxy", "http://127.0.0.1:1", 1); // NOLINT(concurrency-mt-unsafe)
    CHECK(answer_to("https://example.org/docs/a", mapped_to(server, true)) == "200 here");
    ::unsetenv("http_proxy"); // NOLINT(concurrency-mt-unsafe)
}

TEST_CASE("that a mapped place is private says nothing about other places") {
    ScriptedServer server;
    server.on("/site/a", html("here"));
    stage3::run([](ScriptedServer& from) -> Coroutine<> {
        RemappedSession session(running_loop(), SessionOptions(), mapped_to(from));
        GetOptions usual;
        const Response mapped =
            co_await session.get(url_of("https://example.org/docs/a"), usual);
        CHECK(mapped.status() == 200);
        CHECK_FALSE(session.may_be_private());
        const Response other = co_await session.get(url_of(from.url("/x")), usual);
        CHECK(other.status() == 404);
        CHECK(session.may_be_private());
    }(server));
}

// NOLINTEND(performance-unnecessary-value-param)
