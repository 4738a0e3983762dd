#include "common/command_line/option_table.h"

#include <cstddef>
#include <string_view>

namespace common {
namespace {

/// "-w,--workers N", and what it means.
std::string help_line(const std::string& left, std::string_view meaning) {
    constexpr std::size_t column = 26;
    std::string line = "  " + left;
    line += line.size() < column ? std::string(column - line.size(), ' ')
                                 : "\n" + std::string(column, ' ');
    for (const char c : meaning) {
        line += c;
        if (c == '\n')
            line.append(column, ' ');
    }
    return line + '\n';
}

} // namespace

std::string as_help(const OptionTable& table) {
    std::string text =
        table.description + "\nUsage: " + table.program + ' ' + table.usage + '\n';
    if (!table.arguments.empty())
        text += "\nArguments:\n";
    for (const auto& [name, meaning] : table.arguments)
        text += help_line(name, meaning);
    std::string heading;
    for (const OptionRow& option : table.options) {
        if (option.is_hidden)
            continue;
        if (option.heading != heading)
            text += '\n' + option.heading + ":\n";
        heading = option.heading;
        text += help_line(option.names + option.rest(), option.meaning);
    }
    return table.footer.empty() ? text : text + '\n' + table.footer + '\n';
}

} // namespace common
