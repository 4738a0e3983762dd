// The text report: all records, what they add up to, and what to fix.
#pragma once

#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/program/formats.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace stage3 {

/// What the report says about a record. It's kept until the end, so it's small.
struct ReportLine {
    explicit ReportLine(const Record& record);

    common::Url url;
    std::size_t bytes;
    int status;
    Outcome outcome;
    /// What most records don't have.
    struct More {
        std::string next_url;
        std::string error;
        std::string fragment;
        std::vector<common::Url> pages; ///< that link to the fragment
    };
    std::unique_ptr<const More> more;

    /// Sorted by URL; then the page comes before the fragments that it lacks.
    bool operator<(const ReportLine& other) const;
};

/// As a line for a person, without a line end: outcome, status, bytes, URL, and what else
/// there is to say.
std::string to_text(const ReportLine& line);

/// The pages that link to a URL, or the redirect that leads there; a line for each.
std::string list_pages(const common::Url& url, const KnownUrls& urls);

/// The report on a crawl: the records, sorted by URL; totals; the links found on the most
/// pages; the redirects to mend, if wanted; which links were left out; and at the end the
/// URLs that are dead, with the pages that link to them.
std::string text_report(std::deque<ReportLine> lines, const Summary& crawl,
                        const ReportOptions& options = {});

} // namespace stage3
