// What crawl must do.
#pragma once

#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

/// Fetches a page, and returns the links in it. Throws std::runtime_error if there is no
/// such page.
using Fetch =
    std::function<stage3::Coroutine<std::vector<std::string>>(std::string page)>;

/// Fetches `root` and everything that it leads to, each page once, with at most `limit`
/// of them under way, and no fewer as long as there is a known page to fetch. Returns all
/// pages that it has met, including those that don't exist.
stage3::Coroutine<std::set<std::string>> crawl(Fetch fetch, std::string root,
                                               std::size_t limit);
