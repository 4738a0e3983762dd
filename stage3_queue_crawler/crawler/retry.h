// Is it worth another try, and when?
#pragma once

#include "stage3_queue_crawler/http/session.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

namespace stage3 {

/// How long to wait before a URL is requested again; nothing if it should not be.
///
/// A network may recover, and so may a server that is overloaded or restarting. If the
/// result would be the same, as with 404, there is no second try. The waits double from
/// try to try, so that a server in trouble gets more and more rest, and each is stretched
/// by a random amount, so that requests that failed together don't come back together.
class RetryPolicy {
  public:
    using Duration = std::chrono::duration<double>;

    /// `max_tries`: in total, for one URL. `seed`: a random number, such as the loop's.
    RetryPolicy(int max_tries, std::uint32_t seed)
        : max_tries_(max_tries), random_(seed) {}

    /// There was no complete response, for the `tries`-th time.
    std::optional<Duration> after(const FetchError& error, int tries);
    /// This was the `tries`-th response. `retry_after`: the wait that the server asks
    /// for, in seconds; 0 if it asks for none.
    std::optional<Duration> after(int status, std::chrono::seconds retry_after,
                                  int tries);

    /// True for a status that may be temporary.
    static bool may_pass(int status) {
        return status == 429 || status == 502 || status == 503 || status == 504;
    }

    /// The longest wait. If a server asks for more, the URL is not tried again.
    static constexpr std::chrono::seconds longest_wait{60};

  private:
    Duration growing(Duration first, int tries);

    int max_tries_;
    std::minstd_rand random_;
};

} // namespace stage3
