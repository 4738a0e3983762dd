#include "stage3_queue_crawler/program/formats/escape.h"

#include "common/web/charset.h"
#include "common/web/readable_text.h"

#include <fmt/core.h>

#include <cstdint>

namespace stage3 {
namespace {

bool is_printable(char c) { return c >= 0x20 && c < 0x7f; }

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
    const auto append_unit = [&](char32_t unit) {
        out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(unit));
    };
    while (!rest.empty()) {
        const bool is_ascii = static_cast<unsigned char>(rest[0]) < 0x80;
        const auto [character, bytes] =
            is_ascii ? common::Utf8Character{.code = static_cast<unsigned char>(rest[0]),
                                             .bytes = 1}
                     : common::first_character(rest);
        rest.remove_prefix(bytes);
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

namespace {

/// `cell` can be printed.
std::string in_cell(std::string cell) {
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

} // namespace

std::string as_csv(std::string_view text) { return in_cell(for_terminal(text)); }

std::string as_readable_csv(std::string_view text) {
    return in_cell(common::readable(text));
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
    for (const char c : common::readable(text))
        if (std::string_view("&<>\"'").find(c) != std::string_view::npos)
            out += fmt::format("&#{};", static_cast<int>(c));
        else
            out += c;
    return out;
}

} // namespace stage3
