// The few text helpers that protocols need: names in HTTP, HTML and URLs are ASCII, and
// upper and lower case are one. The functions of <cctype> depend on the user's locale and
// are undefined for negative chars; these do neither.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace common {

constexpr char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alpha(char c) { return to_lower(c) >= 'a' && to_lower(c) <= 'z'; }

/// The text with A–Z made lower-case.
inline std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), to_lower);
    return result;
}

/// True if the two differ in nothing but the case of ASCII letters.
inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

/// The text without the bytes of `unwanted` at its ends.
inline std::string_view trim(std::string_view text,
                             std::string_view unwanted = " \t\r\n\f") {
    const auto first = text.find_first_not_of(unwanted);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(unwanted) - first + 1);
}

} // namespace common
