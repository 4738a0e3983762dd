// The text report: all records, what they sum up to, and what to mend.
#pragma once

#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/record.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace stage3 {

/// The report on a crawl that took so long: the records, sorted by URL; sums; the `top`
/// links of `urls` that most pages have; how many links were left out; at the end the
/// URLs that are dead, with the pages that have links to them.
std::string text_report(std::vector<Record> records, const KnownUrls& urls,
                        std::size_t left_out, std::chrono::duration<double> time,
                        std::size_t top = 10);

} // namespace stage3
