// Any document as UTF-8.
//
// A page is bytes, and which letters they are is said in up to four places: by a mark at
// its beginning, by the server, by the page itself, or nowhere. Links are letters too
// (and "/" in UTF-16 is no byte "/"), so this question comes before all others.
#pragma once

#include <string>
#include <string_view>

namespace common {

/// The document as valid UTF-8 without zeros: what can't be read becomes U+FFFD.
///
/// Its character set is told by, in this order: a byte order mark; the charset in the
/// server's Content-Type header, `content_type`; a <meta> among the first 1,024 bytes; if
/// there is none, or an unknown one, UTF-8 if the document is valid UTF-8, else
/// windows-1252. The converters are the system's (man 3 iconv).
///
/// The result is a view of `bytes` where they are just right, else of `storage`.
/// `charset`, unless null, gets the character set's name, in lower case: of several names
/// for one, always the same, such as "windows-1252" for Latin-1, and "cp932" for
/// Shift_JIS.
/// Source: https://html.spec.whatwg.org/multipage/parsing.html, determining the character
/// encoding; https://encoding.spec.whatwg.org/ for the labels.
std::string_view to_utf8(std::string_view bytes, std::string_view content_type,
                         std::string& storage, std::string* charset = nullptr);

/// The character set that an XML document says it has, as `to_utf8` names it; "utf-8" if
/// it says none, or one that isn't known.
std::string charset_of_xml(std::string_view document);

/// A text of no known origin as valid UTF-8 without zeros: what is none becomes U+FFFD.
/// The result is a view of `text` where nothing is wrong with it, else of `storage`.
std::string_view repaired_utf8(std::string_view text, std::string& storage);

/// A parameter of a header's value: the charset in "text/html; charset=utf-8". Without
/// its quotes; empty if there is none.
std::string_view header_parameter(std::string_view header, std::string_view name);

} // namespace common
