// Where a URL waits: for its origin's robots.txt, for its turn at its host, and then for
// a worker.
//
// Each line hands an item on to the next one: robots_line.h, gate.h, and the queue from
// which the workers take. What a host says about our pace is heard here, too: a host that
// has refused too much is asked nothing more, and its items come out with a refusal.
// Pages 18b and 25 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/depth_line.h"
#include "stage3_queue_crawler/crawler/frontier_settings.h"
#include "stage3_queue_crawler/crawler/gate.h"
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/order.h"
#include "stage3_queue_crawler/crawler/parking_lot.h"
#include "stage3_queue_crawler/crawler/queued_item.h"
#include "stage3_queue_crawler/crawler/robots_line.h"
#include "stage3_queue_crawler/crawler/visit.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

class HostLines {
  public:
    using Item = QueuedItem;

    /// `loop` must outlive it, and it must outlive the tasks that wait for it.
    HostLines(EventLoop& loop, FrontierSettings settings, FrontierHelpers helpers);
    HostLines(const HostLines&) = delete;
    HostLines& operator=(const HostLines&) = delete;
    virtual ~HostLines() = default;

    // Some of the frontier's verbs: see frontier.h.
    void answered(const Item& item);
    void refused(const Item& item, EventLoop::Duration wait);
    void busy(const Item& item, EventLoop::Duration wait);
    bool was_hasty(const Item& item) const {
        return item.is_inside && item.has_begun && gate_.was_hasty(host_of(item.url));
    }
    void end_host(const std::string& host, std::string reason);
    void hold(const std::string& host, EventLoop::Duration duration) {
        gate_.hold(host, duration);
    }
    void has_asked(const std::string& host) { gate_.has_asked(host); }

  protected:
    // What a derived class, which keeps the list of URLs, does with one of them.
    /// Puts an item in line, or in line again.
    virtual void admit(Item item) = 0;
    /// It will never be taken out, since `max_pages` have been.
    virtual void drop(const Item& item) = 0;

    /// A worker takes an item: has its purpose changed while it was in line?
    virtual void look_at(Item& item) = 0;

    /// The first lines: for an item that an earlier visit has answered, for one whose
    /// origin has rules (null: none has), and for others.
    DepthLine& remembered() { return remembered_; }
    bool has_robots_line() const { return robots_.has_value(); }
    void enter_robots_line(Item item);
    void enter_gate(Item item);
    /// The last one: the next worker takes it.
    void let_in(Item item);
    void let_in_ended(Item item);

    /// Waits for the next one that a worker of `owner` may fetch, or that carries a
    /// refusal.
    template <class Owner>
    Coroutine<Visit<Owner>> next_visit(Owner& owner, bool is_foreign);
    /// A request to this host goes out. Returns its host's epoch: see Pace.
    Pace::Epoch begin_request(const std::string& host);
    /// A worker has an item of this host no longer.
    struct Leaving {
        bool is_inside;
        bool has_begun;
        bool is_foreign;
    };
    void end_visit(const std::string& host, const Leaving& leaving);
    /// The same, for an item that comes in again.
    void come_in(Item& item);
    /// Parks it, and then admits it again.
    void park(Item item, EventLoop::Duration wait);

    bool has_ended(const Item& item) const {
        return !ended_.empty() && ended_.contains(host_of(item.url));
    }
    bool is_full() const { return taken_ >= settings_.max_pages; }
    bool is_closed() const { return is_closed_ || loop_.closed(); }
    std::size_t out() const { return out_; }
    /// Lets nothing more in.
    void close_lines();

    EventLoop& loop_;
    const FrontierSettings settings_;
    const FrontierHelpers helpers_;

  private:
    struct GoesFirst {
        bool operator()(const Item& item) const { return item.goes_first; }
    };
    struct ShorterUrl {
        bool operator()(const Item& a, const Item& b) const {
            return a.url.href().size() < b.url.href().size();
        }
    };
    using Order = AnyOrder<Item, ShorterUrl, GoesFirst>;
    using ReadyQueue = Queue<Item, Order>;

    void leave_robots_line(Item item, std::optional<Robots::Duration> delay);
    void leave_parking_lot(Item item);
    void pass_gate(Item item, Passage passage);
    void join_foreign_line(Item item);
    void set_out(Item item);
    bool may_leave(Item& item);
    void take(Item& item);
    void drop_what_waits();
    std::vector<Item> take_all();
    void note_parking(Item& item) const;
    void note_enters(const Item& item, TimeAccount::Place place) const;
    void note_leaves(const Item& item, TimeAccount::Place place) const;
    void leave_gate(Item& item);
    void leave_gate(const std::string& host, const Leaving& leaving);

    ReadyQueue queue_;
    ReadyQueue foreign_queue_;
    Gate<Item, Order> gate_;
    std::optional<RobotsLine> robots_;
    ParkingLot<Item> parked_;
    DepthLine remembered_;
    std::map<std::string, std::shared_ptr<const Refusal>> ended_; // by host
    std::deque<Item> foreign_line_; // let in by their hosts, but there are too many
    std::size_t foreign_hosts_ = 0; // being asked
    std::size_t out_ = 0;           // items that workers have
    std::size_t taken_ = 0;         // items taken out so far
    bool is_closed_ = false;
};

// ---- For the account, if one is kept ----

inline void HostLines::note_enters(const Item& item, TimeAccount::Place place) const {
    if (helpers_.account != nullptr && !item.url.is_malformed())
        helpers_.account->enter(item.url, place);
}

inline void HostLines::note_leaves(const Item& item, TimeAccount::Place place) const {
    if (helpers_.account != nullptr && !item.url.is_malformed())
        helpers_.account->leave(item.url, place);
}

template <class Owner>
Coroutine<Visit<Owner>> HostLines::next_visit(Owner& owner, bool is_foreign) {
    ReadyQueue& queue = is_foreign ? foreign_queue_ : queue_;
    while (true) {
        Item item = co_await queue.get();
        queue.task_done(); // the owner counts what is unfinished
        note_leaves(item, TimeAccount::Place::ready);
        if (!may_leave(item))
            continue;
        look_at(item);
        take(item);
        co_return Visit<Owner>(owner, std::move(item));
    }
}

} // namespace stage3
