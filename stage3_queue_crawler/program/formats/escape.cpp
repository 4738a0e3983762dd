#include "stage3_queue_crawler/program/formats/escape.h"

#include "common/web/charset.h"

#include <fmt/core.h>

#include <cstdint>

namespace stage3 {
namespace {

bool is_printable(char c) { return c >= 0x20 && c < 0x7f; }

/// Takes the first character from a text that is not empty, and valid UTF-8.
std::uint32_t take_character(std::string_view& text) {
    const auto first = static_cast<unsigned char>(text[0]);
    std::size_t length = 1;
    if (first >= 0xc0)
        length = first < 0xe0 ? 2 : 3;
    if (first >= 0xf0)
        length = 4;
    std::uint32_t character = length == 1 ? first : first & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i)
        character = character << 6U | (static_cast<unsigned char>(text[i]) & 0x3fU);
    text.remove_prefix(length);
    return character;
}

} // namespace

std::string for_terminal(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (is_printable(c))
            out += c;
        else
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    return out;
}

std::string as_json(std::string_view text) {
    std::string storage;
    std::string_view rest = common::repaired_utf8(text, storage);
    std::string out = "\"";
    const auto append_unit = [&](std::uint32_t unit) {
        out += fmt::format("\\u{:04x}", unit);
    };
    while (!rest.empty()) {
        const std::uint32_t character = take_character(rest);
        if (character == '"' || character == '\\') {
            out += '\\';
            out += static_cast<char>(character);
        } else if (character < 0x80 && is_printable(static_cast<char>(character))) {
            out += static_cast<char>(character);
        } else if (character < 0x10000) {
            append_unit(character);
        } else { // two units, as in UTF-16
            append_unit(0xd800 + ((character - 0x10000) >> 10U));
            append_unit(0xdc00 + ((character - 0x10000) & 0x3ffU));
        }
    }
    return out + '"';
}

std::string as_csv(std::string_view text) {
    std::string cell = for_terminal(text);
    if (!cell.empty()
        && std::string_view("=+-@").find(cell.front()) != std::string_view::npos)
        cell = "'" + cell;
    if (cell.find_first_of("\",; ") == std::string::npos)
        return cell;
    std::string out = "\"";
    for (const char c : cell)
        out += c == '"' ? "\"\"" : std::string(1, c);
    return out + '"';
}

std::string as_dot(std::string_view text) {
    std::string out = "\"";
    for (const char c : for_terminal(text)) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + '"';
}

std::string as_markup(std::string_view text) {
    std::string out;
    for (const char c : for_terminal(text))
        if (std::string_view("&<>\"'").find(c) != std::string_view::npos)
            out += fmt::format("&#{};", static_cast<int>(c));
        else
            out += c;
    return out;
}

} // namespace stage3
