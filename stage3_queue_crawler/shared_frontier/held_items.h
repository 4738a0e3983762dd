// What this process holds: URLs that servers have leased to it, until it reports on them.
// First it's known whether they may be fetched (shared_rules.h), then they wait for a
// worker, and then one has them.
//
// A lease may end while a worker still has the URL. Then another process gets it, and
// this one may even get it again. So each lease has a ticket here, and a report whose
// ticket is no longer known changes nothing: its lease has ended. Page 29 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/runtime/loop/callback.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/shared_frontier/leased.h"
#include "stage3_queue_crawler/shared_frontier/session_owner.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace stage3 {

using Ticket = std::uint64_t;

/// An item, and the ticket of its lease.
struct LeasedItem : Item {
    using Item::Item;

    Ticket ticket = 0;
};

/// A URL that is leased to this process.
struct HeldItem {
    FrontierSession* session; ///< reports on it go there
    common::Url url;
    Leased lease;
    EventLoop::TimePoint since;
    bool is_out = false;       ///< a worker has it
    bool was_answered = false; ///< by its host, since then

    bool is_foreign() const { return lease.is_foreign(); }
    /// Set while its host is being asked for robots.txt: this call waits for the answer.
    std::unique_ptr<CancelAtExit> on_answer = {};
};

/// Workers that wait for an item: how many.
struct IdleWorkers {
    std::size_t home = 0;
    std::size_t foreign = 0; ///< for one on a foreign host
};

class HeldItems {
  public:
    /// How many more items those workers could take, and how many of the `soon` that they
    /// need next aren't here or on their way.
    Wanted wanted_by(const IdleWorkers& waiting, std::size_t soon) const;
    /// These were asked for.
    void expect(const Wanted& wanted) {
        home_.expected += wanted.at_home();
        foreign_.expected += wanted.foreign;
    }
    /// The answer about them is here; what came with it is added next.
    void expect_no_more(const Wanted& wanted) {
        home_.expected -= wanted.at_home();
        foreign_.expected -= wanted.foreign;
    }

    // The way of an item: from a server, past the rules of its host, to a worker.
    /// It's held, but isn't for a worker yet.
    Ticket add(HeldItem item);
    /// The next worker that asks gets it. `refusal`: why it must not be fetched; nullptr:
    /// it may. It must be held.
    void let_in(Ticket ticket, std::shared_ptr<const Refusal> refusal);
    /// Both at once.
    void add_ready(HeldItem item, std::shared_ptr<const Refusal> refusal) {
        let_in(add(std::move(item)), std::move(refusal));
    }
    /// Waits for an item that a worker may have, and that is still ours: it's out, and
    /// has one more try.
    Coroutine<LeasedItem> next();
    /// The same, on a foreign host.
    Coroutine<LeasedItem> next_foreign();
    /// From now on, it isn't held. Returns what was; nothing if its lease has ended.
    std::optional<HeldItem> let_go(Ticket ticket);

    /// nullptr: its lease has ended.
    HeldItem* find(Ticket ticket);
    /// It must be held.
    HeldItem& at(Ticket ticket) { return items_.at(ticket); }
    /// Its host is being asked for robots.txt. Dropping the item cancels `on_answer`.
    void begin_asking(HeldItem& item, std::unique_ptr<CancelAtExit> on_answer);
    void end_asking(HeldItem& item);
    /// Returns it to its server as if it had never been leased, if the lease still runs.
    void give_back(Ticket ticket);
    /// Returns all of that session's items that are ahead: no worker has them. `host`:
    /// only of this one, if it's not empty.
    void give_back_ahead(const FrontierSession& session, const std::string& host = {});
    /// The leases of that session have ended.
    void forget(const FrontierSession& session);

    bool is_empty() const {
        return items_.empty() && home_.expected == 0 && foreign_.expected == 0;
    }
    /// How many the workers have.
    std::size_t out() const { return home_.out + foreign_.out; }

  private:
    struct Counts {
        std::size_t held = 0;
        std::size_t out = 0;      // of these, with a worker
        std::size_t asking = 0;   // of these, waiting for robots.txt
        std::size_t expected = 0; // not yet among these
    };
    Counts& counts_of(const HeldItem& item) {
        return item.is_foreign() ? foreign_ : home_;
    }
    std::size_t on_the_way() const;
    Coroutine<LeasedItem> next_of(Queue<LeasedItem>& ready);

    std::unordered_map<Ticket, HeldItem> items_;
    Ticket last_ticket_ = 0;
    Queue<LeasedItem> ready_; // of what is held: for the next worker
    Queue<LeasedItem> ready_foreign_;
    Counts home_;
    Counts foreign_; // items of foreign hosts
};

} // namespace stage3
