// How fast a crawl gets through a site whose server has a limit, and how often it's
// refused; the same for links to another site.
#pragma once

#include "tests/support/box/site.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace tests::box {

/// A server that answers so many requests a second, as many at once, after 20 ms, and
/// says 429 and "Retry-After: 1" to others.
struct LimitedSite {
    int per_second = 1;
    int workers = 1;
    int pages = 600;
};

struct PaceResult {
    int dead = 0;       ///< pages without an answer at the end
    double seconds = 0; ///< that the crawl took
    double ideal = 0;   ///< that it must take, by the limit
    int refusals = 0;
};

PaceResult measure_pace(const LimitedSite& limited, std::uint32_t seed);

/// A page with links to a server on which the crawl is a guest.
struct GuestsHost {
    int links = 853;
    Time latency = std::chrono::milliseconds(20);
    std::optional<RateLimit> limit = {};
};

struct GuestResult {
    double seconds = 0; ///< that the crawl took
    int alive = 0;      ///< of the links
    int refusals = 0;
    double busiest = 0; ///< requests a second, in the ten busiest seconds
    double share = 0;   ///< of its time that the server spent on us, at the end
};

GuestResult measure_guest(const GuestsHost& host, std::uint32_t seed);

} // namespace tests::box
