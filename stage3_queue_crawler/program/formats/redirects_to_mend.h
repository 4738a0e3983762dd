// Redirects that cost a site's visitors time, and that its author can spare them: by
// changing the links, or the redirects themselves.
#pragma once

#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/program/formats/baseline.h"
#include "stage3_queue_crawler/program/formats/report_line.h"

#include <cstddef>
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
    Standing standing = Standing::counts; ///< if it's taken for dead
};

/// The ones that a page links to, a sitemap lists, or that the crawl began with, by URL.
/// (Other redirects are hops of these.) `lines` must be sorted by URL; other outcomes may
/// be missing.
std::vector<RedirectToMend> redirects_to_mend(const ReportLines& lines,
                                              const KnownUrls& urls);

/// Lines for a person: the way, and the pages that link to its start.
std::string to_text(const RedirectToMend& redirect, const KnownUrls& urls);

/// A line with a JSON object. `with_excuse`: and why it doesn't count as dead, or null.
std::string to_json(const RedirectToMend& redirect, const KnownUrls& urls,
                    bool with_excuse = false);

/// Makes those that are redirects_to_mend dead, for all reports: their lines get an
/// error, and their standing. (The last hop of a circle is dead anyway.) Returns how many
/// there are, also of those that the baseline knows or ignores.
std::size_t take_for_dead(ReportLines& lines, const KnownUrls& urls, Baseline& baseline);

} // namespace stage3
