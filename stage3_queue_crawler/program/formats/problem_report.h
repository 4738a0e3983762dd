// The text report for a person at a terminal: what is wrong, and then what it adds up to.
//
// The owner of 10,000 pages doesn't want to read 10,000 lines for three dead links. So
// what is alive is only counted, and the sum comes last, where the eye is. Page 33 of the
// book.
#pragma once

#include "stage3_queue_crawler/program/formats/format.h"
#include "stage3_queue_crawler/program/formats/report_line.h"

#include <chrono>
#include <string>

namespace stage3 {

/// The report on a crawl, grouped as `options.show` says: what is dead, fragments that
/// are missing, what is unclear, then what else was asked for, and the sums. The records
/// must be sorted.
std::string problem_report(const ReportLines& lines, const Summary& crawl,
                           const ReportOptions& options);

/// One line: "2 dead, 3 unclear; 812 fetched, 20 redirects, in 1.23 s".
std::string sum_up(const Counts& counts, std::chrono::duration<double> time);

} // namespace stage3
