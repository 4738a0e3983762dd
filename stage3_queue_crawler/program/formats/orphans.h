// Orphans: pages that a sitemap lists, and that no page links to.
//
// Visitors can reach them only through a search engine, and often no one remembers them.
#pragma once

#include "stage3_queue_crawler/crawler/sitemap.h"
#include "stage3_queue_crawler/program/formats/format.h"
#include "stage3_queue_crawler/program/formats/report_line.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stage3 {

/// The URLs of sitemaps that are alive, that aren't roots, and that no other page refers
/// to; sorted. If a redirect leads to one, what counts is whether the redirect can be
/// found: it's a root, or another page refers to it. If a sitemap lists a redirect, its
/// end counts as listed. Other outcomes may be missing in `lines`, which must be sorted.
/// None after a crawl that was cut short: the page that refers to one may not have been
/// read. The list may be inexact if a sitemap wasn't read in full: only that one may list
/// such a page. (Two of them that refer only to each other aren't found: neither is an
/// orphan.)
std::vector<ListedUrl> find_orphans(const Summary& crawl, const ReportLines& lines);

/// The line above a list of this many orphans.
std::string heading_of_orphans(const Summary& crawl, std::size_t orphans);

} // namespace stage3
