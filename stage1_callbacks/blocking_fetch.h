// The way everyone writes it first: ask, and wait for the answer.
//
// Each call of `connect`, `send` and `recv` here blocks the thread until it's done. That
// is easy to write and easy to read, but one thread fetches one page at a time, so
// fetching many pages takes many threads. Page 01 of the book.
#pragma once

#include "common/web/http_response.h"
#include "common/web/url.h"

#include <cstddef>
#include <vector>

namespace stage1 {

/// Fetches a page over a socket that waits, and takes the response apart. Throws
/// common::ResolveError, and std::system_error if the network fails.
common::HttpResponse blocking_fetch(const common::Url& url);

/// A page, and what it adds to a crawl.
struct Page {
    common::HttpResponse response;
    std::vector<common::Url> links; ///< or the one target of a redirect

    bool is_dead() const;
};

// Where a page fails, the next two must be on the stack (page 04 of the book), so the
// compiler may not inline them.

/// Fetches a page and finds its links. A page that can't be fetched has none;
/// its response's `error` says why.
[[gnu::noinline]] Page fetch_page(const common::Url& url);

/// The links in a response that came from `url`.
[[gnu::noinline]] std::vector<common::Url>
parse_links(const common::HttpResponse& response, const common::Url& url);

/// Makes the call of `parse_links` with this number, 1 for this thread's next, throw
/// common::TracedError; with 0, none throws. Page 04 of the book.
void fail_parsing_at(std::size_t number);

/// What a crawl in this style found.
struct BlockingSummary {
    std::size_t fetched = 0;
    std::size_t dead = 0;
    std::size_t most_at_once = 0; ///< threads that were fetching
};

/// Crawls the site that `root` is on, one page after the other.
BlockingSummary crawl_one_by_one(const common::Url& root);

/// Crawls the site that `root` is on, with a thread for each page. Throws
/// std::system_error if no more threads can be started.
BlockingSummary crawl_with_threads(const common::Url& root);

} // namespace stage1
