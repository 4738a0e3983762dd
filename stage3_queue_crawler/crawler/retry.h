// Is it worth another try, and when?
#pragma once

#include "stage3_queue_crawler/http/session.h"

#include <chrono>
#include <optional>
#include <random>

namespace stage3 {

/// How long to wait before a URL is asked for again; nothing: it should not be.
///
/// A network may recover, and a server that is overloaded or being restarted, too. What
/// would come out the same, such as 404, is not asked for twice. The waits double from
/// try to try, so that a server in trouble gets more and more rest; and each is stretched
/// by a random amount, so that those who failed together don't come back together.
class RetryPolicy {
  public:
    using Duration = std::chrono::duration<double>;

    /// `max_tries`: in all, for one URL.
    explicit RetryPolicy(int max_tries) : max_tries_(max_tries) {}

    /// There was no whole response, for the `tries`-th time.
    std::optional<Duration> after(const FetchError& error, int tries);
    /// This was the `tries`-th response. `retry_after`: what the server asks for, in
    /// seconds; 0: nothing.
    std::optional<Duration> after(int status, std::chrono::seconds retry_after,
                                  int tries);

    /// True for a status that may pass.
    static bool may_pass(int status) {
        return status == 429 || status == 502 || status == 503 || status == 504;
    }

    /// Nobody waits for longer than that because a server says so.
    static constexpr std::chrono::seconds longest_wait{60};

  private:
    Duration growing(Duration first, int tries);

    int max_tries_;
    std::minstd_rand random_{std::random_device{}()};
};

} // namespace stage3
