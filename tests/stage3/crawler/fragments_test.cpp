// Links into pages, which may be met before the page is read, or after.
#include "stage3_queue_crawler/crawler/fragments.h"
#include "tests/support/prelude.h"

using stage3::Fragments;
using stage3::KnownUrl;

namespace {

common::IdSet id(std::string_view text) {
    common::IdSet ids;
    ids.insert(text);
    return ids;
}

/// A link on the page `source` points into `target`.
void point(Fragments& fragments, Fragments::Number source, Fragments::Number target,
           std::string_view fragment) {
    common::LinkFragments one;
    one.add(0, common::Fragment(fragment));
    fragments.point(source, std::array{target}, one);
}

/// "page#fragment" for each that is missing, with a blank after it.
std::string missing_in(const Fragments& fragments) {
    std::string result;
    for (const Fragments::Missing& missing : fragments.missing())
        result += std::to_string(missing.page) + "#" + missing.fragment + " ";
    return result;
}

} // namespace

TEST_CASE("a fragment is found whether the link or the page comes first") {
    Fragments fragments;
    point(fragments, 0, 1, "a");
    point(fragments, 0, 1, "b");
    fragments.read(1, id("a"));
    point(fragments, 2, 1, "a");
    point(fragments, 2, 1, "b");
    point(fragments, 2, 1, "c");
    CHECK(missing_in(fragments) == "1#b 1#c ");
    const auto missing = fragments.missing();
    CHECK(missing.at(0).pointed_from == std::vector<Fragments::Number>{0, 2});
    CHECK(missing.at(0).times == 2);
}

TEST_CASE("the user may point to a place, too") {
    Fragments fragments;
    point(fragments, KnownUrl::none, 1, "a");
    point(fragments, KnownUrl::none, 1, "b");
    fragments.read(1, id("a"));
    CHECK(missing_in(fragments) == "1#b ");
    CHECK(fragments.missing().at(0).pointed_from.empty());
    point(fragments, 2, 1, "b");
    CHECK(fragments.missing().at(0).pointed_from == std::vector<Fragments::Number>{2});
}

TEST_CASE("of what is no page, no fragment is missing") {
    Fragments fragments;
    point(fragments, 0, 1, "a");
    CHECK(missing_in(fragments).empty());
    fragments.forget(1);
    point(fragments, 2, 1, "a");
    CHECK(missing_in(fragments).empty());
}

TEST_CASE("two links on a page to one missing place count once") {
    Fragments fragments;
    point(fragments, 0, 1, "a");
    point(fragments, 0, 1, "a");
    fragments.read(1, {});
    point(fragments, 2, 1, "a");
    point(fragments, 2, 1, "a");
    const auto missing = fragments.missing();
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].times == 2);
}

TEST_CASE("a redirect takes the fragment along") {
    Fragments fragments;
    point(fragments, 0, 1, "a");
    point(fragments, 0, 1, "b");
    fragments.redirect(1, 2);
    fragments.redirect(2, 3);
    fragments.read(3, id("a"));
    CHECK(missing_in(fragments) == "1#b ");
    point(fragments, 0, 4, "a");
    fragments.redirect(4, 5);
    fragments.redirect(5, 4);
    CHECK(missing_in(fragments) == "1#b ");
}

TEST_CASE("for a missing fragment, the first pages are kept, and the number of all") {
    Fragments fragments;
    fragments.read(100, {});
    for (Fragments::Number page = 0; page < 30; ++page)
        point(fragments, page, 100, "a");
    const auto missing = fragments.missing();
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].pointed_from.size() == Fragments::most_pages);
    CHECK(missing[0].times == 30);
}
