// What processes find out about fragments, written down and read again.
#include "stage3_queue_crawler/shared_frontier/shared_fragments.h"
#include "tests/support/prelude.h"

using namespace stage3;

namespace {

common::Url at(std::string_view text) { return *common::parse_url(text); }

common::IdSet ids_of(std::string_view id) {
    common::IdSet ids;
    ids.insert(id);
    return ids;
}

/// A page with one id, and links to two places on another page and one on itself.
Found a_page() {
    Found found;
    found.ids = ids_of("here");
    found.fragments.pages = {at("http://h/b"), at("http://h/a")};
    found.fragments.add(0, common::Fragment("x y"));
    found.fragments.add(0, common::Fragment("there"));
    found.fragments.add(1, common::Fragment("here"));
    return found;
}

} // namespace

TEST_CASE("what is written about pages says, read again, which fragments are missing") {
    KnownUrls urls;
    const auto a = urls.number_of(at("http://h/a"));
    const auto b = urls.number_of(at("http://h/b"));
    const auto c = urls.number_of(at("http://h/c"));
    Found moved;
    moved.redirect = at("http://h/c");
    Found c_page;
    c_page.ids = ids_of("there");
    Fragments fragments;
    read_places(describe_places(a_page()), a, urls, fragments);
    read_places(describe_places(moved), b, urls, fragments);
    CHECK(fragments.missing().empty());
    read_places(describe_places(c_page), c, urls, fragments);
    const auto records = records_of_missing(fragments, urls);
    REQUIRE(records.size() == 1);
    CHECK(records[0].url.href() == "http://h/b");
    CHECK(records[0].fragment == "x%20y");
    CHECK(records[0].parent == at("http://h/a"));
}

TEST_CASE("nothing is missing on what is no page or has replaced the fragment") {
    Found other;
    CHECK(describe_places(other) == "none");
    other.redirect = at("http://h/c");
    other.redirect_has_fragment = true;
    CHECK(describe_places(other) == "none");
    other.redirect_has_fragment = false;
    CHECK(describe_places(other) == "to http://h/c");
}

TEST_CASE("a broken text names nothing") {
    KnownUrls urls;
    const auto a = urls.number_of(at("http://h/a"));
    for (const char* const text :
         {"", "ids", "ids zz", "to", "to x", "\n\n\t\n", "none\nx\ty"}) {
        Fragments fragments;
        read_places(text, a, urls, fragments);
        CHECK(fragments.missing().empty());
    }
}
