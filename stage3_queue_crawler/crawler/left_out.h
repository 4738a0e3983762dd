// Links in scope that a crawl doesn't follow, because it has to stop somewhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// Links left out for the same reason.
struct LeftOut {
    std::string why;     ///< "too long for URLs"
    std::string example; ///< the first of them, or the page that it's on
    std::size_t links;   ///< how many; a link on two pages counts twice
};

/// Counts `links` more of a kind. True if they are the first.
inline bool count_left_out(std::vector<LeftOut>& kinds, std::string_view why,
                           std::size_t links, std::string_view example) {
    for (LeftOut& kind : kinds) {
        if (kind.why == why) {
            kind.links += links;
            return false;
        }
    }
    kinds.push_back({std::string(why), std::string(example), links});
    return true;
}

} // namespace stage3
