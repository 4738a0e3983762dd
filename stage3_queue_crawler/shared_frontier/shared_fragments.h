// What a process finds out about fragments, on its way through Redis.
//
// Which ones are missing is known only when all pages have been read, and then one
// process puts together what all have found. Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/fragments.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/known_urls.h"

#include <string>
#include <string_view>

namespace stage3 {

/// The first line: "ids HASH HASH ...", in hexadecimal, for a page; "to URL", where it
/// redirects to; or "none". Then a line for each page that its links point into: its URL
/// and the fragments, with tabs between them. (No fragment contains a tab.)
std::string describe_places(const Found& found);

/// Hands what `describe_places` has written about a page to `fragments`.
void read_places(std::string_view text, KnownUrl::Number page, const KnownUrls& urls,
                 Fragments& fragments);

} // namespace stage3
