// hint: how many pages a host has must not matter
#include "exercise.h"

#include <utility>

void ByHost::push(Entry one) {
    std::deque<Entry>& pages = waiting_[one.item.host];
    if (pages.empty())
        turns_.push_back(one.item.host);
    pages.push_back(std::move(one));
    ++size_;
}

Entry ByHost::pop() {
    auto next = waiting_.begin(); // who has the fewest pages
    for (auto it = waiting_.begin(); it != waiting_.end(); ++it)
        if (it->second.size() < next->second.size())
            next = it;
    Entry one = std::move(next->second.front());
    next->second.pop_front();
    --size_;
    if (next->second.empty()) {
        std::erase(turns_, next->first);
        waiting_.erase(next);
    }
    return one;
}

void ByHost::unpop(Entry one) {
    const std::string host = one.item.host;
    std::erase(turns_, host); // it stands there, unless this was its last page
    turns_.push_front(host);
    stage3::detail::put_back(waiting_[host], std::move(one));
    ++size_;
}

/// Ready made: takes it out, and the host, too, if it was its only page.
bool ByHost::unpush(std::uint64_t number) {
    for (auto& [host, pages] : waiting_) {
        if (!stage3::detail::take_out(pages, number))
            continue;
        --size_;
        if (pages.empty()) {
            std::erase(turns_, host);
            waiting_.erase(host);
        }
        return true;
    }
    return false;
}
