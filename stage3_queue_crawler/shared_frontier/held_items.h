// What this process holds: URLs that servers have leased to it, until it reports on them.
//
// A lease may end while a worker still has the URL. Then another process gets it, and
// this one may even get it again. So each lease has a ticket here, and a report whose
// ticket is no longer known changes nothing: its lease has ended. Page 29 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/runtime/loop/callback.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/shared_frontier/leased.h"
#include "stage3_queue_crawler/shared_frontier/session_owner.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace stage3 {

using Ticket = std::uint64_t;

/// Item, and the ticket of its lease.
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

class HeldItems {
  public:
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

    Ticket add(HeldItem item);
    /// nullptr: its lease has ended.
    HeldItem* find(Ticket ticket);
    /// It must be held.
    HeldItem& at(Ticket ticket) { return items_.at(ticket); }
    /// A worker takes it.
    void take_out(HeldItem& item);
    /// Its host is being asked for robots.txt. Dropping the item cancels `on_answer`.
    void begin_asking(HeldItem& item, std::unique_ptr<CancelAtExit> on_answer);
    void end_asking(HeldItem& item);
    /// Returns it to its server as if it had never been leased, if the lease still runs.
    void give_back(Ticket ticket);
    /// Returns all of that session's items that are ahead: no worker has them. `host`:
    /// only of this one, if it's not empty.
    void give_back_ahead(const FrontierSession& session, const std::string& host = {});
    /// It must be held; from now on, it isn't.
    void drop(Ticket ticket);
    /// The leases of that session have ended.
    void forget(const FrontierSession& session);

    bool is_empty() const {
        return items_.empty() && home_.expected == 0 && foreign_.expected == 0;
    }
    /// How many the workers have.
    std::size_t out() const { return home_.out + foreign_.out; }
    /// How many are on their way to workers that wait for one.
    std::size_t on_the_way() const;
    /// The same for foreign workers. A host that is being asked for robots.txt counts.
    std::size_t foreign_on_the_way() const {
        return foreign_.expected + foreign_.held - foreign_.out;
    }

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

    std::unordered_map<Ticket, HeldItem> items_;
    Ticket last_ticket_ = 0;
    Counts home_;
    Counts foreign_; // items of foreign hosts
};

} // namespace stage3
