// Fetches many URLs with few threads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// Fetches one URL, and blocks until it has the page. It may throw.
using Fetch = std::function<std::string(const std::string& url)>;

/// Calls `fetch` once for each URL, in at most `at_most` threads that it starts itself,
/// and returns when all are done. The results are in the order of the URLs. Where `fetch`
/// throws a std::exception, the result is "failed: " and its what(), and the other
/// fetches continue.
///
/// As long as URLs are waiting, `at_most` fetches are under way, and never more.
std::vector<std::string> fetch_all(const std::vector<std::string>& urls,
                                   std::size_t at_most, const Fetch& fetch);
