// Character references in an attribute's value: "&amp;", "&#38;" and "&#x26;".
#include "common/text/ascii.h"
#include "common/web/character_names.h"
#include "common/web/html_scanner.h"

#include <algorithm>
#include <array>

namespace common {

void append_utf8(std::string& result, std::uint32_t code) {
    const auto byte = [&](std::uint32_t bits) { result += static_cast<char>(bits); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0U | code >> 6U);
        byte(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
        byte(0xe0U | code >> 12U);
        byte(0x80U | (code >> 6U & 0x3fU));
        byte(0x80U | (code & 0x3fU));
    } else {
        byte(0xf0U | code >> 18U);
        byte(0x80U | (code >> 12U & 0x3fU));
        byte(0x80U | (code >> 6U & 0x3fU));
        byte(0x80U | (code & 0x3fU));
    }
}

namespace {

/// The numeric character reference end state: some numbers mean something else than they
/// say.
std::uint32_t meant_by(std::uint32_t number) {
    constexpr std::array<std::uint16_t, 32> windows_1252{
        0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
        0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
        0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
        0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
    if (number >= 0x80 && number < 0xa0)
        return windows_1252.at(number - 0x80);
    const bool surrogate = number >= 0xd800 && number < 0xe000;
    return number == 0 || number > 0x10ffff || surrogate ? 0xfffd : number;
}

/// Reads "#65;" or "#x41;" behind an ampersand. Returns how much it has read; 0 if it is
/// no reference.
std::size_t numeric_reference(std::string_view text, std::string& result) {
    const bool hexadecimal = text.size() > 1 && to_lower(text[1]) == 'x';
    const std::size_t first = hexadecimal ? 2 : 1;
    std::size_t at = first;
    std::uint32_t number = 0;
    for (; at < text.size(); ++at) {
        const char c = to_lower(text[at]);
        const bool letter = hexadecimal && c >= 'a' && c <= 'f';
        if (!is_digit(c) && !letter)
            break;
        const auto digit = static_cast<std::uint32_t>(letter ? c - 'a' + 10 : c - '0');
        number = std::min(number * (hexadecimal ? 16U : 10U) + digit, 0x110000U);
    }
    if (at == first)
        return 0;
    append_utf8(result, meant_by(number));
    return at < text.size() && text[at] == ';' ? at + 1 : at;
}

/// Reads "amp;" behind an ampersand. Returns how much it has read; 0 if it is no
/// reference. The standard takes the longest name that fits, and then, if a letter or
/// digit is next, takes it for text. So only a name that ends where they end will do.
std::size_t named_reference(std::string_view text, std::string& result) {
    const auto* const end =
        std::ranges::find_if_not(text, [](char c) { return is_alpha(c) || is_digit(c); });
    const std::string_view name(text.begin(), end);
    const bool closed = end != text.end() && *end == ';';
    if (end != text.end() && *end == '=') // "?a=1&copy=2" is meant as it stands
        return 0;
    const auto [characters, needs_semicolon] = character_name(name);
    if (characters.empty() || (needs_semicolon && !closed))
        return 0;
    result += characters;
    return name.size() + (closed ? 1 : 0);
}

} // namespace

std::string_view decoded(std::string_view value, std::string& storage) {
    if (value.find('&') == std::string_view::npos
        && value.find('\0') == std::string_view::npos)
        return value;
    storage.clear();
    while (true) {
        const auto* const special =
            std::ranges::find_if(value, [](char c) { return c == '&' || c == '\0'; });
        storage.append(value.begin(), special);
        if (special == value.end())
            return storage;
        const bool zero = *special == '\0';
        value = {special + 1, value.end()};
        if (zero) {
            append_utf8(storage, 0xfffd);
            continue;
        }
        const std::size_t read = value.starts_with('#')
                                     ? numeric_reference(value, storage)
                                     : named_reference(value, storage);
        if (read == 0)
            storage += '&';
        value.remove_prefix(read);
    }
}

} // namespace common
