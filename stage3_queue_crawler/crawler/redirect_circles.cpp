#include "stage3_queue_crawler/crawler/redirect_circles.h"

namespace stage3 {

// [closes]
bool RedirectCircles::closes(const common::Url& from, const common::Url& to) {
    if (end_of_way(to) == from)
        return true;
    ways_.try_emplace(from, to); // fetched twice in a shared crawl? The first time counts
    return false;
}
// [/closes]

// [end-of-way]
/// Where the known redirects lead from `from`, followed to the end.
const common::Url& RedirectCircles::end_of_way(const common::Url& from) {
    const common::Url* here = &from;
    for (auto way = ways_.find(*here); way != ways_.end(); way = ways_.find(*here)) {
        // Halves the way for the next time: each now leads to the one after the next.
        if (const auto next = ways_.find(way->second); next != ways_.end())
            way->second = next->second;
        here = &way->second;
    }
    return *here;
}
// [/end-of-way]

} // namespace stage3
