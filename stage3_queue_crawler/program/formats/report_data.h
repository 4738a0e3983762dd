// What the page of --html knows: the records as JSON, which report.js shows as text.
//
// There may be a hundred thousand fragments, or a link in the navigation of ten thousand
// pages. So what many rows share is written once, and named by its number. Page 33 of the
// book.
#pragma once

#include "stage3_queue_crawler/program/formats/format.h"
#include "stage3_queue_crawler/program/formats/report_line.h"

#include <string>

namespace stage3 {

/// JSON that can't end the script element that it's in: an object that report.js takes
/// apart. The lines must be sorted.
std::string report_data(const Summary& summary, const ReportLines& lines,
                        const ReportOptions& options);

} // namespace stage3
