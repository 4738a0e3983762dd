// hint: an extra turn
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
    while (!waiting_.contains(turns_.front()))
        turns_.pop_front();
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
