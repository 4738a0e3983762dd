// All formats, in one table: what can be chosen, what the help says of it, what it can.
//
// To add one, write a file with its maker, add that to the list and the table, and the
// file to meson.build.
#pragma once

#include "stage3_queue_crawler/program/formats/format.h"

#include <array>
#include <memory>
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
    bool takes_sources = false;   ///< has use for --source
    bool needs_links = false;     ///< those of each page, which a shared frontier lacks
    bool shows_limits = false;    ///< what limited the crawl
    bool is_for_people = false;   ///< so --quiet leaves it out, on standard output
};

/// The first one is the default.
// [table]
inline constexpr auto all_formats = std::to_array<FormatEntry>({
    {.name = "text",
     .help = "all records, totals, and what is dead and where (default)",
     .make = make_text,
     .takes_redirects = true,
     .is_for_people = true},
    {.name = "jsonl",
     .help = "a JSON object per record, one per line, as they come",
     .make = make_jsonl,
     .takes_redirects = true},
    {.name = "csv", .help = "the same, for a spreadsheet", .make = make_csv},
    {.name = "dot",
     .help = "all links as a graph, for Graphviz",
     .make = make_dot,
     .needs_links = true},
    // [/table]
    {.name = "html",
     .help = "a page to search, sort and print; needs nothing but a browser",
     .make = make_html,
     .takes_redirects = true,
     .shows_limits = true},
    {.name = "junit",
     .help = "each URL as a test, for CI that shows test results",
     .make = make_junit},
    {.name = "github",
     .help = "annotations of a GitHub workflow: write it to standard output",
     .make = make_github,
     .takes_sources = true},
    {.name = "markdown",
     .help = "a summary, short enough for a comment on a pull request",
     .make = make_markdown},
    {.name = "sarif",
     .help = "for services that read what static analysers report",
     .make = make_sarif,
     .takes_sources = true},
});

/// Throws std::invalid_argument if there is none.
const FormatEntry& format_named(std::string_view name);

/// The names of those for which `is_wanted` is true, as in "text, jsonl or html".
std::string formats_with(bool FormatEntry::* is_wanted);

/// "  text      a report, ...", a line for each.
std::string help_on_formats();

} // namespace stage3
