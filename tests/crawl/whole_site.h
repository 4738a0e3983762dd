// What a small crawl must find, whatever it's made of.
#pragma once

#include "common/web/url.h"
#include "tests/practice_site/background_server.h"
#include "tests/practice_site/site.h"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <set>
#include <string>

namespace tests {

/// All that a crawl of a practice site must meet.
inline std::set<std::string> expected_urls(const practice_site::Manifest& manifest) {
    std::set<std::string> urls = manifest.pages;
    urls.insert(manifest.dead.begin(), manifest.dead.end());
    for (const auto& [url, target] : manifest.redirects)
        urls.insert(url);
    return urls;
}

/// Has a practice site crawled, and checks that all of it is found, each URL asked for
/// once, and many pages at a time. Returns how many requests were at the server at once.
inline std::size_t check_that_all_is_found(
    const std::function<std::set<common::Url>(const common::Url& root)>& crawl) {
    const practice_site::Site site({.pages = 60, .links = 8, .size = 9000, .seed = 3});
    practice_site::BackgroundServer server(
        [&](const auto& request) { return site.answer(request); },
        {.latency = std::chrono::milliseconds(10)});

    std::set<std::string> found;
    for (const common::Url& url : crawl(*common::parse_url(server.url())))
        found.insert(url.href());

    const auto expected = expected_urls(site.manifest(server.origin()));
    CHECK(found == expected);
    CHECK(server.statistics().requests_served == expected.size()); // each once
    CHECK(server.statistics().most_requests > 5);
    return server.statistics().most_requests;
}

} // namespace tests
