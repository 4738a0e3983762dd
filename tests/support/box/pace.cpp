#include "tests/support/box/pace_table.h"

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
    for (const Request& request : played.requests) {
        const bool is_late = request.begin > 60s;
        const bool is_refused = is_refusal(request.reply);
        result.refusals += is_refused ? 1 : 0;
        result.late_refusals += is_late && is_refused ? 1 : 0;
        result.late_answers += is_late && !is_refused ? 1 : 0;
    }
    return result;
}

void print_pace_table() {
    fmt::print("A site of 600 pages, of which so many a second may be asked for:\n\n"
               "  limit  workers  dead  seconds  ideal  refusals  per answer after the "
               "first minute\n");
    for (const int per_second : {1, 2, 5, 10, 20, 50}) {
        for (const int workers : {1, 3, 10, 30, 100}) {
            const PaceResult one =
                measure_pace({.per_second = per_second, .workers = workers}, 1);
            const std::string late =
                one.late_answers == 0
                    ? "-"
                    : fmt::format("{:.3f}", static_cast<double>(one.late_refusals)
                                                / one.late_answers);
            fmt::print("  {:>3}/s  {:>7}  {:>4}  {:>7.1f}  {:>5.1f}  {:>8}  {:>10}\n",
                       per_second, workers, one.dead, one.seconds, one.ideal,
                       one.refusals, late);
        }
    }
}

} // namespace tests::box
