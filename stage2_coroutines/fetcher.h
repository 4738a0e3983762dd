// One fetch, as a chain of coroutines.
//
// Stage 1's Fetcher kept what it had to remember in members, and what it would do next in
// whichever callback was registered. Here both are where they belong, in local variables
// and in the order of the lines, and one handler surrounds it all. Pages 09 and 18a of
// the book.
#pragma once

#include "common/simple_crawl/crawl.h"
#include "common/web/http_response.h"
#include "common/web/url.h"
#include "stage2_coroutines/future.h"

#include <vector>

namespace stage2 {

/// Fetches `url` for `crawl`, and in the end calls `crawl.finished`; or `crawl.postpone`,
/// if no descriptor is left for a socket; or `crawl.retry_with_fewer`, if the connection
/// broke before any byte came back. Errors of the network end up there instead of being
/// thrown. `crawl` must outlive the coroutine.
Coroutine<> fetch(common::Url url, common::Crawl& crawl);

/// The links in a response that came from `url`; the crawl's --fail-parsing strikes here.
std::vector<common::Url> parse_links(const common::HttpResponse& response,
                                     const common::Url& url, common::Crawl& crawl);

} // namespace stage2
