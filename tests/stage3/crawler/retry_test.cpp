#include "stage3_queue_crawler/crawler/retry.h"
#include "tests/support/prelude.h"

#include <initializer_list>

using namespace stage3;
using Kind = stage3::FetchError::Kind;

TEST_CASE("temporary failures are tried again after growing waits") {
    RetryPolicy policy({.max_tries = 4}, 1);
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
    RetryPolicy policy({.max_tries = 4}, 1);
    CHECK(policy.after(503, 0s, {}) != policy.after(503, 0s, {}));
}

TEST_CASE("a permanent failure is not tried again") {
    RetryPolicy policy({.max_tries = 4}, 1);
    CHECK_FALSE(policy.after(FetchError(Kind::too_large, "x", 0), 1));
    CHECK_FALSE(policy.after(FetchError(Kind::bad_response, "x", 0), 1));
    for (const int status : {200, 301, 400, 404, 500, 501, 505, 999})
        CHECK_FALSE(policy.after(status, 0s, {}));
    for (const int status : {429, 502, 503, 504})
        CHECK(policy.after(status, 0s, {}));
}

TEST_CASE("the server may ask for more patience, within limits") {
    RetryPolicy policy({.max_tries = 4}, 1);
    CHECK(policy.after(503, 7s, {}) == 7s);
    CHECK(policy.after(503, 60s, {}) == 60s);
    CHECK_FALSE(policy.after(503, 61s, {}));
    CHECK(policy.after(503, 0s, {}) > 0s);
    CHECK_FALSE(policy.after(503, 0s, {.tries = 4}));
}

TEST_CASE("a refusal is no try, but there are not endlessly many") {
    CHECK(RetryPolicy::is_refusal(429, 0s));
    CHECK(RetryPolicy::is_refusal(503, 1s));
    CHECK_FALSE(RetryPolicy::is_refusal(503, 0s));
    CHECK_FALSE(RetryPolicy::is_refusal(502, 1s));
    RetryPolicy policy({.max_tries = 4, .most_refusals = 20}, 1);
    CHECK(policy.after(503, 7s, {.tries = 4}) == 7s);
    CHECK(policy.after(429, 7s, {.tries = 4, .refusals = 3}) == 7s);
    CHECK(policy.after(429, 60s, {.refusals = 18}) == 60s);
    CHECK(*policy.after(429, 0s, {.refusals = 18}) <= 6s); // its host waits, too
    CHECK_FALSE(policy.after(429, 1s, {.refusals = 19}));
    CHECK(policy.after(503, 0s, {.refusals = 19})); // this isn't one
}

TEST_CASE("waits stop growing at a limit") {
    RetryPolicy policy({.max_tries = 1000}, 1);
    CHECK(policy.after(503, 0s, {.tries = 900}) == 60s);
}
