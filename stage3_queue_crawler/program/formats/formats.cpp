#include "stage3_queue_crawler/program/formats/formats.h"

#include "common/text/join.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace stage3 {
namespace {

// [table]
constexpr auto table = std::to_array<FormatEntry>({
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
     .takes_redirects = true},
    {.name = "junit",
     .help = "each URL as a test, for CI that shows test results",
     .make = make_junit},
    {.name = "github",
     .help = "annotations of a GitHub workflow: write it to standard output",
     .make = make_github},
    {.name = "markdown",
     .help = "a summary, short enough for a comment on a pull request",
     .make = make_markdown},
    {.name = "sarif",
     .help = "for services that read what static analysers report",
     .make = make_sarif},
});

} // namespace

std::span<const FormatEntry> all_formats() { return table; }

const FormatEntry& format_named(std::string_view name) {
    const auto found = std::ranges::find(table, name, &FormatEntry::name);
    if (found == table.end())
        throw std::invalid_argument(fmt::format("there is no format '{}'", name));
    return *found;
}

std::string formats_with(bool FormatEntry::* is_wanted) {
    std::vector<std::string_view> names;
    for (const FormatEntry& entry : table)
        if (entry.*is_wanted)
            names.push_back(entry.name);
    const std::string_view last = names.back();
    names.pop_back();
    return names.empty() ? std::string(last)
                         : fmt::format("{} or {}", common::join(names, ", "), last);
}

std::string help_on_formats() {
    std::string text;
    for (const FormatEntry& entry : table)
        text += fmt::format("  {:<10}{}\n", entry.name, entry.help);
    return text;
}

} // namespace stage3
