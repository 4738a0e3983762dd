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

/// "1 2 ": those that link to it.
std::string pages_of(const Fragments::Missing& missing) {
    std::string pages;
    for (const Fragments::From& from : missing.links)
        pages += std::to_string(from.page) + " ";
    return pages;
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
    CHECK(pages_of(fragments.missing().at(0)) == "0 2 ");
}

TEST_CASE("the user may point to a place, too") {
    Fragments fragments;
    point(fragments, KnownUrl::none, 1, "a");
    point(fragments, KnownUrl::none, 1, "b");
    fragments.read(1, id("a"));
    CHECK(missing_in(fragments) == "1#b ");
    CHECK(fragments.missing().at(0).links.empty());
    point(fragments, 2, 1, "b");
    CHECK(pages_of(fragments.missing().at(0)) == "2 ");
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
    CHECK(pages_of(missing[0]) == "0 2 ");
    CHECK(missing[0].more_pages == 0);
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

TEST_CASE("for a missing fragment, all pages are kept, and where on them it's written") {
    Fragments fragments;
    common::LinkFragments links;
    links.add(0, common::Fragment("a"));
    links.places[0].written = 0;
    links.add(0, common::Fragment("a"));
    links.places[1].written = 1;
    common::PlacesOnPage places;
    places.text = "p#aHerep#aThere";
    places.list = {{.target = 0,
                    .line = 3,
                    .column = 7,
                    .begin = 0,
                    .href_size = 3,
                    .text_size = 4,
                    .role = common::LinkRole::hyperlink},
                   {.target = 0,
                    .line = 4,
                    .column = 1,
                    .begin = 7,
                    .href_size = 3,
                    .text_size = 5,
                    .role = common::LinkRole::hyperlink}};
    SUBCASE("met before the page is read") {
        fragments.point(1, std::array{Fragments::Number{100}}, links, &places);
        fragments.read(100, {});
    }
    SUBCASE("met after that") {
        fragments.read(100, {});
        fragments.point(1, std::array{Fragments::Number{100}}, links, &places);
    }
    for (Fragments::Number page = 2; page < 30; ++page)
        point(fragments, page, 100, "a");
    const auto missing = fragments.missing();
    REQUIRE(missing.size() == 1);
    REQUIRE(missing[0].links.size() == 30); // page 1 has two
    CHECK(missing[0].more_pages == 0);
    CHECK(missing[0].links[0].place.line() == 3);
    CHECK(missing[0].links[1].place.text() == "There");
    CHECK(!missing[0].links[2].place.is_known());
}

TEST_CASE("a fragment that is spelled in two ways is missing once") {
    Fragments fragments;
    point(fragments, 0, 1, "caf\xc3\xa9");
    point(fragments, 2, 1, "caf%C3%A9");
    fragments.read(1, {});
    const auto missing = fragments.missing();
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].fragment == "caf\xc3\xa9");
    CHECK(pages_of(missing[0]).size() == 4);
}

TEST_CASE("a similar id is named, also that of a page behind a redirect") {
    Fragments fragments;
    point(fragments, 0, 1, "xpath");
    point(fragments, 0, 1, "nothing");
    fragments.redirect(1, 2);
    fragments.read(2, id("XPath"));
    const auto missing = fragments.missing();
    REQUIRE(missing.size() == 2);
    CHECK(missing[0].nearest_id.empty());
    CHECK(missing[1].nearest_id == "XPath");
}
