// What the smallest crawl must find, whichever of the small fetches it is made of.
#pragma once

#include "common/first/crawl.h"
#include "common/first/event_loop.h"
#include "common/web/url.h"
#include "tests/crawl/whole_site.h"
#include "tests/support/prelude.h"

namespace tests {

/// Begins to fetch a URL for a crawl.
using FirstFetch =
    std::function<void(first::Crawl&, first::EventLoop&, const common::Url&)>;

/// Crawls a practice site and checks that all of it is found, many pages at a time.
inline void check_first_crawl(const FirstFetch& start_fetch) {
    const auto most_requests = check_that_all_is_found([&](const common::Url& root) {
        first::EventLoop loop;
        first::Crawl crawl(
            loop, [&](const common::Url& url) { start_fetch(crawl, loop, url); });
        return crawl.run(root);
    });
    CHECK(most_requests > 5);
}

} // namespace tests
