#include "tests/support/box/pace.h"

#include "tests/support/box/history.h"
#include "tests/support/box/play.h"
#include "tests/support/box/site.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace tests::box {

using namespace std::chrono_literals;

namespace {

Site make_limited(const LimitedSite& limited, std::uint32_t seed) {
    Site site{.seed = seed, .roots = {"http://h.test/"}};
    site.crawl.workers = limited.workers;
    site.crawl.obeys_robots = false;
    site.hosts["h.test"] = {
        .latency = 20ms,
        .limit = RateLimit{.per_second = limited.per_second,
                           .burst = limited.per_second,
                           .refusal = {.status = 429, .headers = {"Retry-After: 1"}}}};
    Resource root;
    for (int i = 1; i < limited.pages; ++i) {
        root.links.push_back({.url = fmt::format("http://h.test/{}", i)});
        site.resources[root.links.back().url] = {};
    }
    site.resources["http://h.test/"] = root;
    return site;
}

} // namespace

PaceResult measure_pace(const LimitedSite& limited, std::uint32_t seed) {
    const Played played = play(make_limited(limited, seed));
    const Process& process = played.processes.front();
    PaceResult result;
    result.seconds = std::chrono::duration<double>(process.end - process.begin).count();
    result.ideal = std::max(0.0, static_cast<double>(limited.pages - limited.per_second)
                                     / limited.per_second);
    result.dead = limited.pages;
    for (const Told& told : process.records)
        result.dead -= told.record.outcome == stage3::Outcome::page ? 1 : 0;
    for (const Request& request : played.requests)
        result.refusals += is_refusal(request.reply) ? 1 : 0;
    return result;
}

} // namespace tests::box
