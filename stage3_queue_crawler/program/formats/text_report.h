// The text report: all records, what they add up to, and what to fix.
#pragma once

#include "stage3_queue_crawler/program/formats/format.h"
#include "stage3_queue_crawler/program/formats/report_line.h"

#include <string>

namespace stage3 {

/// As a line for a person, without a line end: outcome, status, bytes, URL, and what else
/// there is to say.
std::string to_text(const ReportLine& line);

/// A line for each page.
std::string list_pages(const LinkingPages& pages);

/// The report on a crawl: the records, which must be sorted; totals; the links found on
/// the most pages; the redirects to mend, if wanted; which links were left out; and at
/// the end the URLs that are dead, with the pages that link to them.
std::string text_report(const ReportLines& lines, const Summary& crawl,
                        const ReportOptions& options = {});

} // namespace stage3
