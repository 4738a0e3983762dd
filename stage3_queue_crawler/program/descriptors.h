// As many fetches at once as there can be sockets for.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"

#include <cstddef>
#include <string>

namespace stage3 {

/// Takes from the settings what `descriptors` (of this process, in all) have no room for,
/// and shares out the rest: workers, fetches of robots.txt, lookups of names. Says so, in
/// a line without its end, if there are fewer workers now; else it says nothing.
std::string fit_to_descriptors(CrawlSettings& settings, std::size_t descriptors);

} // namespace stage3
