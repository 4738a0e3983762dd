// Crawls of random webs in a box, with all that can go wrong, under random settings. An
// oracle that shares no code with the crawler says what each must have reported, and how
// it must have behaved.
//
// Tests of one thing at a time miss mistakes that need several together, such as another
// try of a page that has waited in its host's line. The variable SEEDS sets the number of
// sites, and FIRST_SEED the first one. `./learn box SEED` tells a site and its crawl.
#include "tests/support/box/oracle.h"
#include "tests/support/box/pace.h"
#include "tests/support/box/play.h"
#include "tests/support/box/shrink.h"
#include "tests/support/box/site.h"
#include "tests/support/in_bulk.h"
#include "tests/support/prelude.h"

using namespace tests;

namespace {

std::uint32_t variable(const char* name, std::uint32_t otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? static_cast<std::uint32_t>(std::stoul(text)) : otherwise;
}

/// FNV-1a: the same with every compiler and library.
std::uint64_t hash(const std::string& text) {
    std::uint64_t value = 14'695'981'039'346'656'037U;
    for (const char c : text)
        value = (value ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
    return value;
}

/// A page that links to others, and what they are.
box::Site small_site() {
    box::Site site{.roots = {"http://h.test/"}};
    site.hosts["h.test"] = {};
    box::Resource root;
    for (int i = 1; i <= 5; ++i) {
        root.links.push_back({.url = fmt::format("http://h.test/{}", i)});
        site.resources[root.links.back().url] = {};
    }
    site.resources["http://h.test/"] = root;
    return site;
}

/// The first word of each fault.
std::vector<std::string> kinds(const std::vector<std::string>& faults) {
    std::vector<std::string> kinds;
    for (const std::string& fault : faults)
        kinds.push_back(fault.substr(0, fault.find(' ')));
    return kinds;
}

} // namespace

TEST_CASE("whatever fails and whatever the limits, a crawl reports what it must") {
    const std::uint32_t first = variable("FIRST_SEED", 1);
    const std::uint32_t end =
        first + variable("SEEDS", static_cast<std::uint32_t>(in_bulk(300)));
    for (std::uint32_t seed = first; seed < end; ++seed) {
        const box::Site site = box::make_site(seed);
        for (const std::string& fault : box::judge(site, box::play(site)))
            FAIL_CHECK("site " << seed << ", which ./learn box " << seed
                               << " tells: " << fault);
    }
}

TEST_CASE("the same site is crawled the same way twice") {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        const box::Site site = box::make_site(seed);
        const std::string once = box::timeline(box::play(site));
        CHECK(once == box::timeline(box::play(site)));
    }
}

TEST_CASE("every compiler makes the same sites, with the same results") {
    std::string sites;
    std::string results; // of crawls whose times make no difference
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
        sites += box::describe(box::make_site(seed));
        const box::Site calm = box::make_site(seed, {.fails = false});
        results += box::results(box::play(calm));
    }
    CHECK(hash(sites) == 576'878'324'189'295'452U);
    CHECK(hash(results) == 5'521'084'814'792'965'352U);
}

TEST_CASE("the oracle finds what is wrong with a crawl") {
    const box::Site site = small_site();
    const box::Played good = box::play(site);
    CHECK(box::judge(site, good).empty());
    SUBCASE("a record is missing") {
        box::Played bad = good;
        bad.processes[0].records.pop_back();
        CHECK(kinds(box::judge(site, bad)) == std::vector<std::string>{"lost"});
    }
    SUBCASE("a record comes twice") {
        box::Played bad = good;
        bad.processes[0].records.push_back(bad.processes[0].records.back());
        CHECK(kinds(box::judge(site, bad)) == std::vector<std::string>{"twice"});
    }
    SUBCASE("a record is wrong") {
        box::Played bad = good;
        bad.processes[0].records.back().record.tries = 2;
        CHECK(kinds(box::judge(site, bad)) == std::vector<std::string>{"fate"});
    }
    SUBCASE("a URL is asked for once too often, and in spite of a pause") {
        box::Site slow = site;
        slow.crawl.delay = std::chrono::seconds(1);
        box::Played bad = box::play(slow);
        bad.requests.push_back(bad.requests.back());
        CHECK(kinds(box::judge(slow, bad))
              == std::vector<std::string>{"answers", "pause"});
    }
    SUBCASE("there are too many requests at once") {
        box::Site narrow = site;
        narrow.crawl.max_per_host = 1;
        const auto found = kinds(box::judge(narrow, good));
        CHECK_FALSE(found.empty());
        CHECK(found == std::vector<std::string>(found.size(), "number"));
    }
}

TEST_CASE("a site that fails is made as small as it can be") {
    box::Site site = box::make_site(1);
    site.resources["http://h0.test/p/1"].failures = {{.status = 502}};
    const auto has_failure = [](const box::Site& one) {
        const auto found = one.resources.find("http://h0.test/p/1");
        return found != one.resources.end() && !found->second.failures.empty();
    };
    const box::Site small = box::shrink(site, has_failure);
    CHECK(small.resources.size() == 1);
    CHECK(small.hosts.size() == 1);
    CHECK(small.resources.at("http://h0.test/p/1").failures.size() == 1);
    CHECK(small.crawl.workers == 1);
}

TEST_CASE("a server with a limit loses no page, and isn't stormed") {
    for (const int per_second : {1, 10, 50}) {
        const box::PaceResult one =
            box::measure_pace({.per_second = per_second, .workers = 30}, 1);
        CAPTURE(per_second);
        CHECK(one.dead == 0);
        CHECK(one.seconds < 1.5 * one.ideal + 10);
        CHECK(one.refusals < 120);
    }
}
