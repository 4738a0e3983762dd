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
        if (equals != std::string_view::npos) {
            value = trim(line.substr(equals + 1));
            if (value.size() > 1 && value.front() == '"' && value.back() == '"')
                value = value.substr(1, value.size() - 2);
            if (value.empty())
                throw UsageError("line " + std::to_string(number)
                                 + ": a value is missing");
        }
        if (name.empty() || name.front() == '[' || name.front() == '-')
            throw UsageError(
                "line " + std::to_string(number)
                + ": write an option without its dashes, as in workers = 20");
        lines.push_back({number, std::string(name), std::string(value)});
    }
    return lines;
}

} // namespace common
