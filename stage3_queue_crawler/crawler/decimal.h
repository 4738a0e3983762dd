// A number as people write it: "10", "0.5".
#pragma once

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace stage3 {

/// The whole text as a number of digits with at most one dot. Nothing if it isn't one:
/// "-1", "1e3", "inf" are none. (Not std::from_chars, which takes all of these, and which
/// LLVM's library has for double only since version 20.)
inline std::optional<double> read_decimal(std::string_view text) {
    if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos)
        return {};
    const std::string copy(text);
    char* end = nullptr;
    const double number = std::strtod(copy.c_str(), &end);
    const bool is_number = *end == '\0' && std::isfinite(number);
    return is_number ? std::optional(number) : std::nullopt;
}

} // namespace stage3
