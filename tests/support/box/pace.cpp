#include "tests/support/box/pace.h"

#include "tests/support/box/history.h"
#include "tests/support/box/play.h"
#include "tests/support/box/site.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

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

constexpr const char* foreign = "other.test";

Site make_guest(const GuestsHost& host, std::uint32_t seed) {
    Site site{.seed = seed, .roots = {"http://h.test/"}};
    site.crawl.obeys_robots = false;
    site.crawl.checks_foreign = true;
    site.hosts["h.test"] = {};
    site.hosts[foreign] = {.latency = host.latency, .limit = host.limit};
    Resource root;
    for (int i = 1; i <= host.links; ++i) {
        root.links.push_back({.url = fmt::format("http://{}/{}", foreign, i)});
        site.resources[root.links.back().url] = {};
    }
    site.resources["http://h.test/"] = root;
    return site;
}

/// The most that began within ten seconds, per second.
double busiest_of(const std::vector<Time>& begins) {
    std::size_t most = 0;
    for (auto first = begins.begin(); first != begins.end(); ++first) {
        const auto end = std::lower_bound(first, begins.end(), *first + 10s);
        most = std::max(most, static_cast<std::size_t>(end - first));
    }
    return static_cast<double>(most) / 10;
}

} // namespace

GuestResult measure_guest(const GuestsHost& host, std::uint32_t seed) {
    const Played played = play(make_guest(host, seed));
    const Process& process = played.processes.front();
    GuestResult result;
    result.seconds = std::chrono::duration<double>(process.end - process.begin).count();
    for (const Told& told : process.records)
        result.alive += told.record.outcome == stage3::Outcome::file ? 1 : 0;
    std::vector<Time> begins;
    for (const Request& request : played.requests) {
        if (request.host != foreign)
            continue;
        result.refusals += is_unclear(request.reply) ? 1 : 0;
        if (!begins.empty())
            result.share = std::chrono::duration<double>(host.latency)
                           / (request.begin - begins.back());
        begins.push_back(request.begin);
    }
    result.busiest = busiest_of(begins);
    return result;
}

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
