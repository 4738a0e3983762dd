// What the smallest crawl must find, whichever of the small fetches it is made of.
#pragma once

#include "common/small/crawl.h"
#include "common/small/event_loop.h"
#include "common/web/url.h"
#include "tests/crawl/whole_site.h"
#include "tests/support/prelude.h"

namespace tests {

/// Begins to fetch a URL for a crawl.
using SmallFetch =
    std::function<void(small::Crawl&, small::EventLoop&, const common::Url&)>;

/// Crawls a practice site and checks that all of it is found, many pages at a time.
inline void check_small_crawl(const SmallFetch& start_fetch) {
    const auto most_requests = check_that_all_is_found([&](const common::Url& root) {
        small::EventLoop loop;
        small::Crawl crawl(
            loop, [&](const common::Url& url) { start_fetch(crawl, loop, url); });
        return crawl.run(root);
    });
    CHECK(most_requests > 5);
}

} // namespace tests
