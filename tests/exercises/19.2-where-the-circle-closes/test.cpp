#include "exercise.h"
#include "tests/support/prelude.h"

#include <fmt/ranges.h>

#include <numeric>
#include <random>

namespace {

using Hop = std::pair<Url, Url>;

/// How many steps the hops of one crawl may take.
struct Budget {
    std::size_t steps = 0;
    std::string advice = {};  // for an answer that needs more
    std::uintptr_t stack = 0; // where the stack was when the call began
};
Budget budget;

constexpr std::size_t enough_stack = std::size_t{64} * 1024;
constexpr std::size_t enough_steps = 1000; // for only a few hops

/// How deep the stack is here. Under a sanitizer, local variables may be elsewhere.
std::uintptr_t stack_here() {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

void take_step() {
    if (budget.steps == 0)
        throw std::runtime_error(budget.advice);
    --budget.steps;
    const std::uintptr_t here = stack_here();
    if (budget.stack > here && budget.stack - here > enough_stack)
        throw std::runtime_error(
            "your function calls itself for each hop of a chain. This chain is long, and "
            "the stack isn't: a longer one would crash the program. Use a loop.");
}

/// Passes these hops on. Returns those that are reported to close a circle, such as
/// "2->1".
std::string closing(const std::vector<Hop>& hops, std::size_t steps,
                    const std::string& advice) {
    Circles circles;
    budget = {.steps = steps, .advice = advice, .stack = stack_here()};
    std::vector<std::string> said;
    for (const auto& [from, to] : hops)
        if (circles.closes(from, to))
            said.push_back(fmt::format("{}->{}", from, to));
    return fmt::format("{}", fmt::join(said, ", "));
}

std::string closing(const std::vector<Hop>& hops) {
    return closing(hops, enough_steps,
                   "a thousand steps for a handful of hops. Do you walk in a circle?");
}

/// The hops of a chain: 1->2, 2->3 and so on.
std::vector<Hop> chain(Url length) {
    std::vector<Hop> hops;
    for (Url url = 1; url <= length; ++url)
        hops.emplace_back(url, url + 1);
    return hops;
}

/// The right result, found by walking over all hops so far.
bool leads_to(const std::map<Url, Url>& told, Url url, Url goal) {
    for (std::size_t i = 0; i <= told.size(); ++i) {
        if (url == goal)
            return true;
        const auto hop = told.find(url);
        if (hop == told.end())
            return false;
        url = hop->second;
    }
    return false; // it's a circle that the goal isn't on
}

constexpr Url many = 100'000;
constexpr std::size_t steps_for_each = 30;

} // namespace

std::optional<Url> Notes::find(Url url) const {
    take_step();
    const auto found = notes_.find(url);
    return found == notes_.end() ? std::nullopt : std::optional(found->second);
}

void Notes::set(Url url, Url other) {
    take_step();
    notes_.insert_or_assign(url, other);
}

TEST_SUITE("small circles") {
    TEST_CASE("two hops there and back close a circle") {
        const std::string said = closing({{1, 2}, {2, 1}});
        CHECK_MESSAGE(said != "", "1 leads to 2, and 2 leads to 1: neither of them leads "
                                  "anywhere else. That is a circle, and you have not "
                                  "reported it.");
        CHECK(said == "2->1");
    }

    TEST_CASE("a hop from a page to itself closes a circle") {
        CHECK_MESSAGE(closing({{1, 1}}) == "1->1",
                      "a page that redirects to itself is a circle, too, though it has "
                      "only one hop.");
    }
}

TEST_SUITE("no circles") {
    TEST_CASE("chains that meet close no circle") {
        CHECK_MESSAGE(closing({{1, 3}, {2, 3}}) == "",
                      "two pages may lead to the same one: then two chains meet, which "
                      "is not a circle.");
        CHECK_MESSAGE(
            closing({{1, 3}, {2, 3}, {3, 4}}) == "",
            "two pages lead to 3, and 3 leads on to 4. No page is visited twice.");
    }

    TEST_CASE("a hop to a page that has already answered closes no circle") {
        CHECK_MESSAGE(closing({{2, 3}, {1, 2}}) == "",
                      "2 had answered before 1 led to it, and leads on to 3. A chain "
                      "that reaches 2 later continues there, too.");
    }
}

TEST_SUITE("larger circles") {
    TEST_CASE("three hops close a circle in any order") {
        CHECK_MESSAGE(
            closing({{1, 2}, {2, 3}, {3, 1}}) == "3->1",
            "1->2, 2->3, 3->1 is a circle of three. There are longer ones, too.");
        CHECK_MESSAGE(closing({{3, 1}, {1, 2}, {2, 3}}) == "2->3",
                      "the same circle may begin anywhere.");
        CHECK_MESSAGE(closing({{2, 3}, {1, 2}, {3, 1}}) == "3->1",
                      "the hops of a chain need not come in the chain's order: here, "
                      "2->3 comes first, and then 1->2.");
        CHECK_MESSAGE(closing({{1, 2}, {11, 12}, {2, 3}, {12, 13}, {3, 1}, {13, 11}})
                          == "3->1, 13->11",
                      "there are two circles at the same time: the hops of one come "
                      "between those of the other.");
    }

    TEST_CASE("a hop into a circle closes none") {
        const std::vector<Hop> circle = {{1, 2}, {2, 3}, {3, 1}};
        std::vector<Hop> hops = circle;
        hops.emplace_back(4, 2);
        hops.emplace_back(5, 4);
        CHECK_MESSAGE(closing(hops) == "3->1",
                      "4 leads into a circle that was closed before. No hop leads back "
                      "to 4: it isn't on the circle, and one mistake is counted once.");
        hops.insert(hops.begin(), {6, 3});
        CHECK(closing(hops) == "3->1");
    }
}

TEST_SUITE("long chains") {
    TEST_CASE("only the last hop of a long circle closes it") {
        std::vector<Hop> hops = chain(200);
        CHECK_MESSAGE(closing(hops) == "", "a long chain is no circle.");
        hops.back().second = 1;
        CHECK_MESSAGE(closing(hops) == "200->1",
                      "this circle has 200 hops. Limiting the hops is another matter, "
                      "and not your function's.");
    }

    TEST_CASE("a long chain told from its end takes few steps") {
        std::vector<Hop> hops = chain(many);
        std::reverse(hops.begin(), hops.end());
        const std::string advice = "that's more than 30 steps per hop. The hops come "
                                   "from the end of the chain, and for each hop you walk "
                                   "along all of it. You know where it ended last time.";
        CHECK_MESSAGE(closing(hops, many * steps_for_each, advice) == "",
                      "a long chain is no circle.");
    }

    TEST_CASE("many hops to the beginning of a long chain take few steps") {
        std::vector<Hop> hops = chain(many);
        for (Url url = 1; url <= many; ++url)
            hops.emplace_back(-url, 1);
        const std::string advice =
            "that's more than 30 steps per hop. A hundred thousand pages lead to the "
            "beginning of a long chain, and each time you walk along all of it. What "
            "could the first walk leave behind for the next?";
        CHECK_MESSAGE(closing(hops, 2 * many * steps_for_each, advice) == "",
                      "a long chain is no circle.");
    }
}

TEST_CASE("random hops close exactly the circles they should") {
    std::minstd_rand random(17);
    const std::string advice =
        "a thousand steps for a handful of hops. Do you walk in a circle?";
    for (int round = 0; round < 2000; ++round) {
        const int urls = 1 + static_cast<int>(random() % 12);
        std::vector<Url> order(static_cast<std::size_t>(urls));
        std::iota(order.begin(), order.end(), 1);
        std::shuffle(order.begin(), order.end(), random);
        Circles circles;
        std::map<Url, Url> told;
        std::string so_far;
        budget = {.steps = enough_steps, .advice = advice, .stack = stack_here()};
        for (const Url from : order) {
            if (random() % 8 == 0)
                continue; // it's a page
            const Url to = 1 + static_cast<Url>(random() % order.size());
            const bool closes = leads_to(told, to, from);
            told.emplace(from, to);
            so_far += fmt::format(" {}->{}", from, to);
            REQUIRE_MESSAGE(circles.closes(from, to) == closes,
                            "the last of these hops"
                                << so_far << " closes " << (closes ? "a" : "no")
                                << " circle, and you say otherwise.");
        }
    }
}
