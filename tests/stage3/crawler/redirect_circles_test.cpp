#include "stage3_queue_crawler/crawler/redirect_circles.h"
#include "tests/support/in_bulk.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

#include <random>

using stage3::RedirectCircles;

namespace {

/// URLs with numbers instead of names.
class NumberedCircles {
  public:
    bool closes(int from, int to) { return circles_.closes(url(from), url(to)); }

  private:
    static common::Url url(int number) {
        return tests::url_of(fmt::format("http://h/{}", number));
    }

    RedirectCircles circles_;
};

/// The slow and obvious way: follows each hop in turn, from `to`.
bool leads_back(const std::vector<int>& ways, int from, int to) {
    std::set<int> seen;
    for (int here = to; here >= 0; here = ways[static_cast<std::size_t>(here)]) {
        if (here == from)
            return true;
        if (!seen.insert(here).second)
            return false;
    }
    return false;
}

} // namespace

TEST_CASE("a repeated redirect counts once") {
    NumberedCircles circles;
    CHECK_FALSE(circles.closes(1, 2));
    CHECK_FALSE(circles.closes(1, 2));
    CHECK_FALSE(circles.closes(3, 1));
    CHECK_FALSE(circles.closes(4, 3));
    CHECK_FALSE(circles.closes(1, 4)); // the server has changed its redirect, too late,
    CHECK_FALSE(circles.closes(5, 4)); // or this would be an endless circle
    CHECK(circles.closes(2, 4));
}

TEST_CASE("random redirects get the same verdicts as from a naive search") {
    std::mt19937 random(29); // NOLINT(cert-msc32-c,cert-msc51-cpp): always the same
    for (int run = 0; run < tests::in_bulk(300); ++run) {
        const int count = 2 + static_cast<int>(random() % 40);
        std::vector<int> order;
        for (int i = 0; i < count; ++i)
            order.push_back(i);
        std::ranges::shuffle(order, random);
        std::vector<int> ways(static_cast<std::size_t>(count), -1);
        NumberedCircles circles;
        for (const int from : order) {
            const int to = static_cast<int>(random() % static_cast<unsigned>(count));
            const bool closes = leads_back(ways, from, to);
            CHECK(circles.closes(from, to) == closes);
            if (!closes)
                ways[static_cast<std::size_t>(from)] = to;
        }
    }
}

TEST_CASE("a long chain is not walked again and again") {
    // Each hop leads to the start of the one before. Walking the whole chain each time
    // would take five thousand million steps.
    constexpr int count = 100'000;
    NumberedCircles circles;
    for (int i = 1; i < count; ++i)
        REQUIRE_FALSE(circles.closes(i, i - 1));
    CHECK(circles.closes(0, count - 1));
}
