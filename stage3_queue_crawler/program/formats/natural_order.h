// The order in which a person counts: page 2 comes before page 10.
#pragma once

#include "stage3_queue_crawler/program/formats/report_line.h"

#include <string_view>
#include <vector>

namespace stage3 {

/// True if `a` comes before `b`. Digits in a row are a number; all else is compared byte
/// by byte. A strict order, in which only equal texts are equal.
bool comes_before(std::string_view a, std::string_view b);

/// The lines in this order, by URL; the fragments that a page lacks follow it.
std::vector<const ReportLine*> in_natural_order(const ReportLines& lines);

} // namespace stage3
