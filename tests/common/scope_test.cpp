#include "common/simple_crawl/scope.h"
#include "tests/support/prelude.h"

using namespace common;

TEST_CASE("the scope of a crawl is its root's host, at any port and path") {
    const Scope scope(*parse_url("http://example.com/docs/"));
    CHECK(scope.contains(*parse_url("http://example.com/")));
    CHECK(scope.contains(*parse_url("https://example.com:8443/x")));
    CHECK_FALSE(scope.contains(*parse_url("http://example.org/")));
    CHECK_FALSE(scope.contains(*parse_url("http://foo.example.com/")));
    CHECK_FALSE(scope.contains(*parse_url("http://example.com.evil.org/")));
}

TEST_CASE("a leading www. makes no difference, on either side") {
    CHECK(Scope(*parse_url("http://example.com/"))
              .contains(*parse_url("http://www.example.com/")));
    CHECK(Scope(*parse_url("http://www.example.com/"))
              .contains(*parse_url("http://example.com/")));
    CHECK(common::without_www("www.") == "www.");
}
