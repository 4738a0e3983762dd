// HTTP over TLS, against a server with a certificate that only this test believes. See
// tests/support/with_https_server.py, which runs this.
#include "tests/stage3/http/fetching.h"
#include "tests/stage3/runtime/awaited.h"

using namespace stage3;
using namespace tests;

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
        for (int i = 0; i < 3; ++i) {
            Response response = co_await session.get(url_of(text));
            CHECK(response.status() == 200);
            CHECK(response.header("connections") == "1");
            co_await expect(response.read(), "secret");
        }
    }(variable("HTTPS_URL")));
}

TEST_CASE("a server whose certificate has no trusted issuer is refused") {
    const Fetched outcome = fetch_once(variable("HTTPS_URL"));
    CHECK(outcome.kind() == Kind::untrusted); // it's permanent
    CHECK(outcome.words().find("certificate") != std::string::npos);
}

TEST_CASE("a server that speaks TLS is no http server") {
    const Fetched outcome = fetch_once("http" + variable("HTTPS_URL").substr(5),
                                       {.tls = {.ca_file = variable("CERTIFICATE")}});
    CHECK((outcome.error || outcome.status != 200));
}

// NOLINTEND(performance-unnecessary-value-param)
