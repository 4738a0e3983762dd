// A format of your own.
#pragma once

#include "stage3_queue_crawler/program/formats/formats.h"

namespace stage3 {

/// Makes a format that writes, at the end of a crawl, what is dead on each page:
///
///     (no page)
///       http://h/old (HTTP status 404)
///     http://h/a
///       http://h/gone (HTTP status 404)
///       http://h/lost.png (img: HTTP status 410)
///     http://h/b
///       http://h/gone (HTTP status 404)
///     http://h/gone is on 3 more pages
///
///  - Pages are sorted by their URLs, and what is dead on one is in the order of `lines`.
///  - What no page links to comes first, under "(no page)".
///  - A URL may be on more pages than the crawl has noted: see MentionsOfUrl. The
///    last lines count them.
///  - Only what counts as dead is in the report, places that a page lacks included.
///    Without any, the report is empty.
///
/// Defined in yours.cpp.
MakeFormat make_by_page;

} // namespace stage3
