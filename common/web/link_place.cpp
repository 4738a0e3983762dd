#include "common/web/link_place.h"

#include "common/text/ascii.h"
#include "common/web/charset.h"
#include "common/web/html_scanner.h"
#include "common/web/readable_text.h"

#include <algorithm>

namespace common {
namespace {

constexpr std::size_t most_characters = 80;

/// In one line, with character references resolved, and not too long.
std::string in_one_line(std::string_view written) {
    constexpr std::string_view no_break_space = "\xc2\xa0";
    std::string storage;
    std::string repaired; // a cut may be within a character
    std::string_view text = repaired_utf8(decoded(written, storage), repaired);
    std::string line;
    std::size_t characters = 0;
    while (!text.empty()) {
        const bool is_blank =
            text.starts_with(no_break_space) || trim(text.substr(0, 1)).empty();
        const std::size_t bytes = first_character(text).bytes;
        if (is_blank && (line.empty() || line.back() == ' ')) {
            text.remove_prefix(bytes);
            continue;
        }
        if (++characters > most_characters)
            return line + "...";
        line += is_blank ? " " : text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    if (line.ends_with(' '))
        line.pop_back();
    return line;
}

/// What a tag says to someone who doesn't see what it stands for.
std::string_view alternative(std::string_view tag) {
    for (const std::string_view name : {"<img", "<area", "<input"})
        if (equal_ignoring_case(tag.substr(0, name.size()), name))
            return attribute_of(tag, "alt");
    for (const std::string_view name : {"<iframe", "<frame"})
        if (equal_ignoring_case(tag.substr(0, name.size()), name))
            return attribute_of(tag, "title");
    return {};
}

} // namespace

std::string_view attribute_of(std::string_view tag, std::string_view name) {
    constexpr std::string_view blanks = " \t\r\n\f";
    const auto is_name_at = [&](std::size_t at) {
        return equal_ignoring_case(tag.substr(at, name.size()), name)
               && blanks.find(tag[at - 1]) != std::string_view::npos;
    };
    for (std::size_t at = 1; at + name.size() < tag.size(); ++at) {
        if (!is_name_at(at))
            continue;
        std::string_view rest = tag.substr(at + name.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
        if (!rest.starts_with('='))
            continue;
        rest.remove_prefix(1);
        rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
        if (rest.starts_with('"') || rest.starts_with('\''))
            return rest.substr(1, rest.substr(1).find(rest.front()));
        return rest.substr(0, rest.find_first_of(" \t\r\n\f>"));
    }
    return {};
}

std::string LinkPlace::text() const {
    std::string_view rest(bytes_.get() + sizeof(Numbers) + numbers().href_size,
                          numbers().text_size);
    std::string text;
    std::string_view instead;
    while (!rest.empty()) {
        const auto tag = std::min(rest.find('<'), rest.size());
        text += rest.substr(0, tag);
        rest.remove_prefix(tag);
        const auto end = std::min(rest.find('>'), rest.size());
        if (!is_there(instead))
            instead = alternative(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    text = in_one_line(text);
    return text.empty() ? in_one_line(instead) : text;
}

} // namespace common
