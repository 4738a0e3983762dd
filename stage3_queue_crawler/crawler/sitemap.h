// A sitemap: the pages that a site's owner wants found.
//
// It lists URLs, or, if it's an index, other sitemaps. It's XML, or text with one URL per
// line, and may be packed with gzip. The protocol limits its size, which a hostile one
// will exceed; what is beyond the limits isn't read.
//
// This is bytes in, URLs out: the caller fetches it. Page 32 of the book.
// Source: https://www.sitemaps.org/protocol.html
#pragma once

#include "common/web/url.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

struct SitemapLimits {
    std::size_t urls = 50'000;                         ///< in one of them
    std::size_t bytes = std::size_t{50} * 1024 * 1024; ///< of one of them, unpacked
    std::size_t sitemaps = 50'000;                     ///< to be fetched
    std::size_t total_urls = 1'000'000;                ///< in all of them
    std::size_t total_bytes = std::size_t{128} * 1024 * 1024; ///< of these URLs
};

/// Which sitemaps to read.
struct SitemapChoice {
    bool of_roots = false; ///< those that each root's robots.txt names
    std::vector<common::Url> urls;
    SitemapLimits limits;

    bool is_none() const { return !of_roots && urls.empty(); }
};

struct Sitemap {
    bool is_one = false;           ///< and nothing else, such as a page of HTML
    bool is_index = false;         ///< then the URLs are those of sitemaps
    std::vector<common::Url> urls; ///< in its order; perhaps some more than once
    std::size_t left_out = 0;      ///< entries beyond SitemapLimits::urls
    std::size_t unreadable = 0;    ///< entries that are no http or https URL
    bool is_cut_off = false;       ///< at SitemapLimits::bytes
    std::string error; ///< why it can't be read, or not to its end; empty if it can
};

/// A URL that a sitemap lists, and that is in scope.
struct ListedUrl {
    common::Url url;
    common::Url sitemap; ///< the first one that lists it
};

/// Reads a sitemap that came from `url`. Never throws because of its contents, and takes
/// time in proportion to their length.
Sitemap read_sitemap(std::string_view body, const common::Url& url,
                     const SitemapLimits& limits = {});

} // namespace stage3
