// The way that everybody writes first: ask, and wait for the answer.
//
// Each call of `connect`, `send` and `recv` here stops the thread until it's done. That
// is easy to write and easy to read, and one thread fetches one page at a time. So
// whoever wants to fetch many needs many threads. Told in book/01 (a thread per page).
#pragma once

#include "common/trace/stack_trace.h"
#include "common/web/http_response.h"
#include "common/web/url.h"

#include <cstddef>
#include <vector>

namespace stage1 {

/// Fetches a page over a socket that waits, and takes the response apart. Failures of the
/// network are in the response's `error`. Throws common::ResolveError.
common::HttpResponse blocking_fetch(const common::Url& url);

/// A page, and what it adds to a crawl.
struct Page {
    common::HttpResponse response;
    std::vector<common::Url> links; ///< or the one target of a redirect

    bool is_dead() const;
};

/// Fetches a page and finds its links.
Page fetch_page(const common::Url& url, common::FailOnPurpose& fail_parsing);

/// The links in a response that came from `url`.
std::vector<common::Url> parse_links(const common::HttpResponse& response,
                                     const common::Url& url,
                                     common::FailOnPurpose& fail_parsing);

/// What a crawl in this style found.
struct BlockingSummary {
    std::size_t fetched = 0;
    std::size_t dead = 0;
    std::size_t most_at_once = 0; ///< threads that were fetching
};

/// Crawls the site that `root` is on, one page after the other. Throws
/// common::TracedError while the page with the number `fail_parsing` is parsed, 1 for the
/// first; 0: never.
BlockingSummary crawl_one_by_one(const common::Url& root, std::size_t fail_parsing);

/// Crawls the site that `root` is on, with a thread for each page. Throws
/// std::system_error when no further thread can be had.
BlockingSummary crawl_with_threads(const common::Url& root);

} // namespace stage1
