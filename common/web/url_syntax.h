// How a reference begins: what its parser leaves out, and its scheme.
//
// For the files that read URLs, and those that explain why a text is none. The names are
// the URL Standard's, where it has one. Page 27 of the book.
#pragma once

#include "common/text/ascii.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace common {

constexpr bool is_slash(char c) { return c == '/' || c == '\\'; }
constexpr bool is_web_scheme(std::string_view scheme) {
    return scheme == "http" || scheme == "https";
}

/// The scheme that a text begins with, without its colon; empty if it begins with none.
inline std::string_view scheme_of(std::string_view text) {
    if (text.empty() || !is_alpha(text[0]))
        return {};
    const auto* end = std::ranges::find_if_not(text, [](char c) {
        return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
    });
    return end != text.end() && *end == ':' ? std::string_view(text.begin(), end)
                                            : std::string_view();
}

/// What the parser removes before it begins: blanks and control characters at both ends,
/// and every tab and line break. Uses `storage` only if there is one to remove. What a
/// fragment says is for the browser, and never reaches a server: it goes as well.
inline std::string_view stripped(std::string_view text, std::string& storage) {
    const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    text = text.substr(0, text.find('#'));
    constexpr std::string_view breaks = "\t\n\r";
    if (text.find_first_of(breaks) == std::string_view::npos)
        return text;
    for (const char c : text)
        if (breaks.find(c) == std::string_view::npos)
            storage += c;
    return storage;
}

} // namespace common
