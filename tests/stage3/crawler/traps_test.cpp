#include "stage3_queue_crawler/crawler/traps.h"
#include "tests/support/url.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstddef>
#include <string>

using stage3::Traps;
using tests::url_of;

namespace {

/// Of "/a/b" at http://h.
std::string why_not(Traps& traps, const std::string& target, std::size_t depth = 1) {
    return std::string(traps.why_not(url_of("http://h" + target), depth));
}

} // namespace

TEST_CASE("a path may have so many parts") {
    Traps traps({.path_depth = 4});
    CHECK(why_not(traps, "/a/b/c/d").empty());
    CHECK(why_not(traps, "/a/b/c/d?e/f/g").empty()); // a query isn't a path
    const std::string why = "with more than 4 parts in their path (--max-path-depth)";
    CHECK(why_not(traps, "/a/b/c/d/") == why);
    CHECK(why_not(traps, "/a/b/c/d/e?") == why);
}

TEST_CASE("what nobody wants to follow is no trap") {
    Traps traps({.depth = 7, .wanted_depth = 5, .path_depth = 1});
    CHECK_FALSE(why_not(traps, "/a/b", 5).empty());
    CHECK(why_not(traps, "/a/b", 6).empty());
    CHECK(why_not(traps, "/", 9).empty());
}

TEST_CASE("a part of a path may be there so often") {
    Traps traps({.repeats = 3});
    for (const char* const fine : {"/", "/a/a/a", "/a/a/b/b/a/c", "/a/aa/aaa/aaaa",
                                   "/a/a/a?a/a", "/x//y//", "/1/2/3/1/2/3/1/2/3"})
        CHECK(why_not(traps, fine) == "");
    for (const char* const trap : {"/a/a/a/a", "/a/b/a/b/a/b/a", "/b/c/a/a/d/a/e/a/f",
                                   "/x////", "/a/1/a/2/a/3/a/4?x", "/a;1/a;2/a;3/a;4"})
        CHECK(why_not(traps, trap)
              == "with one part of their path more than 3 times (--max-repeats)");
}

TEST_CASE("so many URLs may differ only behind their path, each counted once") {
    Traps traps({.queries = 3});
    for (int time = 0; time < 2; ++time)
        for (const char* const query : {"?1", "?2", ";session=3"})
            CHECK(why_not(traps, std::string("/a").append(query)).empty());
    const std::string why = "beyond 3 that differ only in their query (--max-queries)";
    CHECK(why_not(traps, "/a?4") == why);
    CHECK(why_not(traps, "/a;session=5?6") == why);
    CHECK(why_not(traps, "/a?1").empty()); // known from before
    CHECK(why_not(traps, "/a").empty());
    CHECK(why_not(traps, "/b?4").empty());
    CHECK(traps.why_not(url_of("http://i/a?4"), 1).empty());
}

TEST_CASE("the limits that nobody has set are far away") {
    Traps traps({});
    CHECK(why_not(traps, "/", 10'000).empty());
    CHECK(why_not(traps, "/", 10'001)
          == "more than 10000 links away from a root (--max-depth)");
    CHECK(why_not(traps, "/2026/11/23/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q").empty());
    for (int i = 0; i < 10'000; ++i)
        REQUIRE(why_not(traps, fmt::format("/calendar?day={}", i)).empty());
    CHECK_FALSE(why_not(traps, "/calendar?day=10000").empty());
}
