// Links in HTML: read by our own scanner.
//
// A page may hold whole documents: the srcdoc of an iframe is one. What they refer to is
// on the page as well, but their ids and their base are their own. Page 27 of the book.
#pragma once

#include "common/web/link_collector.h"

#include <string_view>

namespace common {

/// Reads a page, which is UTF-8.
void collect_from_html(std::string_view page, LinkCollector& collector);

/// Reads an iframe's srcdoc, which is HTML in XHTML, too, unless it's too deep in others,
/// or too long.
void collect_from_srcdoc(std::string_view document, LinkCollector& collector);

} // namespace common
