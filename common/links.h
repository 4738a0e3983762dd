// Which links does a document hold?
//
// Here works libxml2's HTML parser, through its SAX interface: it reads the whole body
// and calls us for each start tag, and we pick those that a crawler can follow. It
// forgives the broken markup that the web is full of, and no tree is built.
#pragma once

#include "common/url.h"

#include <string_view>
#include <vector>

namespace common {

/// True for the types of document that `find_links` reads: HTML, XHTML and XML.
/// `content_type` is a Content-Type header's value; parameters after ";" don't matter.
/// Where a server sent none, a body that begins with "<" is taken for HTML.
bool may_hold_links(std::string_view content_type, std::string_view body);

/// Finds the links of a document: `href` of a and area, `src` of frame and iframe, and
/// the URL of a meta refresh; http and https only, absolute, without fragments, each
/// once, in the order of the page.
///
/// `body` is the document as it came, `content_type` the header's value (its charset
/// counts), `base` the URL that the document was fetched from; the document's own first
/// <base href> goes before it. Empty if `may_hold_links` says no. Never throws for what
/// is in the document, however broken.
/// Source: https://html.spec.whatwg.org/multipage/links.html
std::vector<Url> find_links(std::string_view body, std::string_view content_type,
                            const Url& base);

} // namespace common
