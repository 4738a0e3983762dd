// Redirects that cost a site's visitors time, and that its author can spare them: by
// changing the links, or the redirects themselves.
#pragma once

#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/program/formats/report_line.h"

#include <string>
#include <vector>

namespace stage3 {

/// A URL that redirects permanently (301 or 308), or to a URL that redirects again.
struct RedirectToMend {
    common::Url url;
    std::vector<std::string> leads_to; ///< each hop; the last one is where it ends
    std::vector<int> statuses;         ///< of `url` and of each hop but the last
    /// Why no link should lead there: the last one's error, "redirect loop" or "not
    /// fetched". Empty if it's alive.
    std::string ends;
};

/// The ones that a page links to, a sitemap lists, or that the crawl began with, by URL.
/// (Other redirects are hops of these.) `lines` must be sorted by URL; other outcomes may
/// be missing.
std::vector<RedirectToMend> redirects_to_mend(const ReportLines& lines,
                                              const KnownUrls& urls);

/// Lines for a person: the way, and the pages that link to its start.
std::string to_text(const RedirectToMend& redirect, const KnownUrls& urls);

/// A line with a JSON object.
std::string to_json(const RedirectToMend& redirect, const KnownUrls& urls);

} // namespace stage3
