#include "common/web/readable_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace common {
namespace {

/// From and to: controls, what has no width, what sets the direction, blanks that aren't
/// a space, private characters, and those that are none.
constexpr std::array<std::pair<char32_t, char32_t>, 24> unreadable{{
    {0x00, 0x1f},       {0x7f, 0xa0},       {0xad, 0xad},       {0x34f, 0x34f},
    {0x61c, 0x61c},     {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x2000, 0x200f},   {0x2028, 0x202f},   {0x205f, 0x206f},
    {0x2800, 0x2800},   {0x3000, 0x3000},   {0x3164, 0x3164},   {0xd800, 0xf8ff},
    {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xffff},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0x1fffe, 0x1ffff}, {0xe0000, 0x10ffff},
}};

} // namespace

Utf8Character first_character(std::string_view text) {
    const auto byte = [text](std::size_t at) {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    const unsigned first = byte(0);
    if (first < 0x80)
        return {.code = first, .bytes = 1};
    if (first < 0xc2 || first > 0xf4)
        return {};
    std::size_t bytes = 2;
    if (first >= 0xe0)
        bytes = first < 0xf0 ? 3 : 4;
    char32_t code = first & (0x7fU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80)
            return {};
        code = code << 6U | (byte(i) & 0x3fU);
    }
    constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool is_one =
        code >= least.at(bytes) && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return is_one ? Utf8Character{.code = code, .bytes = bytes} : Utf8Character{};
}

bool is_readable(char32_t character) {
    return std::ranges::none_of(unreadable, [character](const auto& range) {
        return character >= range.first && character <= range.second;
    });
}

std::string readable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const Utf8Character character = first_character(text);
        const std::size_t bytes = std::max<std::size_t>(1, character.bytes);
        if (character.bytes > 0 && is_readable(character.code))
            out += text.substr(0, bytes);
        else
            for (const char c : text.substr(0, bytes))
                out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        text.remove_prefix(bytes);
    }
    return out;
}

} // namespace common
