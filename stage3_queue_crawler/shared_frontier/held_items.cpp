#include "stage3_queue_crawler/shared_frontier/held_items.h"

#include "common/web/links.h"
#include "stage3_queue_crawler/shared_frontier/frontier_session.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stage3 {

namespace {

/// Up to this many of a process's URLs may wait for robots.txt without counting as the
/// next ones for its workers.
constexpr std::size_t most_asking = 100;

/// Items that one call may ask for, for workers that wait.
constexpr std::size_t most_at_once = 1000;

/// `from`, without `some` of these if there are so many.
std::size_t less(std::size_t from, std::size_t some) {
    return from - std::min(from, some);
}

} // namespace

Wanted HeldItems::wanted_by(const IdleWorkers& waiting, std::size_t soon) const {
    const std::size_t coming = on_the_way();
    // A foreign host that is being asked for robots.txt counts.
    const std::size_t coming_foreign = foreign_.expected + foreign_.held - foreign_.out;
    return {.now = std::min(less(waiting.home, coming), most_at_once),
            .ahead = less(soon, less(coming, waiting.home)),
            .foreign = less(waiting.foreign, coming_foreign)};
}

/// How many are on their way to workers that wait for one, at home.
std::size_t HeldItems::on_the_way() const {
    return home_.expected + home_.held - home_.out - std::min(home_.asking, most_asking);
}

// ---- The way of an item ----

Ticket HeldItems::add(HeldItem item) {
    ++counts_of(item).held;
    items_.emplace(++last_ticket_, std::move(item));
    return last_ticket_;
}

void HeldItems::let_in(Ticket ticket, std::shared_ptr<const Refusal> refusal) {
    const HeldItem& held = items_.at(ticket);
    LeasedItem item(held.url);
    item.depth = held.lease.depth;
    item.redirects_left = held.lease.redirects_left;
    item.tries = static_cast<std::int16_t>(held.lease.tries);
    item.refusals = static_cast<std::int16_t>(held.lease.refusals);
    item.is_root = held.lease.is_root;
    item.purpose = held.lease.why.purpose;
    item.wants_page = common::leads_on(held.lease.why.role);
    item.ticket = ticket;
    if (refusal)
        item.refusal = std::move(refusal);
    (held.is_foreign() ? ready_foreign_ : ready_).put_nowait(std::move(item));
}

Coroutine<LeasedItem> HeldItems::next() { return next_of(ready_); }

Coroutine<LeasedItem> HeldItems::next_foreign() { return next_of(ready_foreign_); }

Coroutine<LeasedItem> HeldItems::next_of(Queue<LeasedItem>& ready) {
    while (true) {
        LeasedItem item = co_await ready.get();
        HeldItem* const held = find(item.ticket);
        if (held == nullptr)
            continue; // our session had ended: another process has it now
        if (held->session->is_too_old(held->since)) {
            give_back(item.ticket); // we were stopped: another process may have it
            continue;
        }
        held->is_out = true;
        ++counts_of(*held).out;
        if (!item.refusal || item.refusal->failure)
            ++item.tries; // being refused isn't a try
        item.was_tried = true;
        item.begun = running_loop().time();
        co_return item;
    }
}

std::optional<HeldItem> HeldItems::let_go(Ticket ticket) {
    const auto place = items_.find(ticket);
    if (place == items_.end())
        return std::nullopt;
    HeldItem item = std::move(place->second);
    items_.erase(place);
    Counts& counts = counts_of(item);
    --counts.held;
    if (item.is_out)
        --counts.out;
    if (item.on_answer)
        --counts.asking;
    return item;
}

// ---- The rest ----

HeldItem* HeldItems::find(Ticket ticket) {
    const auto item = items_.find(ticket);
    return item == items_.end() ? nullptr : &item->second;
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
    if (const std::optional<HeldItem> item = let_go(ticket))
        item->session->tell({"back", item->lease.url});
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

void HeldItems::forget(const FrontierSession& session) {
    std::vector<Ticket> gone;
    for (const auto& [ticket, item] : items_)
        if (item.session == &session)
            gone.push_back(ticket);
    for (const Ticket ticket : gone)
        let_go(ticket);
}

} // namespace stage3
