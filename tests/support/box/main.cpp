// Crawls random webs in a box, in virtual time, and judges each crawl.
#include "tests/support/box/oracle.h"
#include "tests/support/box/play.h"
#include "tests/support/box/shrink.h"
#include "tests/support/box/site.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <ratio>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

using namespace tests::box;

namespace {

/// The first word.
std::string kind_of(const std::string& fault) { return fault.substr(0, fault.find(' ')); }

/// Plays many, and counts.
int play_many(std::uint32_t first, std::uint32_t count) {
    std::size_t wrong = 0;
    std::size_t records = 0;
    std::size_t requests = 0;
    Time time{};
    std::map<std::string, int> kinds;
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t seed = first; seed < first + count; ++seed) {
        const Site site = make_site(seed);
        const Played played = play(site);
        for (const Process& process : played.processes) {
            records += process.records.size();
            time += process.end - process.begin;
        }
        requests += played.requests.size();
        const std::vector<std::string> faults = judge(site, played);
        wrong += faults.empty() ? 0 : 1;
        std::set<std::string> told;
        for (const std::string& fault : faults) {
            const std::string kind = kind_of(fault);
            if (told.insert(kind).second && ++kinds[kind] <= 3)
                fmt::print("{}: {}\n", seed, fault);
        }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    for (const auto& [kind, sites] : kinds)
        fmt::print("{}: {} sites\n", kind, sites);
    const double hours = std::chrono::duration<double, std::ratio<3600>>(time).count();
    fmt::print("{} sites, {} wrong; {} records, {} requests, {:.1f} virtual hours in "
               "{:.2f} s: {:.0f} sites/s, {:.1f} h/s\n",
               count, wrong, records, requests, hours, took.count(), count / took.count(),
               hours / took.count());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/// Plays one, and tells all of it.
int play_one(std::uint32_t seed) {
    const Site site = make_site(seed);
    const Played played = play(site);
    fmt::print("{}\n{}\n", describe(site), timeline(played));
    const std::vector<std::string> faults = judge(site, played);
    if (faults.empty()) {
        fmt::print("All is as it must be.\n");
        return EXIT_SUCCESS;
    }
    for (const std::string& fault : faults)
        fmt::print("{}\n", fault);
    const std::string kind = kind_of(faults.front());
    const Site smallest = shrink(site, [&kind](const Site& one) {
        const std::vector<std::string> now = judge(one, play(one));
        return std::ranges::any_of(
            now, [&kind](const std::string& fault) { return kind_of(fault) == kind; });
    });
    const Played again = play(smallest);
    fmt::print("\nThe smallest site with such a fault:\n\n{}\n{}\n", describe(smallest),
               timeline(again));
    for (const std::string& fault : judge(smallest, again))
        fmt::print("{}\n", fault);
    return EXIT_FAILURE;
}

constexpr std::string_view usage =
    R"(usage: box NUMBER         tell the site with this number, and how it's crawled;
                          if that fails, find the smallest site that does, too
       box FIRST COUNT    play that many sites, and judge each crawl

Sites are made from their numbers: hosts, pages, and all that can go wrong. They
have no sockets, and time passes only while everyone waits. The exit status is 1
if a crawl wasn't as it must be.
)";

std::uint32_t number_in(std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
        throw std::invalid_argument(fmt::format("'{}' is no number", text));
    return number;
}

int run(const std::vector<std::string_view>& words) {
    if (words.size() == 1 && (words[0] == "--help" || words[0] == "-h")) {
        fmt::print("{}", usage);
        return EXIT_SUCCESS;
    }
    if (words.size() == 1)
        return play_one(number_in(words[0]));
    if (words.size() == 2)
        return play_many(number_in(words[0]), number_in(words[1]));
    throw std::invalid_argument("one or two arguments are needed");
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(std::vector<std::string_view>(argv + 1, argv + argc));
    } catch (const std::invalid_argument& error) {
        fmt::print(stderr, "box: {}\n{}", error.what(), usage);
    } catch (const std::exception& error) {
        fmt::print(stderr, "box: {}\n", error.what());
    }
    return 2;
}
