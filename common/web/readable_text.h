// Letters of any script as they are; what could harm a terminal or mislead a reader, not.
//
// A server may put anything into a fragment or into a link's words: bytes that clear your
// terminal, or characters that make the rest of a line run backwards. What is left out
// here can't be seen, or changes how something else is seen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace common {

/// Takes the first character from `text`, which is not empty. Its bytes: none, if what is
/// there isn't UTF-8.
struct Utf8Character {
    char32_t code = 0;
    std::size_t bytes = 0;
};
Utf8Character first_character(std::string_view text);

/// True for printable ASCII and for characters that show something of their own.
bool is_readable(char32_t character);

/// Each byte of what isn't readable becomes \xNN; all else stays as it is.
std::string readable(std::string_view text);

} // namespace common
