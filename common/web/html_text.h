// How HTML is written: what is blank, and when two names are the same.
//
// For the files that read it. They ask this of every tag, so it's in a header, and the
// compiler can build it into their loops. Page 27 of the book.
#pragma once

#include "common/text/ascii.h"
#include "common/text/byte_set.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace common {

/// HTML's "ASCII whitespace".
constexpr bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

/// What ends a tag's name.
constexpr ByteSet ends_tag_name = byte_set_of(" \n\t\r\f/>");

/// True if `text` is `small`, which is in lower case.
inline bool is_named(std::string_view text, std::string_view small) {
    return text.size() == small.size() && std::ranges::equal(text, small, {}, to_lower);
}
/// True if it is one of several.
inline bool is_one_of(std::string_view text,
                      std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](auto name) { return is_named(text, name); });
}

} // namespace common
