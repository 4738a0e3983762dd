// Where do the references of a page lead, and which of those places does the crawl want?
//
// A page refers to the same few URLs again and again, and a hostile one to a million. So
// each text is looked up before it's resolved, and everything that a page can make long
// has a limit. All references are sorted at once, because the page's base may come last.
// Page 27 of the book.
#pragma once

#include "common/web/fragments.h"
#include "common/web/links.h"
#include "common/web/reference_places.h"
#include "common/web/url.h"

#include <cstddef>
#include <string>
#include <vector>

namespace common {

/// References as they are written, in one text, one behind the other.
struct References {
    struct One {
        std::size_t end; // in `text`; it begins where the one before ends
        LinkRole role;
    };
    std::string text = {};
    std::vector<One> list = {};
    std::vector<WrittenAt> places = {}; ///< of each; empty if no one wants them
};

/// References that are resolved against one URL.
struct ReferencesFrom {
    const References& references;
    Url base;
};

/// Sorts references of `page`, whose ids are `ids`, by what they lead to. The first of
/// the `parts` is the page itself.
Links sort_references(const std::vector<ReferencesFrom>& parts, const Url& page,
                      const LinkLimits& limits, IdSet ids, const ReferencePlaces& places);

} // namespace common
