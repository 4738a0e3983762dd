// Links in XML, XHTML and SVG among it: read by libxml2.
//
// XML that isn't well-formed has an end, and what comes behind it doesn't count. But in a
// few lines, a document can ask for gigabytes or for hours; this is what keeps a crawl
// from giving them. Page 27 of the book.
#pragma once

#include "common/web/link_collector.h"

#include <string_view>

namespace common {

/// Reads XML up to its first error. Entities that the document defines are not replaced,
/// because a few lines of them can unfold to gigabytes.
void collect_from_xml(std::string_view document, LinkCollector& collector);

} // namespace common
