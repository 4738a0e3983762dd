// A line of hosts, and for each host a line of pages.
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
    const std::string host = std::move(turns_.front());
    turns_.pop_front();
    std::deque<Entry>& pages = waiting_[host];
    Entry one = std::move(pages.front());
    pages.pop_front();
    --size_;
    if (pages.empty())
        waiting_.erase(host);
    else
        turns_.push_back(host);
    return one;
}

void ByHost::unpop(Entry one) {
    const std::string host = one.item.host;
    std::erase(turns_, host); // it is there, unless this was its last page
    turns_.push_front(host);
    stage3::detail::put_back(waiting_[host], std::move(one));
    ++size_;
}

/// Given: takes the page out, and the host, too, if it was its only page.
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
