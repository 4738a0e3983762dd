#include "stage3_queue_crawler/crawler/retry.h"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace std::chrono_literals;
using stage3::FetchError;
using stage3::RetryPolicy;
using Kind = stage3::FetchError::Kind;

TEST_CASE("temporary failures are tried again after growing waits") {
    RetryPolicy policy(4, 1);
    const FetchError error(Kind::network, "x", 0);
    RetryPolicy::Duration last = 0s;
    for (const int tries : {1, 2, 3}) {
        const auto wait = policy.after(error, tries);
        REQUIRE(wait);
        CHECK(*wait > last);
        last = *wait;
    }
    CHECK(last < 2s);
    CHECK_FALSE(policy.after(error, 4));
    CHECK(policy.after(FetchError(Kind::timed_out, "x", 0), 1));
}

TEST_CASE("two fetches that failed together don't come back together") {
    RetryPolicy policy(4, 1);
    CHECK(policy.after(503, 0s, 1) != policy.after(503, 0s, 1));
}

TEST_CASE("a permanent failure is not tried again") {
    RetryPolicy policy(4, 1);
    CHECK_FALSE(policy.after(FetchError(Kind::too_large, "x", 0), 1));
    CHECK_FALSE(policy.after(FetchError(Kind::bad_response, "x", 0), 1));
    for (const int status : {200, 301, 400, 404, 500, 501, 505, 999})
        CHECK_FALSE(policy.after(status, 0s, 1));
    for (const int status : {429, 502, 503, 504})
        CHECK(policy.after(status, 0s, 1));
}

TEST_CASE("the server may ask for more patience, within limits") {
    RetryPolicy policy(4, 1);
    CHECK(policy.after(503, 7s, 1) == 7s);
    CHECK(policy.after(503, 60s, 1) == 60s);
    CHECK_FALSE(policy.after(503, 61s, 1));
    CHECK(policy.after(503, 0s, 1) > 0s);
    CHECK_FALSE(policy.after(503, 7s, 4));
}

TEST_CASE("waits stop growing at a limit") {
    RetryPolicy policy(1000, 1);
    CHECK(policy.after(503, 0s, 900) == RetryPolicy::longest_wait);
}
