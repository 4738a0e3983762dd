#include "stage3_queue_crawler/crawler/traps.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

#include <random>

using namespace stage3;
using tests::url_of;

namespace {

/// Why a URL of http://h is left out, given a target such as "/a/b".
std::string why_not(Traps& traps, const std::string& target, std::size_t depth = 1) {
    return std::string(traps.why_not(url_of("http://h" + target), depth));
}

} // namespace

TEST_CASE("a path may have only a limited number of parts") {
    Traps traps({.path_depth = 4});
    CHECK(why_not(traps, "/a/b/c/d").empty());
    CHECK(why_not(traps, "/a/b/c/d?e/f/g").empty()); // a query isn't a path
    const std::string why = "with more than 4 parts in their path (--max-path-depth)";
    CHECK(why_not(traps, "/a/b/c/d/") == why);
    CHECK(why_not(traps, "/a/b/c/d/e?") == why);
}

TEST_CASE("a URL too deep to be followed is not reported as a trap") {
    Traps traps({.depth = 7, .wanted_depth = 5, .path_depth = 1});
    CHECK_FALSE(why_not(traps, "/a/b", 5).empty());
    CHECK(why_not(traps, "/a/b", 6).empty());
    CHECK(why_not(traps, "/", 9).empty());
}

TEST_CASE("a part of a path may be repeated only a limited number of times") {
    Traps traps({.repeats = 3});
    for (const char* const fine : {"/", "/a/a/a", "/a/a/b/b/a/c", "/a/aa/aaa/aaaa",
                                   "/a/a/a?a/a", "/x//y//", "/1/2/3/1/2/3/1/2/3"})
        CHECK(why_not(traps, fine) == "");
    for (const char* const trap : {"/a/a/a/a", "/a/b/a/b/a/b/a", "/b/c/a/a/d/a/e/a/f",
                                   "/x////", "/a/1/a/2/a/3/a/4?x", "/a;1/a;2/a;3/a;4"})
        CHECK(why_not(traps, trap)
              == "with one part of their path more than 3 times (--max-repeats)");
}

TEST_CASE("a limited number of URLs may differ only in their query, each counted once") {
    Traps traps({.queries = 3});
    for (int time = 0; time < 2; ++time)
        for (const char* const query : {"?1", "?2", ";session=3"})
            CHECK(why_not(traps, std::string("/a").append(query)).empty());
    const std::string why =
        "beyond 3 that differ only in their query, or in ids in their path "
        "(--max-queries)";
    CHECK(why_not(traps, "/a?4") == why);
    CHECK(why_not(traps, "/a;session=5?6") == why);
    CHECK(why_not(traps, "/a?1").empty()); // known from before
    CHECK(why_not(traps, "/a").empty());
    CHECK(why_not(traps, "/b?4").empty());
    CHECK(traps.why_not(url_of("http://i/a?4"), 1).empty());
}

TEST_CASE("a limited number of URLs may differ only in ids in their path") {
    Traps traps({.queries = 2});
    for (int time = 0; time < 2; ++time) {
        CHECK(why_not(traps, "/s/3f9a77c0b1d24e65/page").empty());
        CHECK(why_not(traps, "/s/8a6e0804bd5011f0/page?print=1").empty());
    }
    CHECK_FALSE(why_not(traps, "/s/00c0ffee00c0ffee/page").empty());
    CHECK_FALSE(why_not(traps, "/s/3f9a77c0b1d24e65/page?print=1").empty());
    CHECK(why_not(traps, "/s/3f9a77c0b1d24e65/page").empty()); // known from before
    for (const char* const other : {"/s/00c0ffee00c0ffee/other", "/s/00c0ffee00c0ffee/",
                                    "/t/00c0ffee00c0ffee/page", "/s/x/page", "/s//page"})
        CHECK(why_not(traps, other).empty());
    CHECK(traps.why_not(url_of("http://i/s/00c0ffee00c0ffee/page"), 1).empty());
    CHECK(why_not(traps, "/s/3f9a77c0b1d24e65;v=1/page").empty());
    CHECK(why_not(traps, "/s/8a6e0804bd5011f0;v=1/page").empty());
    CHECK_FALSE(why_not(traps, "/s/00c0ffee00c0ffee;v=1/page").empty());
    CHECK(why_not(traps, "/s/00c0ffee00c0ffee;v=1").empty()); // nothing follows it
}

TEST_CASE("ids are told apart from words") {
    Traps traps({.queries = 0});
    for (const char* const id :
         {"3f9a77c0b1d24e65", "(S(lit3py55t21z5v55vlm25s55))", "sid=8a6e0804bd5011f0b3c2",
          "PHPSESSID-4v9d1kq80c2m6tjh", "8a6e0804-bd50-11f0-b3c2-0242ac120002",
          "{8A6E0804-BD50-11F0-B3C2-0242AC120002}",
          "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "abcdefghijklmno1p",
          "1-by-one-3f9a77c0b1d24e65-2"}) {
        CHECK_MESSAGE(why_not(traps, fmt::format("/{}/", id)) != "", id);
        CHECK_MESSAGE(why_not(traps, fmt::format("/a/{}/no-id-but-as-long/c", id)) != "",
                      id);
        // Such as a commit, or a file named after its content: the last part is no id.
        CHECK_MESSAGE(why_not(traps, fmt::format("/{}", id)) == "", id);
        CHECK_MESSAGE(why_not(traps, fmt::format("/a/{}", id)) == "", id);
    }
    for (const char* const other :
         {"3f9a77c0b1d24e6", "10-best-phones-of-2026-and-why-2-are-bad",
          "1234567890123456", "2026-11-23-0800-3", "WhatIsNewInTheWorldCupOf2026",
          "2026InTheWorldOfSports", "Donaudampfschiffahrtsgesellschaft",
          "S0092867420300015", "978-3-16-148410-0-1-2",
          "%E4%B8%AD%E6%96%87%E7%BB%B4%E5%9F%BA", "com.example.app_v1.2.3_beta4_rc5",
          "8a6e0804-bd50-11f0-b3c2-0242ac12000", "8a6e0804-bd50-11f0-b3c20-242ac120002",
          "ga6e0804-bd50-11f0-b3c2-0242ac120002", "a1/b2/c3/d4/e5/f6/a7/b8/c9/d0/e1/f2"})
        CHECK_MESSAGE(why_not(traps, fmt::format("/a/{}/b", other)) == "", other);
}

TEST_CASE("hardly any random id is missed") {
    Traps traps({.queries = 0});
    std::mt19937 lot(40); // NOLINT(cert-msc*): always the same
    const auto draw = [&](std::string_view from, std::size_t length) {
        std::string id;
        while (id.size() < length)
            id += from[lot() % from.size()];
        return id;
    };
    const auto missed = [&](std::string_view from, std::size_t length) {
        int count = 0;
        for (int i = 0; i < 1000; ++i)
            count +=
                why_not(traps, fmt::format("/{}/a", draw(from, length))).empty() ? 1 : 0;
        return count;
    };
    CHECK(missed("0123456789abcdef", 16) < 20);
    CHECK(missed("0123456789abcdef", 32) == 0);
    CHECK(missed("abcdefghijklmnopqrstuvwxyz012345", 24) < 20); // as in ASP.NET
}

TEST_CASE("what a root itself contains is allowed beneath it") {
    const TrapLimits limits{.path_depth = 5, .repeats = 3};
    const auto allow = [&](std::vector<std::string> roots) {
        std::vector<common::Url> urls;
        for (const std::string& root : roots)
            urls.push_back(url_of("http://h" + root));
        return stage3::allow_roots(limits, urls);
    };
    CHECK(allow({}).repeats == 3);
    CHECK(allow({"/", "/a/b/"}).repeats == 3);
    CHECK(allow({"/", "/a/b/"}).path_depth == 7);
    CHECK(allow({"/a/a/a/a/?a/a/a", "/b"}).repeats == 6);
    Traps traps(allow({"/a/a/a/a/"}));
    CHECK(why_not(traps, "/a/a/a/a/b/b/b/a").empty());
    CHECK_FALSE(why_not(traps, "/a/a/a/a/a/a/a").empty());
}

TEST_CASE("the default limits are generous") {
    Traps traps({});
    CHECK(why_not(traps, "/", 10'000).empty());
    CHECK(why_not(traps, "/", 10'001)
          == "more than 10000 links away from a root (--max-depth)");
    CHECK(why_not(traps, "/2026/11/23/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q").empty());
    for (int i = 0; i < 10'000; ++i)
        REQUIRE(why_not(traps, fmt::format("/calendar?day={}", i)).empty());
    CHECK_FALSE(why_not(traps, "/calendar?day=10000").empty());
    for (int i = 0; i < 10'000; ++i)
        REQUIRE(why_not(traps, fmt::format("/s/abcdef{:010}abcdef/", i)).empty());
    CHECK_FALSE(why_not(traps, "/s/abcdef0000010000abcdef/").empty());
    for (int i = 0; i <= 10'000; ++i) // a shop
        REQUIRE(why_not(traps, fmt::format("/product/{:018}/", i)).empty());
}
