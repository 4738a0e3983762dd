// What a small crawl must find, whatever it's made of.
#pragma once

#include "common/web/url.h"
#include "tests/practice_site/background_site.h"
#include "tests/support/prelude.h"
#include "tests/support/waits.h"

#include <thread>

namespace tests {

/// Has a practice site crawled and checks that all of it is found and that each URL is
/// requested once. Returns the most requests that the server had at the same time.
inline std::size_t check_that_all_is_found(
    const std::function<std::set<common::Url>(const common::Url& root)>& crawl,
    std::chrono::milliseconds latency = std::chrono::milliseconds(100),
    const practice_site::SiteOptions& options = {
        .pages = 60, .links = 8, .size = 9000, .seed = 3}) {
    const practice_site::BackgroundSite site(options, latency);
    may_wait((site.manifest.pages.size() + site.manifest.dead.size()
              + site.manifest.redirects.size())
                 * latency,
             "each answer takes that long, many of them at the same time");

    std::set<std::string> found;
    for (const common::Url& url : crawl(*common::parse_url(site.server.url())))
        found.emplace(url.href());

    std::set<std::string> expected = site.manifest.pages;
    expected.insert(site.manifest.dead.begin(), site.manifest.dead.end());
    for (const auto& [url, target] : site.manifest.redirects)
        expected.insert(url);
    CHECK(found == expected);
    // It counts an answer a moment after it has sent it.
    while (site.server.statistics().requests > 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(site.server.statistics().requests_served == expected.size());
    return site.server.statistics().most_requests;
}

} // namespace tests
