#include "common/command_line/config_file.h"

#include "common/command_line/usage_error.h"
#include "common/text/ascii.h"

#include <algorithm>

namespace common {

std::vector<ConfigLine> read_config(std::string_view text) {
    std::vector<ConfigLine> lines;
    constexpr std::string_view mark = "\xef\xbb\xbf"; // Windows' Notepad puts it
    if (text.starts_with(mark))
        text.remove_prefix(mark.size());
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::string_view whole = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(whole.size() + 1, text.size()));
        const std::string_view line = trim(whole);
        if (line.empty() || line.front() == '#' || line.front() == ';')
            continue;
        const auto equals = line.find('=');
        const std::string_view name = trim(line.substr(0, equals));
        std::string_view value;
        bool is_quoted = false;
        if (equals != std::string_view::npos) {
            value = trim(line.substr(equals + 1));
            is_quoted = value.size() > 1 && value.front() == '"' && value.back() == '"';
            if (is_quoted)
                value = value.substr(1, value.size() - 2);
            if (value.empty())
                throw UsageError("line " + std::to_string(number)
                                 + ": a value is missing");
        }
        const std::string where = "line " + std::to_string(number) + ": ";
        if (name.starts_with('['))
            throw UsageError(where + "there are no sections here: leave it out");
        if (const auto blank = name.find(' '); blank != std::string_view::npos)
            throw UsageError(where + "write a value behind a '=', as in "
                             + std::string(name.substr(0, blank)) + " = "
                             + std::string(trim(name.substr(blank))));
        if (!is_quoted && value.find(" #") != std::string_view::npos)
            throw UsageError(where
                             + "a comment needs a line of its own (or quotes, if "
                               "it's a part of the value)");
        if (name.empty() || name.front() == '-')
            throw UsageError(
                "line " + std::to_string(number)
                + ": write an option without its dashes, as in workers = 20");
        lines.push_back({number, std::string(name), std::string(value)});
    }
    return lines;
}

} // namespace common
