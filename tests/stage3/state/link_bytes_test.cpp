// The links of a page, written down and read again, also when the file is damaged.
#include "common/web/link_place.h"
#include "common/web/links.h"
#include "common/web/malformed_url.h"
#include "stage3_queue_crawler/state/link_bytes.h"
#include "tests/support/prelude.h"

using common::LinkRole;
using namespace stage3;

namespace {

common::Url at(std::string_view text) { return *common::parse_url(text); }

common::Links some_links() {
    common::Links links;
    links.urls = {at("http://h/docs/a.html"), at("http://h/docs/ab.html"),
                  at("http://h/"), at("https://[::1]:8080/x?" + std::string(300, 'q'))};
    links.left_out = 300;
    links.too_long = 1;
    links.unreadable = 70'000;
    links.others = {{at("http://h/p.png"), LinkRole::image, true},
                    {at("http://other/"), LinkRole::script, false},
                    {at("http://h/p.svg"), LinkRole::use, true},
                    {*common::malformed_url("http://h x/"), LinkRole::hyperlink, false}};
    links.ids.insert("here");
    links.ids.insert("there");
    links.fragments.pages = {at("http://h/docs/a.html")};
    links.fragments.add(0, common::Fragment("one"));
    links.fragments.add(0, common::Fragment("%C3%BC"));
    return links;
}

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> hashes) {
    std::ranges::sort(hashes);
    return hashes;
}

} // namespace

TEST_CASE("links that were written down are the same when they are read again") {
    const common::Links links = some_links();
    const auto read =
        read_links(to_bytes(links, at("http://h/docs/")), at("http://h/docs/"));
    REQUIRE(read);
    CHECK(read->urls == links.urls);
    CHECK(read->left_out == 300);
    CHECK(read->too_long == 1);
    CHECK(read->unreadable == 70'000);
    REQUIRE(read->others.size() == 4);
    CHECK(read->others[3].url == links.others[3].url);
    CHECK(read->others[3].url.is_malformed());
    CHECK(read->others[2].role == LinkRole::use);
    CHECK(read->others[0].url == links.others[0].url);
    CHECK(read->others[0].role == LinkRole::image);
    CHECK(read->others[0].is_wanted);
    CHECK(read->others[1].role == LinkRole::script);
    CHECK(!read->others[1].is_wanted);
    CHECK(sorted(read->ids.hashes()) == sorted(links.ids.hashes()));
    CHECK(read->fragments.pages == links.fragments.pages);
    REQUIRE(read->fragments.places.size() == 2);
    CHECK(read->fragments.fragment(read->fragments.places[1]).text == "%C3%BC");
    CHECK(read->fragments.places[1].hash == common::hash_of_id("%C3%BC"));
}

TEST_CASE("what exceeds the limits for places is remembered, too") {
    common::Links links = some_links();
    links.places_left_out = 70'000;
    links.has_more_ids = true;
    links.refreshes_to = at("http://other/");
    const auto read = read_links(to_bytes(links, at("http://h/")), at("http://h/"));
    REQUIRE(read);
    CHECK(read->places_left_out == 70'000);
    CHECK(read->has_more_ids);
    CHECK(read->refreshes_to == links.refreshes_to);
}

TEST_CASE("where links are written is remembered, if someone has asked for it") {
    common::LinkLimits limits;
    limits.places = 100;
    limits.ids = true;
    const common::Url page = at("http://h/");
    const common::Links links = common::find_links(
        "<a href=x>One</a>\n<a href=y#a>Two</a><img\nsrcset='p 1x' src=q>", "text/html",
        page, limits);
    const auto read = read_links(to_bytes(links, page), page);
    REQUIRE(read);
    REQUIRE(read->places);
    REQUIRE(read->places->list.size() == links.places->list.size());
    for (std::size_t i = 0; i < links.places->list.size(); ++i) {
        const common::LinkPlace before(*links.places, links.places->list[i]);
        const common::LinkPlace after(*read->places, read->places->list[i]);
        CHECK(after.line() == before.line());
        CHECK(after.column() == before.column());
        CHECK(after.role() == before.role());
        CHECK(after.href() == before.href());
        CHECK(after.text() == before.text());
    }
    CHECK(read->places->targets == links.places->targets);
    REQUIRE(read->fragments.places.size() == 1);
    CHECK(read->fragments.places[0].written == links.fragments.places[0].written);
    CHECK_FALSE(read_links(to_bytes({}, page), page)->places);
    const std::string bytes = to_bytes(links, page);
    for (std::size_t size = 0; size < bytes.size(); ++size) // a damaged file is no trap
        if (const auto some = read_links(bytes.substr(0, size), page))
            CHECK(!some->places);
}

TEST_CASE("a page without links takes a few bytes") {
    const std::string bytes = to_bytes({}, at("http://h/"));
    CHECK(bytes.size() < 10);
    CHECK(read_links(bytes, at("http://h/")));
}

TEST_CASE("of a URL that begins as the last one, only the rest is written") {
    common::Links links;
    for (int i = 100; i < 200; ++i)
        links.urls.push_back(at("http://example.org/a/long/path/" + std::to_string(i)));
    CHECK(to_bytes(links, at("http://example.org/a/long/")).size() < 600);
}

TEST_CASE("bytes that end early, or go on, are no links") {
    const std::string bytes = to_bytes(some_links(), at("http://h/docs/"));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CAPTURE(size);
        CHECK(!read_links(std::string_view(bytes).substr(0, size), at("http://h/docs/")));
    }
    CHECK(!read_links(bytes + '\0', at("http://h/docs/")));
}

TEST_CASE("damaged bytes are refused, or are links of some kind") {
    const std::string bytes = to_bytes(some_links(), at("http://h/docs/"));
    for (std::size_t place = 0; place < bytes.size(); ++place)
        for (int byte = 0; byte < 256; ++byte) {
            std::string damaged = bytes;
            damaged[place] = static_cast<char>(byte);
            const auto links = read_links(damaged, at("http://h/docs/"));
            if (!links)
                continue;
            for (const common::Url& url : links->urls)
                REQUIRE(common::parse_url(url.href()) == url);
            for (const auto& fragment : links->fragments.places)
                REQUIRE(fragment.page < links->fragments.pages.size());
        }
}

TEST_CASE("a number of URLs that can't be there is refused at once") {
    CHECK(!read_links("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", at("http://h/")));
    CHECK(!read_links("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", at("http://h/")));
}
