// Which links are in a document?
//
// HTML is read by our own scanner (html_scanner.h), XML by libxml2. Both hand over tags,
// and this file decides which of them are links, and where they lead. Page 27 of the
// book.
#pragma once

#include "common/web/fragments.h"
#include "common/web/link_role.h"
#include "common/web/places_on_page.h"
#include "common/web/url.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// True for the types of document that `find_links` reads: HTML, XHTML, XML, SVG, and
/// feeds.
/// `content_type` is a Content-Type header's value; parameters after ";" don't matter.
/// If the server sent none, a body that begins with "<" is taken for HTML.
bool may_hold_links(std::string_view content_type, std::string_view body);

/// True for text/css.
bool is_style_sheet(std::string_view content_type);

/// The limits of `find_links`, which a hostile page will run into, and what it looks for.
struct LinkLimits {
    std::size_t links = 10'000; ///< different URLs on a page
    /// Places in other pages, or in this one, that the links point to. An index of a
    /// large program has a hundred thousand.
    std::size_t fragments = 200'000;
    std::size_t ids_of_page = 1'000'000; ///< only pages made to fill memory have more
    std::size_t bytes = std::size_t{4} * 1024 * 1024; ///< of the URLs
    /// Which links count at all; the others are ignored.
    std::function<bool(const Url&)> wanted = [](const Url&) { return true; };
    /// Which of the others to report all the same. If it isn't set: none.
    std::function<bool(const Url&)> foreign = {};
    /// Which places in pages not to look for, though their pages are wanted. Not set:
    /// none.
    std::function<bool(const Url&, std::string_view fragment)> excludes_place = {};
    /// Called with each URL first: may change it to the one that the crawl knows it by.
    /// Not set: nothing has two names.
    std::function<void(Url&)> rename = {};
    /// Of how many references to say where they are written. A browser's user sees fewer
    /// on any page.
    std::size_t places = 0;
    bool assets = false;    ///< also what a page needs or names besides: see LinkRole
    bool ids = false;       ///< also the ids, and the fragments of links
    bool malformed = false; ///< also links that aren't URLs: see malformed_url.h
};

/// A URL that is not a link to follow.
struct OtherLink {
    Url url;
    LinkRole role;
    bool is_wanted; ///< by LinkLimits::wanted; else it's foreign, or malformed
};

/// The links of a document.
struct Links {
    std::vector<Url> urls;           ///< each once, in the order of the page
    std::size_t left_out = 0;        ///< URLs beyond a limit, each once
    std::size_t too_long = 0;        ///< links longer than `max_url_length`
    std::size_t places_left_out = 0; ///< places beyond a limit, each once
    bool has_more_ids = false;       ///< than the limit, so `ids` doesn't have all
    std::size_t unreadable = 0;      ///< other links that are no http or https URL
    std::vector<OtherLink> others;   ///< each once
    /// Where a meta refresh leads, if LinkLimits::wanted doesn't want that.
    std::optional<Url> refreshes_to = {};
    IdSet ids;
    /// Those that need an element there, of the links above. Those that point into the
    /// document itself are left out if it has one.
    LinkFragments fragments;
    /// Of references to all of these URLs; nothing if no one wants them.
    std::optional<PlacesOnPage> places = {};
};

/// Finds the links of a document: `href` of a and area, `src` of frame and iframe, the
/// URL of a meta refresh, and the links of a feed; http and https only, absolute, without
/// fragments, each once, in the order of the page, those last that have a base of their
/// own. The limits can ask for more, also from style sheets.
///
/// `body` is the document as it came, `content_type` the header's value (its charset
/// counts), `base` the URL that the document was fetched from; the document's own first
/// <base href> overrides it, wherever it is. Empty if `may_hold_links` says no.
/// Never throws because of the document, however broken it is, and takes time in
/// proportion to its length.
/// Source: https://html.spec.whatwg.org/multipage/links.html
Links find_links(std::string_view body, std::string_view content_type, const Url& base,
                 const LinkLimits& limits = {});

} // namespace common
