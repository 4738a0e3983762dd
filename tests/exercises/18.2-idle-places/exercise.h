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
/// of them under way. As long as a known page has not been fetched, as many are under
/// way as the limit allows. Returns all pages that it has met, including those that are
/// not there.
stage3::Coroutine<std::set<std::string>> crawl(Fetch fetch, std::string root,
                                               std::size_t limit);
