#include "stage3_queue_crawler/shared_frontier/held_items.h"

#include "stage3_queue_crawler/shared_frontier/frontier_session.h"

#include <algorithm>
#include <utility>

namespace stage3 {

namespace {

/// Up to this many of a process's URLs may wait for robots.txt without counting as the
/// next ones for its workers.
constexpr std::size_t most_asking = 100;

} // namespace

Ticket HeldItems::add(HeldItem item) {
    ++counts_of(item).held;
    items_.emplace(++last_ticket_, std::move(item));
    return last_ticket_;
}

HeldItem* HeldItems::find(Ticket ticket) {
    const auto item = items_.find(ticket);
    return item == items_.end() ? nullptr : &item->second;
}

void HeldItems::take_out(HeldItem& item) {
    item.is_out = true;
    ++counts_of(item).out;
}

void HeldItems::begin_asking(HeldItem& item, std::unique_ptr<CancelAtExit> on_answer) {
    item.on_answer = std::move(on_answer);
    ++counts_of(item).asking;
}

void HeldItems::end_asking(HeldItem& item) {
    item.on_answer.reset();
    --counts_of(item).asking;
}

void HeldItems::give_back(Ticket ticket) {
    const HeldItem* const item = find(ticket);
    if (item == nullptr)
        return;
    item->session->tell({"back", item->lease.url});
    drop(ticket);
}

void HeldItems::give_back_ahead(const FrontierSession& session, const std::string& host) {
    std::vector<Ticket> ahead;
    for (const auto& [ticket, item] : items_)
        if (item.session == &session && !item.is_out && !item.on_answer
            && (host.empty() || item.lease.host == host))
            ahead.push_back(ticket);
    for (const Ticket ticket : ahead)
        give_back(ticket);
}

void HeldItems::drop(Ticket ticket) {
    const auto item = items_.find(ticket);
    Counts& counts = counts_of(item->second);
    --counts.held;
    if (item->second.is_out)
        --counts.out;
    if (item->second.on_answer)
        --counts.asking;
    items_.erase(item);
}

void HeldItems::forget(const FrontierSession& session) {
    std::vector<Ticket> gone;
    for (const auto& [ticket, item] : items_)
        if (item.session == &session)
            gone.push_back(ticket);
    for (const Ticket ticket : gone)
        drop(ticket);
}

std::size_t HeldItems::on_the_way() const {
    return home_.expected + home_.held - home_.out - std::min(home_.asking, most_asking);
}

} // namespace stage3
