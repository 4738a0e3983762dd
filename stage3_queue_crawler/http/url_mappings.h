// URLs that are served somewhere else for now.
//
// A site that isn't published yet has its final address in its links, its sitemap and its
// redirects, but its pages are in a folder, or on a test server. A mapping says which
// address is meant, and where to ask instead. All that the crawl keeps and reports has
// the address that is meant. Page 32 of the book.
#pragma once

#include "common/web/url.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

/// What is meant by `from` is served at `to`. Both end with a slash, and have no query.
struct UrlMapping {
    common::Url from;
    common::Url to;
    bool is_folder = false;       ///< `to` is a server of ours, see folder_server.h
    mutable std::size_t used = 0; ///< how many requests it has served
};

/// Use it in one thread, but for `rename`.
class UrlMappings {
  public:
    void add(UrlMapping mapping) { all_.push_back(std::move(mapping)); }
    const std::vector<UrlMapping>& all() const { return all_; }
    bool empty() const { return all_.empty(); }

    /// What to do for a request.
    struct Way {
        const UrlMapping* mapping;
        /// What to request; nothing: see `redirect_to`.
        std::optional<common::Url> to = {};
        /// No server needs to be asked: that's where it leads. Nothing: it's the
        /// robots.txt of a server of which only folders are mapped. That server has it,
        /// if there is one.
        std::optional<common::Url> redirect_to = {};
    };
    /// Nothing if it isn't mapped. The longest `from` counts. A URL that differs from
    /// that only in its scheme, in "www." or in the slash at the end, as "http://h/docs"
    /// does from "https://www.h/docs/", redirects there.
    std::optional<Way> find(const common::Url& url) const;

    /// Replaces a URL that a server at some `to` gave for its own by the one that is
    /// meant. Others stay. May be called in several threads.
    void rename(common::Url& url) const;

  private:
    std::optional<Way> find_other_spelling(const common::Url& url) const;
    std::optional<Way> find_robots_txt(const common::Url& url) const;

    std::vector<UrlMapping> all_;
};

} // namespace stage3
