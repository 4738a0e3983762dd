// A web site computed from numbers: no files, and every page is known beforehand.
//
// A crawler can be tested only on a site whose contents are known. This one is computed,
// and the same options always give the same pages, links, dead links and redirects. It
// can also say what a correct crawler must find: the manifest.
//
//     /            the first page, number 0
//     /p/17        page 19
//     /old/27      an address that page 27 once had: redirects to it
//     /older/7     one that page 7 had before that: redirects to /old/7
//     /missing/2   nothing there
//
// Pages form a tree, so that each can be reached from the first; the remaining links of a
// page lead anywhere.
#pragma once

#include "tests/practice_site/http.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace practice_site {

struct SiteOptions {
    std::size_t pages = 100; ///< at least 1
    std::size_t links = 10;  ///< on every page; at least 1, and then the site is a chain
    std::size_t size = 4096; ///< of a page in bytes, exactly, unless it needs more
    std::uint64_t seed = 1;  ///< another seed, another site
};

/// What a correct crawler meets if it starts at the first page, follows links and
/// redirects, and stays on this server. All URLs are absolute.
struct Manifest {
    std::set<std::string> pages;
    std::map<std::string, std::string> redirects; ///< URL, and where it leads
    std::set<std::string> dead;
    std::size_t depth = 0; ///< steps to the farthest of all these; a redirect is a step
};

class Site {
  public:
    /// Throws std::invalid_argument if an option is out of range.
    explicit Site(const SiteOptions& options);

    /// The handler for a server. The same options and the same request give the same
    /// bytes; the origin counts, since some links are absolute.
    Answer answer(const Request& request) const;

    /// Walks the whole site to find what can be reached. `origin` as in Request.
    Manifest manifest(std::string_view origin) const;

  private:
    /// What is at a path. `number` identifies a page or its old address.
    enum class Kind : std::uint8_t { page, old, older, missing };
    struct Place {
        Kind kind = Kind::missing;
        std::size_t number = 0;
    };
    struct Link {
        std::string path; ///< where it leads on this server; empty: nowhere
        std::string href;
        std::string text;
    };
    using Random = std::mt19937_64; // the same numbers from every compiler

    Place find(std::string_view path) const;
    Random random_for(std::size_t page) const;
    std::vector<Link> links(std::size_t page, std::string_view origin,
                            Random& random) const;
    Link random_link(std::size_t page, std::string_view origin, Random& random) const;
    std::vector<std::string> visit(std::string_view path, std::string_view origin,
                                   Manifest& found) const;
    std::string page_text(std::size_t page, std::string_view origin) const;

    SiteOptions options_;
    std::size_t children_;      // of a page in the tree
    std::size_t missing_pages_; // how many dead URLs there are
};

/// The manifest as `practice_site --manifest` prints it: sorted lines
/// `page<TAB>URL`, `redirect<TAB>URL<TAB>TARGET`, `dead<TAB>URL`; then the line `end`.
std::string to_text(const Manifest& manifest);

} // namespace practice_site
