// Sites that never end.
//
// Each day of a calendar has a link to the next. A page that sorts its list by this and
// by that has a URL for each way to do so. A link "a/" on a page that is served for every
// path leads to a/, a/a/, a/a/a/. A session's id in each link makes a new site of each
// page. Whoever follows all of that is never done, and most of it's nobody's intention.
//
// Nobody can tell a trap from a large site for sure. So there are limits that hardly any
// site comes near, options to change them, and a report that says what was left out. Page
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
    /// What is deeper than that isn't followed anyway: the user wants it so.
    std::size_t wanted_depth = std::numeric_limits<std::size_t>::max();
    std::size_t path_depth = 20; ///< slashes in a path: "/a/b/c" has three
    std::size_t repeats = 3;     ///< of one part in one path
    /// URLs that differ only behind their path, or in parts of it that look like ids.
    std::size_t queries = 10'000;
};

/// `limits`, and what a root itself has: nobody who names something deep is in a trap.
TrapLimits allow_roots(TrapLimits limits, const std::vector<common::Url>& roots);

class Traps {
  public:
    explicit Traps(const TrapLimits& limits);

    /// Why a link should not be followed, in words that go on after "links ..."; nothing
    /// if it may be. `depth`: how many links away from a root it is. Ask it of each link
    /// that is met, also again.
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
    std::unordered_set<std::size_t> counted_;            // there: hashes of URLs
    std::vector<std::string_view> parts_;                // of the path that is looked at
};

} // namespace stage3
