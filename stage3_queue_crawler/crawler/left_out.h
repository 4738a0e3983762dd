// Links in scope that a crawl doesn't follow, since somebody has to stop somewhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// Those of one kind.
struct LeftOut {
    std::string why;     ///< "too long for URLs"
    std::string example; ///< the first of them, or where it stands
    std::size_t links;   ///< how many, counted on each page
};

/// Counts some more of a kind. True if they are the first.
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
