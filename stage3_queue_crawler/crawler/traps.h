// Sites that never end.
//
// Each day of a calendar links to the next. A list that can be sorted in several ways has
// a URL for each of them. A link "a/" on a page that is served for every path leads to
// a/, a/a/, a/a/a/. A session's id in each link turns each page into a new site. A
// crawler that follows all of that never finishes, and most of it was never intended.
//
// No one can reliably tell a trap from a large site. So there are limits that hardly any
// site comes near, options to change them, and a report of what was left out. Page
// F of the book.
#pragma once

#include "common/web/url.h"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace stage3 {

struct TrapLimits {
    std::size_t depth = 10'000; ///< links away from a root
    /// Deeper links aren't followed anyway, because the user asked for that.
    std::size_t wanted_depth = std::numeric_limits<std::size_t>::max();
    std::size_t path_depth = 20; ///< slashes in a path: "/a/b/c" has three
    std::size_t repeats = 3;     ///< of one part in one path
    /// URLs that differ only after their path, or in parts of it that look like ids.
    std::size_t queries = 10'000;
};

/// `limits`, raised by what the roots have: a deep URL that the user names is no trap.
TrapLimits allow_roots(TrapLimits limits, const std::vector<common::Url>& roots);

class Traps {
  public:
    explicit Traps(const TrapLimits& limits);

    /// Why a link should not be followed, in words that continue "links ..."; empty if it
    /// may be. `depth`: how many links away from a root it is. Call it for every link
    /// that is met, even if it was met before.
    std::string_view why_not(const common::Url& link, std::size_t depth);

  private:
    bool is_one_too_many(const common::Url& link, std::string_view path,
                         std::string_view page);

    const TrapLimits limits_;
    const std::string too_far_;
    const std::string too_deep_;
    const std::string repeats_;
    const std::string too_many_;
    std::unordered_map<std::string, std::size_t> alike_; // how many, so far
    std::unordered_set<std::size_t> counted_;            // in `alike_`: hashes of URLs
    std::vector<std::string_view> parts_;                // of the path being checked
};

} // namespace stage3
