// A frontier in memory.
//
// A URL waits for its origin's robots.txt (robots_line.h), then for its turn at its host
// (gate.h), then in the queue for a worker. If it must be fetched again, it's parked
// (parking_lot.h), and then goes through all of that again. Page 18b of the book.
#pragma once

#include "stage3_queue_crawler/crawler/fragments.h"
#include "stage3_queue_crawler/crawler/frontier.h"
#include "stage3_queue_crawler/crawler/frontier_settings.h"
#include "stage3_queue_crawler/crawler/gate.h"
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/order.h"
#include "stage3_queue_crawler/crawler/parking_lot.h"
#include "stage3_queue_crawler/crawler/queued_item.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/robots_line.h"
#include "stage3_queue_crawler/crawler/visit.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

class MemoryFrontier {
  public:
    using Item = QueuedItem;

    /// `loop` must outlive it, and it must outlive the tasks that wait for it.
    MemoryFrontier(EventLoop& loop, FrontierSettings settings);
    MemoryFrontier(const MemoryFrontier&) = delete;
    MemoryFrontier& operator=(const MemoryFrontier&) = delete;
    ~MemoryFrontier() = default;

    // The concept's verbs: see frontier.h.
    Coroutine<> open(std::vector<common::Url> roots);
    Coroutine<Visit<MemoryFrontier>> get();
    /// The same, for what is to be checked on foreign servers.
    Coroutine<Visit<MemoryFrontier>> get_foreign();
    void began(Item& item);
    void done(Item item, Record& record, const Found& found);
    void put_off(Item item, EventLoop::Duration wait);
    void give_back(Item item);
    void answered(const Item& item);
    void refused(const Item& item, EventLoop::Duration wait);
    void busy(const Item& item, EventLoop::Duration wait);
    void end_host(const std::string& host, std::string reason);
    void hold(const std::string& host, EventLoop::Duration duration);
    void set_delay(const std::string& host, EventLoop::Duration delay);
    void has_asked(const std::string& host);
    Coroutine<> join(TimeLimit limit);
    Coroutine<> close();
    FrontierCounts counts() const { return counts_; }

    /// Begins at a URL that a sitemap lists, too. It's no root: its record names the
    /// sitemap as where it was found. Call it after `open`.
    void add_listed(const common::Url& url, const common::Url& sitemap);
    /// A record for each fragment that its page has no element for. At the end.
    std::vector<Record> missing_fragments() const;
    /// All URLs that it has met.
    const KnownUrls& urls() const { return urls_; }

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
    /// Where a URL comes from, and why to visit it.
    struct Origin {
        KnownUrl::Number page;
        std::uint32_t depth;
        int redirects_left;
        Purpose purpose = Purpose::follow;
        common::LinkRole role = common::LinkRole::hyperlink;
    };

    void add(KnownUrl& url, const Origin& origin);
    void admit_deferred();
    void admit(Item item);
    void let_in(Item item);
    void enter_foreign(Item item);
    void set_out(Item item);
    Coroutine<Visit<MemoryFrontier>> get_from(ReadyQueue& queue);
    void note_fragments(const Found& found, KnownUrl::Number page);
    void take(Item& item);
    void come_in(Item& item);
    void leave_gate(Item& item);
    bool has_ended(const Item& item) const {
        return !ended_.empty() && ended_.contains(host_of(item.url));
    }
    void let_in_ended(Item item);
    void park(Item item, EventLoop::Duration wait);
    bool is_full() const { return taken_ >= settings_.max_pages; }
    bool drop_if_full(Item& item);
    void drop_what_waits();
    void finish_one(Purpose purpose, std::uint32_t depth);
    /// Only with a limit does it matter how deep a page is.
    bool keeps_levels() const {
        return settings_.max_depth != FrontierSettings::no_limit
               && settings_.needs_no_request;
    }
    void let_in_in_turn(Item item);
    void leave_level(std::uint32_t depth);

    EventLoop& loop_;
    const FrontierSettings settings_;
    KnownUrls urls_;
    ReadyQueue queue_;
    ReadyQueue foreign_queue_;
    Gate<Item, Order> gate_;
    RobotsLine robots_;
    std::map<std::string, std::shared_ptr<const Refusal>> ended_; // by host
    ParkingLot<Item> parked_;
    std::vector<KnownUrl*> deferred_; // to be checked when nothing is left to follow
    std::size_t to_follow_ = 0;       // unfinished
    std::map<std::uint32_t, std::size_t> pages_at_depth_; // to follow, unfinished
    std::map<std::uint32_t, std::vector<Item>> answered_; // that must wait for these
    std::deque<Item> foreign_line_; // let in by their hosts, but there are too many
    std::size_t foreign_hosts_ = 0; // being asked
    Fragments fragments_;
    FrontierCounts counts_;
    Event nothing_left_;
    std::size_t taken_ = 0; // URLs taken out so far
    bool is_closed_ = false;
};
static_assert(Frontier<MemoryFrontier>);

} // namespace stage3
