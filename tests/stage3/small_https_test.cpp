// The smallest session and TLS. See tests/support/with_https_server.py, which runs this.
#include "tests/support/prelude.h"
#include "tests/support/process.h"

using tests::run_program;

TEST_CASE("dead_links crawls over https, if it trusts the server's certificate") {
    const std::string url = std::getenv("HTTPS_URL");
    const auto refused = run_program("DEAD_LINKS", {url});
    CHECK(refused.status == 1);
    CHECK(refused.out.find("certificate") != std::string::npos);
    ::setenv("CURL_CA_BUNDLE", std::getenv("CERTIFICATE"), 1);
    const auto finished = run_program("DEAD_LINKS", {url});
    CHECK(finished.status == 0);
    CHECK(finished.out.empty());
    CHECK(finished.err == "1 of 1 URLs done, 0 dead\n");
}
