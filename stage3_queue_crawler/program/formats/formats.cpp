#include "stage3_queue_crawler/program/formats/formats.h"

#include "common/text/join.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace stage3 {

const FormatEntry& format_named(std::string_view name) {
    const auto found = std::ranges::find(all_formats, name, &FormatEntry::name);
    if (found == all_formats.end())
        throw std::invalid_argument(fmt::format("there is no format '{}'", name));
    return *found;
}

std::string formats_with(bool FormatEntry::* is_wanted) {
    std::vector<std::string_view> names;
    for (const FormatEntry& entry : all_formats)
        if (entry.*is_wanted)
            names.push_back(entry.name);
    const std::string_view last = names.back();
    names.pop_back();
    return names.empty() ? std::string(last)
                         : fmt::format("{} or {}", common::join(names, ", "), last);
}

std::string help_on_formats() {
    std::string text;
    for (const FormatEntry& entry : all_formats)
        text += fmt::format("  {:<10}{}\n", entry.name, entry.help);
    return text;
}

} // namespace stage3
