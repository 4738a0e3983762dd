// Links that aren't URLs: "http://a b/", "http://host:99999/", "http://".
//
// Such a link can't be requested, so a crawler could ignore it. But a reader who follows
// it gets nowhere, and the page's author wants to know. So it can be listed among the
// links of a page, as a malformed Url, whose text is what was written. Page 27 of the
// book.
#pragma once

#include "common/web/url.h"

#include <optional>
#include <string>
#include <string_view>

namespace common {

/// For a reference that `resolve_url` can't resolve: what was written, as a malformed
/// Url. Blanks around it and its fragment are left out, a login becomes "***", and what
/// isn't printable ASCII is percent-encoded. Nothing if it wasn't meant to be crawled
/// ("mailto:a@b"), or if only its length is wrong. "htpp://a/" was meant to be crawled:
/// its scheme is one letter away.
std::optional<Url> malformed_url(std::string_view reference);

/// Reads what `Url::href` has given, also if the URL is malformed. Nothing if it's
/// neither.
std::optional<Url> read_href(std::string_view href);

/// What is wrong with a malformed URL.
struct Malformation {
    std::string text;     ///< in words
    bool is_sure = false; ///< false: some other program may know what to do with it
};
Malformation explain(const Url& malformed);

} // namespace common
