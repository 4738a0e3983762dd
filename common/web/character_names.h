// HTML's names for characters, all 2,231 of them: "amp" and "amp;" for "&", "apos;" for
// "'", and so on. Page 27 of the book.
#pragma once

#include <string_view>

namespace common {

/// What a name means.
struct CharacterName {
    std::string_view characters;  ///< one or two, in UTF-8; empty if there's no such name
    bool needs_semicolon = false; ///< only 106 of the oldest names do without
};

/// Looks up a name as it stands between "&" and ";", such as "amp".
/// Source: https://html.spec.whatwg.org/multipage/named-characters.html
CharacterName character_name(std::string_view name);

} // namespace common
