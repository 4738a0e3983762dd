// Orphans: pages that a sitemap lists, and that no page links to.
//
// Visitors can reach them only through a search engine, and often no one remembers them.
#pragma once

#include "stage3_queue_crawler/crawler/sitemap.h"
#include "stage3_queue_crawler/program/formats/format.h"
#include "stage3_queue_crawler/program/formats/report_line.h"

#include <string_view>
#include <vector>

namespace stage3 {

/// The heading of a list of them.
constexpr std::string_view what_orphans_are =
    "Orphans, which a sitemap lists, and no page that was read links to";

/// The URLs of sitemaps that are alive, that aren't roots, and that no other page refers
/// to; sorted. If a redirect leads to one, what counts is whether the redirect can be
/// found: it's a root, or another page refers to it. If a sitemap lists a redirect, its
/// end counts as listed. Other outcomes may be missing in `lines`, which must be sorted.
/// Not for a crawl that was cut short: the page that refers to one may not have been
/// read. (Two of them that refer only to each other aren't found: neither is an orphan.)
std::vector<ListedUrl> find_orphans(const Summary& crawl, const ReportLines& lines);

} // namespace stage3
