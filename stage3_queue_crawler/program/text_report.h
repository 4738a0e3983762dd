// The text report: all records, what they sum up to, and what to mend.
#pragma once

#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/program/formats.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stage3 {

/// A record as a line for a person, without a line end: outcome, status, bytes, URL, and
/// what else there is to say.
std::string to_text(const Record& record);

/// The report on a crawl: the records, sorted by URL; sums; the `top` links that most
/// pages have; how many links were left out; at the end the URLs that are dead, with the
/// pages that have links to them.
std::string text_report(std::vector<Record> records, const Summary& crawl,
                        std::size_t top = 10);

} // namespace stage3
