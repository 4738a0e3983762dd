// Options that a file gives, so that they needn't be typed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// "name = value".
struct ConfigLine {
    std::size_t number; ///< of the line, from 1
    std::string name;   ///< without dashes
    std::string value;  ///< empty: there is none, as for a flag
};

/// Reads lines like "workers = 20" and "external"; a line that begins with `#` or `;` is
/// a comment. A value ends with its line, and may be in double quotes. Unlike in CLI11's
/// own reader, whose rules have changed from version to version, a value with spaces is
/// one value. Throws UsageError, with the line's number.
std::vector<ConfigLine> read_config(std::string_view text);

} // namespace common
