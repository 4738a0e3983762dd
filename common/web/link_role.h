// In which role does a document refer to a URL?
//
// A reader clicks on links; the rest is for the browser, or for programs. What is dead is
// bad in any role, but only links lead to further pages. Page 27 of the book.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace common {

/// How a document refers to a URL.
enum class LinkRole : std::uint8_t {
    // A reader goes there.
    hyperlink, ///< a, area, a feed's link, guid and comments
    frame,     ///< frame, iframe
    refresh,   ///< meta refresh
    // A browser fetches it for the page, or a program asks for it.
    style_sheet, ///< link rel=stylesheet, and a style sheet's @import
    css,         ///< url() in a style sheet
    form,        ///< a form's action, with GET
    image,       ///< img, picture, an input's image, a video's poster, SVG's image
    media,       ///< video, audio, source, track, a feed's enclosure
    object,      ///< object, embed, an Atom entry's content
    relation,    ///< other links: icon, preload, manifest, alternate, canonical, ...
    script,
    // It isn't in a document of these.
    sitemap,
    // Added later: programs have written the numbers of those above down.
    use, ///< SVG's use, gradients and so on: an element of another file
};
constexpr std::size_t link_roles = static_cast<std::size_t>(LinkRole::use) + 1;

/// "a", "frame", "refresh", "stylesheet", "css", "form", "img" and so on.
std::string_view name_of(LinkRole role);

/// True for what a crawl follows to find more pages.
constexpr bool leads_on(LinkRole role) { return role <= LinkRole::refresh; }

} // namespace common
