// How fast a crawl gets through a site whose server has a limit, and how often it's
// refused.
#pragma once

#include <cstddef>
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
    int dead = 0;          ///< pages without an answer at the end
    double seconds = 0;    ///< that the crawl took
    double ideal = 0;      ///< that it must take, by the limit
    int refusals = 0;      ///< in all
    int late_refusals = 0; ///< after the first minute
    int late_answers = 0;  ///< likewise
};

PaceResult measure_pace(const LimitedSite& limited, std::uint32_t seed);

/// Prints a table: limits of 1 to 50 a second, 1 to 100 workers.
void print_pace_table();

} // namespace tests::box
