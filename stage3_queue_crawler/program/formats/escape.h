// What a server sends is printed only through these.
//
// A server may put anything into a content type or a Location: bytes that clear your
// terminal, that rename its window, that make the rest of a line run backwards. In a JSON
// file they may end a string early.
#pragma once

#include <string>
#include <string_view>

namespace stage3 {

/// For a terminal: each byte that isn't printable ASCII becomes \xNN, and a backslash
/// stays what it is.
std::string for_terminal(std::string_view text);

/// A JSON string with its quotes, in ASCII. What isn't valid UTF-8 becomes U+FFFD.
std::string as_json(std::string_view text);

/// A cell of a CSV file. In quotes where it must be; unprintable bytes as \xNN; and a
/// text that a spreadsheet would take for a formula gets a ' in front.
/// Source: RFC 4180.
std::string as_csv(std::string_view text);
/// The same for what a page says, with letters of all scripts.
std::string as_readable_csv(std::string_view text);

/// A string in Graphviz's language, with its quotes; unprintable bytes as \\xNN.
std::string as_dot(std::string_view text);

/// Text in HTML or XML, also in an attribute in quotes; bytes that can't be read as
/// \\xNN, since XML has no way at all to write most of them.
std::string as_markup(std::string_view text);

} // namespace stage3
