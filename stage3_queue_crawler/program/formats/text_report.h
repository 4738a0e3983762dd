// The text report: all records, what they add up to, and what to fix.
#pragma once

#include "stage3_queue_crawler/program/formats/format.h"
#include "stage3_queue_crawler/program/formats/report_line.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// As a line for a person, without a line end: outcome, status, bytes, URL, and what else
/// there is to say.
std::string to_text(const ReportLine& line);

/// A line for each mention, without a line end: "on http://h/p, line 3, column 7:
/// "here"", "on http://h/p, through http://h/old". Those of at most `most` pages, and how
/// many more there are.
std::vector<std::string> describe_pages(const MentionsOfUrl& mentions, std::size_t most);
/// ", through http://h/old"
std::string describe_way(const std::vector<std::string_view>& through);
/// What a user whose root is dead may want to know; empty: nothing.
std::string advice_on(const ReportLine& line, const KnownUrls& urls);

// Parts of a report, of whole lines.

/// The pages that refer to a redirect.
std::string list_mentions(const MentionsOfUrl& mentions);
std::string list_redirects_to_mend(const ReportLines& lines, const KnownUrls& urls);
std::string list_orphans(const Summary& crawl, const ReportLines& lines);
/// Empty if they were checked, or there were none.
std::string warn_of_certificates(const Summary& crawl, const ReportLines& lines);

/// The report on a crawl: the records, which must be sorted; totals; the links found on
/// the most pages; the redirects to mend, if wanted; which links were left out; and at
/// the end the URLs that are dead, with the pages that link to them.
std::string text_report(const ReportLines& lines, const Summary& crawl,
                        const ReportOptions& options = {});

} // namespace stage3
