// As many fetches at once as there can be sockets for.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"

#include <cstddef>
#include <string>

namespace stage3 {

/// Cuts the settings to what `descriptors` (this process's, in all) have room for, shared
/// out among workers, fetches of robots.txt, and name lookups. Returns a line about it,
/// without its line end, if there are fewer workers now; otherwise nothing.
std::string fit_to_descriptors(CrawlSettings& settings, std::size_t descriptors);

} // namespace stage3
