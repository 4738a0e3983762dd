#include "stage3_queue_crawler/crawler/fragments.h"

#include <algorithm>
#include <string_view>

namespace stage3 {

void Fragments::read(Number page, common::IdHashes ids) {
    ids.shrink_to_fit();
    const auto& known = ids_.insert_or_assign(page, std::move(ids)).first->second;
    const auto open = open_.find(page);
    if (open == open_.end())
        return;
    std::erase_if(open->second, [&](const auto& one) {
        return common::is_indicated(one.second.fragment, known);
    });
    if (open->second.empty())
        open_.erase(open);
}

void Fragments::point(Number source, Number target, const std::string& fragment) {
    const auto ids = ids_.find(target);
    if (ids != ids_.end() && common::is_indicated(fragment, ids->second))
        return;
    Pointers& pointers = open_[target][common::hash_of_id(fragment)];
    if (pointers.times == 0)
        pointers.fragment = fragment;
    if (pointers.from.size() < most_pages)
        pointers.from.push_back(source);
    ++pointers.times;
}

std::vector<Fragments::Missing> Fragments::missing() const {
    std::vector<Missing> all;
    for (const auto& [page, open] : open_) {
        auto end = page; // of its redirects, unless they form a circle
        for (std::size_t hops = 0; hops < redirects_.size(); ++hops) {
            const auto next = redirects_.find(end);
            if (next == redirects_.end())
                break;
            end = next->second;
        }
        const auto ids = ids_.find(end);
        if (ids == ids_.end())
            continue;
        for (const auto& [hash, pointers] : open)
            if (!common::is_indicated(pointers.fragment, ids->second))
                all.push_back({.page = page,
                               .fragment = pointers.fragment,
                               .pointed_from = pointers.from,
                               .times = pointers.times});
    }
    std::ranges::sort(all, {}, [](const Missing& one) {
        return std::pair(one.page, std::string_view(one.fragment));
    });
    return all;
}

} // namespace stage3
