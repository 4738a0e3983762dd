// A crawl by workers that share a queue, twice: on our runtime (runtime_crawl.cpp), and
// on Asio (asio_crawl.cpp).
//
// Both do the same, with the same code as far as possible, so that only the library
// differs. A page is fetched as in stages 1 and 2: HTTP/1.0, with its own connection.
// Page A of the book.
#pragma once

#include "common/web/url.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace tests {

struct WorkerCrawl {
    common::Url root; ///< http
    std::size_t workers = 10;
    std::optional<std::chrono::milliseconds>
        time_limit; ///< after this, its workers are cancelled
};

struct Crawled {
    std::set<common::Url> met;
    std::map<common::Url, std::string> failed; ///< could not be fetched, and why
    bool timed_out = false;
};

/// Fetches the root, and all that it leads to at the same host and port. Blocks while it
/// looks up the host; throws if the host doesn't exist.
///
/// Both files define this function, and each program is linked with one of them.
Crawled crawl_with_workers(const WorkerCrawl& crawl);

} // namespace tests
