// Does a page have the place that a fragment points to?
//
// A browser that follows "page.html#install" looks for an element with that id. If there
// is none, it shows the beginning of the page and says nothing. Page 32 of the book.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// The ids of a page, and the names of its `a` elements, as hashes: four bytes each,
/// sorted. Two texts have the same one by chance once in four billion.
using IdHashes = std::vector<std::uint32_t>;

std::uint32_t hash_of_id(std::string_view id);

/// What a reference says after its '#', if a page needs an element for it. Nothing if
/// any page will do: for "#", "#top", "#:~:text=" (which browsers look for in the text),
/// and "#/" and "#!", with which scripts navigate.
/// It's a part of the reference, or of `storage`.
std::optional<std::string_view> fragment_to_find(std::string_view reference,
                                                 std::string& storage);

/// Does one of the ids match: as it's written, or percent-decoded?
/// Source: the HTML Standard, "find a potential indicated element".
bool is_indicated(std::string_view fragment, const IdHashes& ids);

} // namespace common
