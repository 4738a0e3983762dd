// A number as people write it: "10", "0.5".
#pragma once

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace stage3 {

/// The whole text as a number: digits with at most one dot. Nothing if it isn't one, such
/// as "-1", "1e3" or "inf". (std::from_chars would accept all of these, and LLVM's
/// library has had it for double only since version 20.)
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
