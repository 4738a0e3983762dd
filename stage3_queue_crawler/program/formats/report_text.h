// The parts of --html's page that need no script: sums, notes, and tables of what is
// wrong. Text that a server has sent is escaped in all of them.
#pragma once

#include "stage3_queue_crawler/program/formats/format.h"
#include "stage3_queue_crawler/program/formats/report_line.h"

#include <string>

namespace stage3 {

/// The origin that most of the URLs share, so that a page need not repeat it in each row;
/// empty if there is none.
std::string origin_of_most(const ReportLines& lines);

/// How many URLs there are of each kind, whether all is well, when and how that was found
/// out, and what is incomplete.
std::string html_sums(const Summary& summary, const ReportLines& lines,
                      const ReportOptions& options);

/// What was left out, what is alive again, and orphans.
std::string html_notes(const Summary& summary, const ReportLines& lines);

/// What is wrong, with pages and places, for a browser without scripts. Not more than a
/// browser can show at once, and then how many more there are.
std::string html_tables(const Summary& summary, const ReportLines& lines);

} // namespace stage3
