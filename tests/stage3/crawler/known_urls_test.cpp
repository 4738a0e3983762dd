// The table of all URLs.
#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/queued_item.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

#include <unordered_map>

using common::Url;
using namespace stage3;
using tests::url_of;

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
            const auto mark = static_cast<std::uint32_t>(std::hash<Url>()(url));
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

    TEST_CASE("a URL keeps ten of the pages it is on and counts each once") {
        KnownUrls urls;
        KnownUrl& link = urls[url_of("http://h/x")];
        CHECK(link.is_new());
        CHECK(link.pages().empty());
        for (std::uint32_t page = 1; page <= 25; ++page)
            for (int i = 0; i < 3; ++i) // as a link, a picture and a form, say
                link.meet_on(page);
        CHECK(!link.is_new());
        CHECK(link.times_met == 25);
        REQUIRE(link.pages().size() == KnownUrl::most_pages);
        CHECK(link.pages().front() == 1);
        CHECK(link.pages()[8] == 9);
        CHECK(link.pages().back() == 25);
    }

    // There may be millions of these objects, so they take most of a crawl's memory.
    TEST_CASE("the objects that a crawl has many of are small") {
        CHECK(sizeof(Url) <= 16);
        CHECK(sizeof(KnownUrl) <= 72);
        CHECK(sizeof(stage3::QueuedItem) <= 56);
    }
}
