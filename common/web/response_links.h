// Where does a response lead?
//
// A page has links, and a redirect has one. The small crawlers of the book follow both in
// the same way. The large ones treat redirects in their own, and call find_links
// (links.h), which needn't know what a response is. Page 01 of the book.
#pragma once

#include "common/web/http_response.h"
#include "common/web/url.h"

#include <vector>

namespace common {

/// Where a response to a request for `url` leads: the links of a page, or the one of a
/// redirect. None for any other status than 200.
std::vector<Url> links_of(const HttpResponse& response, const Url& url);

} // namespace common
