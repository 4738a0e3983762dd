#include "common/command_line/config_file.h"

#include "common/command_line/usage_error.h"
#include "common/text/ascii.h"
#include "common/text/entries.h"

namespace common {
namespace {

/// "workers:" is how other formats would have it.
std::string_view without_colon(std::string_view name) {
    name.remove_suffix(name.ends_with(':') ? 1 : 0);
    return name;
}

} // namespace

std::vector<ConfigLine> read_config(std::string_view text) {
    std::vector<ConfigLine> lines;
    for (const auto& [number, line] : entries_of(text, "#;")) {
        const std::string where = "line " + std::to_string(number) + ": ";
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
                throw UsageError(where + "a value is missing");
        }
        if (name.starts_with('['))
            throw UsageError(where + "there are no sections here: leave it out");
        if (const auto blank = name.find(' '); blank != std::string_view::npos)
            throw UsageError(where + "write a value behind a '=', as in "
                             + std::string(without_colon(name.substr(0, blank))) + " = "
                             + std::string(trim(name.substr(blank))));
        if (const auto colon = name.find(':'); colon != std::string_view::npos)
            throw UsageError(where + "write a value behind a '=', as in "
                             + std::string(name.substr(0, colon)) + " = "
                             + std::string(trim(name.substr(colon + 1))));
        if (!is_quoted && value.find(" #") != std::string_view::npos)
            throw UsageError(where
                             + "a comment needs a line of its own (or quotes, if "
                               "it's a part of the value)");
        if (name.empty() || name.front() == '-')
            throw UsageError(where
                             + "write an option without its dashes, as in workers = 20");
        lines.push_back({number, std::string(name), std::string(value)});
    }
    return lines;
}

} // namespace common
