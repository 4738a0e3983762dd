// What the smallest crawl must find, whichever of the small fetches it is made of.
#pragma once

#include "common/first/crawl.h"
#include "common/first/event_loop.h"
#include "common/web/url.h"
#include "tests/practice_site/background_server.h"
#include "tests/practice_site/site.h"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <set>
#include <string>

namespace tests {

/// Begins to fetch a URL for a crawl.
using FirstFetch =
    std::function<void(first::Crawl&, first::EventLoop&, const common::Url&)>;

/// Crawls a practice site, and checks that all of it is found, many pages at a time.
inline void check_first_crawl(const FirstFetch& start_fetch) {
    const practice_site::Site site({.pages = 60, .links = 8, .size = 9000, .seed = 3});
    practice_site::BackgroundServer server(
        [&](const auto& request) { return site.answer(request); },
        {.latency = std::chrono::milliseconds(10)});
    first::EventLoop loop;
    first::Crawl crawl(loop,
                       [&](const common::Url& url) { start_fetch(crawl, loop, url); });

    std::set<std::string> found;
    for (const common::Url& url : crawl.run(*common::parse_url(server.url())))
        found.insert(url.href());

    const auto manifest = site.manifest(server.origin());
    std::set<std::string> expected = manifest.pages;
    expected.insert(manifest.dead.begin(), manifest.dead.end());
    for (const auto& [url, target] : manifest.redirects)
        expected.insert(url);
    CHECK(found == expected);
    CHECK(server.statistics().requests_served == expected.size()); // each once
    CHECK(server.statistics().most_requests > 5);
}

} // namespace tests
