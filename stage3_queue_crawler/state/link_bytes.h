// The links of a page as bytes, for a file.
//
// A page's links resemble each other: most begin as the one before. So each URL is
// written as the number of characters that it shares with the last one, and the rest.
// Numbers take seven bits of each byte, so small ones need only one.
#pragma once

#include "common/web/links.h"
#include "common/web/url.h"

#include <optional>
#include <string>
#include <string_view>

namespace stage3 {

/// `page` is where the links were found.
std::string to_bytes(const common::Links& links, const common::Url& page);
/// Nothing if these are no such bytes, for example because the file is damaged.
std::optional<common::Links> read_links(std::string_view bytes, const common::Url& page);

} // namespace stage3
