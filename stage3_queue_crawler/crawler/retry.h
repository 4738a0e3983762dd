// Is it worth another try, and when?
#pragma once

#include "stage3_queue_crawler/http/session.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

namespace stage3 {

/// How often one URL may be requested, and how long a server may ask to wait.
struct RetryLimits {
    int max_tries = 4;
    /// Refusals of one URL, which are no tries. The last one counts.
    int most_refusals = 20;
    /// If a server asks for more, it isn't asked again at all.
    std::chrono::seconds longest_wait{60};

    /// True if a server asks for a longer wait than it will get.
    bool is_too_long(std::chrono::seconds retry_after) const {
        return retry_after > longest_wait;
    }
};

/// How often one URL has been requested, this time included.
struct Attempt {
    int tries = 1;
    int refusals = 0; ///< not counted as tries
};

/// How long to wait before a URL is requested again; nothing if it should not be.
///
/// A network may recover, and so may a server that is overloaded or restarting. If the
/// result would be the same, as with 404, there is no second try. The waits double from
/// try to try, so that a server in trouble gets more and more rest, and each is stretched
/// by a random amount, so that requests that failed together don't come back together.
class RetryPolicy {
  public:
    using Duration = std::chrono::duration<double>;

    /// `seed`: a random number, such as the loop's.
    RetryPolicy(RetryLimits limits, std::uint32_t seed)
        : limits_(limits), random_(seed) {}

    /// There was no complete response, for the `tries`-th time.
    std::optional<Duration> after(const FetchError& error, int tries);
    /// There was a response. `retry_after`: the wait that the server asks for, in
    /// seconds; 0 if it asks for none.
    std::optional<Duration> after(int status, std::chrono::seconds retry_after,
                                  Attempt attempt);

    /// True for a status that may be temporary.
    static bool may_pass(int status) {
        return status == 429 || status == 502 || status == 503 || status == 504;
    }

    /// True if the server says that we are too fast, or that it's too busy, and says
    /// nothing of the URL. Source: RFC 6585, section 4; RFC 9110, section 15.6.4
    static bool is_refusal(int status, std::chrono::seconds retry_after) {
        return status == 429 || (status == 503 && retry_after.count() > 0);
    }
    const RetryLimits& limits() const { return limits_; }

  private:
    Duration growing(Duration first, int tries);

    RetryLimits limits_;
    std::minstd_rand random_;
};

} // namespace stage3
