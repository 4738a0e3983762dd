// What limited a crawl, in words: for --why-slow, and as a list on --html's page.
//
// Each limit comes with the option that would help, if there is one. Page 32 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/host_times.h"

#include <cstddef>
#include <string>

namespace stage3 {

/// How many hosts are shown, besides the sum of the others.
inline constexpr std::size_t most_hosts_shown = 10;

/// Lines of at most 80 columns, if no name is longer; without the last line end.
std::string why_slow(const CrawlTimes& times);

/// A table with a heading, folded if the crawl was short. Empty if no host was asked.
std::string html_why_slow(const CrawlTimes& times);

} // namespace stage3
