// What a crawl doesn't follow or check, though it's in scope, because it has to stop
// somewhere.
#pragma once

#include <fmt/core.h>

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

/// "3 links too long for URLs", or "1 link too long for URLs". `what` begins with what is
/// counted, in the plural.
inline std::string counted_kind(std::size_t number, std::string_view what) {
    const auto end = what.find_first_of(" ,");
    std::string_view first = what.substr(0, end);
    const std::string_view rest = what.substr(std::min(what.size(), first.size()));
    if (number == 1 && first == "entries")
        first = "entry";
    else if (number == 1 && first.ends_with('s'))
        first.remove_suffix(1);
    constexpr std::string_view are = " are ";
    std::string text = fmt::format("{} {}", number, first);
    if (const auto verb = rest.find(are);
        number == 1 && verb < rest.find(',') && verb != std::string_view::npos)
        return fmt::format("{}{} is {}", text, rest.substr(0, verb),
                           rest.substr(verb + are.size()));
    return text.append(rest);
}

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
