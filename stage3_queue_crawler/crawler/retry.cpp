#include "stage3_queue_crawler/crawler/retry.h"

#include <algorithm>
#include <cmath>

namespace stage3 {

using namespace std::chrono_literals;

std::optional<RetryPolicy::Duration> RetryPolicy::after(const FetchError& error,
                                                        int tries) {
    const bool may_pass = error.kind == FetchError::Kind::network
                          || error.kind == FetchError::Kind::timed_out;
    if (!may_pass || tries >= limits_.max_tries)
        return {};
    return growing(250ms, tries);
}

std::optional<RetryPolicy::Duration>
RetryPolicy::after(int status, std::chrono::seconds retry_after, Attempt attempt) {
    if (!may_pass(status) || limits_.is_too_long(retry_after))
        return {};
    const bool refused = is_refusal(status, retry_after);
    const int count = refused ? attempt.refusals + 1 : attempt.tries;
    if (count >= (refused ? limits_.most_refusals : limits_.max_tries))
        return {};
    constexpr int most_doubled = 4; // by a refusal, since its whole host waits
    return std::max<Duration>(
        growing(500ms, refused ? std::min(count, most_doubled) : count), retry_after);
}

/// `first`, doubled for each further try, and up to a half more.
RetryPolicy::Duration RetryPolicy::growing(Duration first, int tries) {
    const double stretch = std::uniform_real_distribution(1.0, 1.5)(random_);
    const Duration wait = first * std::pow(2, tries - 1) * stretch;
    return std::min<Duration>(wait, limits_.longest_wait);
}

} // namespace stage3
