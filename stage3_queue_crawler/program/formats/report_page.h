// The page that `--html` writes, before anything is in it.
#pragma once

#include <string_view>

namespace stage3 {

/// HTML, with {{NAME}} where something is to be put in: TITLE, HEADING, SUMS, PLAIN,
/// NOTES, DATA, in this order. Made of the files in report_page/.
std::string_view report_page();

} // namespace stage3
