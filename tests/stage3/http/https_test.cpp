// HTTP over TLS, against a server with a certificate that only this test believes. See
// tests/support/with_https_server.py, which runs this.
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/support/prelude.h"

using namespace stage3;

// A coroutine owns what it takes by value.
// NOLINTBEGIN(performance-unnecessary-value-param)

namespace {

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    if (value == nullptr)
        throw std::runtime_error("run this with tests/support/with_https_server.py");
    return value;
}

} // namespace

TEST_CASE("a page comes over https, and its connection is kept") {
    stage3::run([](std::string text) -> Coroutine<> {
        Session session(stage3::running_loop(),
                        {.tls = {.ca_file = variable("CERTIFICATE")}});
        const auto url = common::parse_url(text);
        REQUIRE(url);
        for (int i = 0; i < 3; ++i) {
            Response response = co_await session.get(*url);
            CHECK(response.status() == 200);
            CHECK(response.header("connections") == "1");
            const std::string body = co_await response.read();
            CHECK(body == "secret");
        }
    }(variable("HTTPS_URL")));
}

TEST_CASE("a server whose certificate has no trusted issuer is refused") {
    stage3::run([](std::string text) -> Coroutine<> {
        Session session(stage3::running_loop());
        std::optional<FetchError> failure;
        try {
            co_await session.get(*common::parse_url(text));
        } catch (const FetchError& error) {
            failure = error;
        }
        REQUIRE(failure);
        CHECK(failure->kind == FetchError::Kind::untrusted); // it's permanent
        CHECK(std::string_view(failure->what()).find("certificate")
              != std::string_view::npos);
    }(variable("HTTPS_URL")));
}

TEST_CASE("a server that doesn't speak TLS is no https server") {
    stage3::run([](std::string text) -> Coroutine<> {
        Session session(stage3::running_loop(),
                        {.tls = {.ca_file = variable("CERTIFICATE")}});
        std::optional<int> status;
        bool failed = false;
        try { // the other way round: http to an https server
            Response response =
                co_await session.get(*common::parse_url("http" + text.substr(5)));
            status = response.status();
        } catch (const FetchError&) {
            failed = true;
        }
        CHECK((failed || status != 200));
    }(variable("HTTPS_URL")));
}

// NOLINTEND(performance-unnecessary-value-param)
