// Percent-encoding: the bytes that can't stand in a URL, as "%20".
//
// For the files that read URLs and fragments. What every link goes through is in this
// header, so that the compiler can build it into the URL parser's loops. Section 1.3 of
// the URL Standard; page 27 of the book.
#pragma once

#include "common/text/ascii.h"
#include "common/text/byte_set.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace common {

/// The value of a hexadecimal digit; -1 for any other character.
constexpr int hex_value(char c) {
    if (is_digit(c))
        return c - '0';
    const char small = to_lower(c);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/// A "percent-encode set": all that is not printable ASCII, and these characters besides.
constexpr ByteSet percent_encode_set(std::string_view characters) {
    ByteSet set = byte_set_of(characters);
    for (std::size_t byte = 0; byte < set.size(); ++byte)
        set[byte] = set[byte] || byte <= 0x1f || byte >= 0x7f;
    return set;
}

/// The "special-query percent-encode set": what is encoded in an http URL's query.
constexpr ByteSet special_query_set = percent_encode_set(" \"#<>'");

/// Appends `text`, with the bytes that are in `set` percent-encoded.
inline void append_encoded(std::string& result, std::string_view text,
                           const ByteSet& set) {
    while (!text.empty()) {
        const auto* end =
            std::ranges::find_if(text, [&](char c) { return is_in(set, c); });
        result.append(text.begin(), end);
        text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
        if (text.empty())
            return;
        const auto byte = static_cast<unsigned char>(text.front());
        constexpr std::string_view hex_digits = "0123456789ABCDEF";
        result += {'%', hex_digits[byte >> 4U], hex_digits[byte & 0xfU]};
        text.remove_prefix(1);
    }
}

/// The text with "%41" as "A". What isn't followed by two digits stays as it is.
std::string percent_decoded(std::string_view text);

} // namespace common
