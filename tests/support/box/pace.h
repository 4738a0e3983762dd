// How fast a crawl gets through a site whose server has a limit, and how often it's
// refused.
#pragma once

#include <cstdint>

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

} // namespace tests::box
