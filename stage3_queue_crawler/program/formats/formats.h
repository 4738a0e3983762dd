// All formats, in one table: what can be chosen, what the help says of it, what it can.
//
// To add one, write a file with its maker, and add that to the list and the table.
#pragma once

#include "stage3_queue_crawler/program/formats/format.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace stage3 {

using MakeFormat = std::unique_ptr<Format>(const ReportOptions& options);
MakeFormat make_text, make_jsonl, make_csv, make_dot, make_html, make_junit, make_github,
    make_markdown, make_sarif;

struct FormatEntry {
    std::string_view name;
    std::string_view help; ///< for --help-reports
    MakeFormat* make;
    bool takes_redirects = false; ///< has use for --redirects
    bool needs_links = false;     ///< those of each page, which a shared frontier lacks
    bool is_for_people = false;   ///< so --quiet leaves it out, on standard output
};

/// The first one is the default.
std::span<const FormatEntry> all_formats();

/// Throws std::invalid_argument if there is none.
const FormatEntry& format_named(std::string_view name);

/// The names of those for which `is_wanted` is true, as in "text, jsonl or html".
std::string formats_with(bool FormatEntry::* is_wanted);

/// "  text      a report, ...", a line for each.
std::string help_on_formats();

} // namespace stage3
