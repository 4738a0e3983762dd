// A set of bytes, in a table: one look for each byte of a text, whatever is in the set.
// Pages and URLs are searched byte by byte, so this is where much of a crawl's time goes.
// Page 27 of the book.
#pragma once

#include <array>
#include <string_view>

namespace common {

using ByteSet = std::array<bool, 256>;

constexpr ByteSet byte_set_of(std::string_view characters) {
    ByteSet set{};
    for (const char c : characters)
        set[static_cast<unsigned char>(c)] = true;
    return set;
}

constexpr bool is_in(const ByteSet& set, char c) {
    return set[static_cast<unsigned char>(c)];
}

} // namespace common
