// What a crawl doesn't follow or check, though it's in scope, because it has to stop
// somewhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// Links left out for the same reason.
struct LeftOut {
    std::string why;       ///< "links too long for URLs"
    std::string example;   ///< the first of them; empty if there is a page
    std::size_t links;     ///< how many; a link on two pages counts twice
    std::string page = {}; ///< the one that they are all on; empty: there may be several
};

/// Counts `links` more of a kind. True if they are the first.
inline bool count_left_out(std::vector<LeftOut>& kinds, std::string_view why,
                           std::size_t links, std::string_view example) {
    for (LeftOut& kind : kinds) {
        if (kind.why == why && kind.page.empty()) {
            kind.links += links;
            return false;
        }
    }
    kinds.push_back({std::string(why), std::string(example), links});
    return true;
}

/// The same for a limit that each page has: its page is named, unless there are many.
inline void count_left_out_on(std::vector<LeftOut>& kinds, std::string_view why,
                              std::size_t links, std::string_view page) {
    constexpr std::ptrdiff_t most_pages = 100;
    if (std::ranges::count(kinds, why, &LeftOut::why) < most_pages)
        kinds.push_back({std::string(why), {}, links, std::string(page)});
    else
        count_left_out(kinds, why, links, "on " + std::string(page));
}

} // namespace stage3
