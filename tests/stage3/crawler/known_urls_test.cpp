// The table of all URLs.
#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/queued_item.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

#include <unordered_map>

using common::Url;
using namespace stage3;
using tests::url_of;

namespace {

std::vector<KnownUrl::Number> pages_of(const KnownUrls& urls, KnownUrl::Number number) {
    std::vector<KnownUrl::Number> pages;
    urls.for_each_mention(urls[number],
                          [&pages](KnownUrl::Number page, const common::LinkPlace&) {
                              pages.push_back(page);
                          });
    return pages;
}

} // namespace

TEST_SUITE("known URLs") {
    TEST_CASE("a URL gets one number, and keeps it and its place") {
        KnownUrls urls;
        const auto url = [](int i) { return url_of("http://h/" + std::to_string(i)); };
        std::vector<const KnownUrl*> places;
        for (std::uint32_t i = 0; i < 5'000; ++i) {
            REQUIRE(urls.number_of(url(static_cast<int>(i))) == i);
            places.push_back(&urls[i]);
        }
        for (std::uint32_t i = 0; i < 5'000; ++i) {
            REQUIRE(urls.number_of(url(static_cast<int>(i))) == i);
            REQUIRE(urls.find(url(static_cast<int>(i))) == places[i]);
            REQUIRE(urls[i].url == url(static_cast<int>(i)));
        }
        CHECK(urls.size() == 5'000);
        CHECK(urls.all() == places);
        CHECK(urls.find(url(5'000)) == nullptr);
        CHECK(urls.size() == 5'000); // looking for a URL doesn't add it
    }

    TEST_CASE("two URLs with the same mark stay distinct") {
        // Among so many URLs, some share the part of their hashes that the table
        // compares.
        std::unordered_map<std::uint32_t, Url> marks;
        std::optional<std::pair<Url, Url>> pair;
        for (int i = 0; !pair && i < 500'000; ++i) {
            const Url url = url_of("http://h/" + std::to_string(i));
            const auto mark = url.hash();
            const auto [other, is_new] = marks.try_emplace(mark, url);
            if (!is_new)
                pair.emplace(other->second, url);
        }
        REQUIRE(pair);
        KnownUrls urls;
        CHECK(urls.number_of(pair->first) == 0);
        CHECK(urls.find(pair->second) == nullptr);
        CHECK(urls.number_of(pair->second) == 1);
    }

    TEST_CASE("an empty table knows nothing and can be asked") {
        const KnownUrls urls;
        CHECK(urls.find(url_of("http://h/")) == nullptr);
        CHECK(urls.size() == 0);
        urls.check_that_none_is_lost();
    }

    TEST_CASE("a URL keeps all pages that it's on, each once, until it's alive") {
        KnownUrls urls;
        const auto link = urls.number_of(url_of("http://h/x"));
        CHECK(urls[link].is_new());
        CHECK(pages_of(urls, link).empty());
        std::vector<KnownUrl::Number> all;
        for (std::uint32_t page = 1; page <= 25; ++page) {
            all.push_back(page);
            for (int i = 0; i < 3; ++i) // as a link, a picture and a form, say
                urls.meet(link, page);
        }
        CHECK(!urls[link].is_new());
        CHECK(urls[link].times_met == 25);
        CHECK(urls[link].is_met_elsewhere);
        CHECK(pages_of(urls, link) == all);
        urls.note_alive(link);
        urls.meet(link, 26);
        CHECK(urls[link].times_met == 26);
        CHECK(pages_of(urls, link).empty());
    }

    TEST_CASE("a page may mention a URL in several places, of which some are unknown") {
        KnownUrls urls;
        const auto one = urls.number_of(url_of("http://h/x"));
        const auto other = urls.number_of(url_of("http://h/y"));
        common::PlacesOnPage page;
        page.text = "xHere";
        page.list = {{.target = 0,
                      .line = 3,
                      .column = 7,
                      .begin = 0,
                      .href_size = 1,
                      .text_size = 4,
                      .role = common::LinkRole::hyperlink}};
        for (const auto url : {one, other}) {
            urls.meet(url, 1);
            urls.add_place(url, page, page.list[0]);
            urls.add_place(url, page, page.list[0]);
            urls.meet(url, 2);
        }
        CHECK(pages_of(urls, one) == std::vector<KnownUrl::Number>{1, 1, 2});
        int known = 0;
        urls.for_each_mention(urls[one],
                              [&](KnownUrl::Number, const common::LinkPlace& place) {
                                  known += place.is_known() ? 1 : 0;
                                  if (place.is_known())
                                      CHECK(place.text() == "Here");
                              });
        CHECK(known == 2);
        urls.note_alive(one); // the room is used again, and the places are gone
        const auto third = urls.number_of(url_of("http://h/z"));
        for (const std::uint32_t on : {7U, 8U, 9U, 10U})
            urls.meet(third, on);
        urls.for_each_mention(urls[third],
                              [](KnownUrl::Number, const common::LinkPlace& place) {
                                  CHECK(!place.is_known());
                              });
        CHECK(pages_of(urls, third) == std::vector<KnownUrl::Number>{7, 8, 9, 10});
        CHECK(pages_of(urls, other) == std::vector<KnownUrl::Number>{1, 1, 2});
        urls.add_place(one, page, page.list[0]); // too late
        CHECK(pages_of(urls, one).empty());
    }

    TEST_CASE("a page that mentions itself doesn't make it known elsewhere") {
        KnownUrls urls;
        const auto page = urls.number_of(url_of("http://h/x"));
        urls.meet(page, page);
        CHECK(!urls[page].is_met_elsewhere);
        urls.meet(page, page + 1);
        CHECK(urls[page].is_met_elsewhere);
    }

    // There may be millions of these objects, so they take most of a crawl's memory.
    TEST_CASE("the objects that a crawl has many of are small") {
        CHECK(sizeof(Url) <= 16);
        CHECK(sizeof(KnownUrl) <= 48);
        CHECK(sizeof(stage3::QueuedItem) <= 56);
    }
}
