// Politeness: how many requests a host gets at once, and how fast.
//
// A crawler with a hundred workers is an attack on a small server. So each host has a
// gate, which comes *before* the queue that the workers take from: a URL that may not be
// fetched yet waits in its host's line, out of the workers' way. Page 25
// of the book.
//
// Here a host is a name (or address) and a port, which is what we take for one server.
#pragma once

#include "stage3_queue_crawler/crawler/guest_pace.h"
#include "stage3_queue_crawler/crawler/pace.h"
#include "stage3_queue_crawler/crawler/time_account.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/sync/queue_orders.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stage3 {

struct GateLimits {
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

    std::size_t max_per_host = unlimited; ///< at once
    EventLoop::Duration delay{}; ///< at least, from the start of one to that of the next
};

/// How an item came through its host's gate.
enum class Passage : std::uint8_t { at_once, from_line };

/// `Line` decides the order in which a host's items are let in (see queue_orders.h).
template <class Item, class Line = Fifo<Item>>
class Gate {
  public:
    /// `let_in` is called with each item when its turn comes. From then until `leave` is
    /// called for it, the item counts toward its host's limit. It should begin soon.
    /// `account` is told what keeps the lines from moving, unless it's null.
    Gate(EventLoop& loop, GateLimits limits, Line empty_line,
         std::function<void(Item, Passage)> let_in, TimeAccount* account = nullptr)
        : loop_(loop), limits_(limits), empty_line_(std::move(empty_line)),
          let_in_(std::move(let_in)), account_(account) {}

    /// An item arrives at the host's gate. It may be let in at once.
    void enter(const std::string& name, Item item) {
        Host& host = hosts_[name];
        if (!host.line && has_room(host) && loop_.time() >= host.next_start) {
            let_in(host, std::move(item), Passage::at_once);
            return;
        }
        if (!host.line)
            host.line = std::make_unique<Line>(empty_line_);
        host.line->push({std::move(item), next_number_++});
        ++waiting_;
        let_next_in(name, host);
        tell_account(name, host);
    }

    /// May an item that was let in still begin? Its host may have been held since, or may
    /// have fewer at once.
    bool may_begin(const std::string& name) const {
        const Host& host = hosts_.at(name);
        return loop_.time() >= host.next_start
               && host.inside - host.to_begin < most_inside(host);
    }

    // [begin]
    /// The request of an item that was let in is on its way.
    void begin(const std::string& name) {
        Host& host = hosts_.at(name);
        --host.to_begin;
        host.pace.begin(loop_.time());
        if (host.guest)
            host.guest->begin(loop_.time());
        keep_distance(host);
        let_next_in(name, host);
        tell_account(name, host);
    }
    // [/begin]

    /// An item that was let in has left: its request has ended, or never `began`.
    void leave(const std::string& name, bool began) {
        Host& host = hosts_.at(name);
        --host.inside;
        if (!began)
            --host.to_begin;
        else
            rest(host);
        let_next_in(name, host);
        tell_account(name, host);
    }

    /// The host got a request for something that doesn't pass through the gate.
    void has_asked(const std::string& name) {
        Host& host = hosts_[name];
        keep_distance(host);
        if (host.guest)
            hold(host, host.guest->pause(), Limit::foreign_pause);
        tell_account(name, host);
    }

    // ---- The pace that it puts up with: see pace.h ----

    /// To be kept with an item that begins, for `refused`.
    Pace::Epoch epoch(const std::string& name) const {
        return hosts_.at(name).pace.epoch();
    }
    /// The host has refused a request that was sent in `epoch`.
    void refused(const std::string& name, Pace::Epoch epoch) {
        Host& host = hosts_.at(name);
        host.pace.refused(epoch, loop_.time());
        tell_account(name, host);
    }
    /// The same, but it may be broken.
    void busy(const std::string& name, Pace::Epoch epoch) {
        Host& host = hosts_.at(name);
        host.pace.busy(epoch);
        tell_account(name, host);
    }
    /// The host has given an answer.
    void answered(const std::string& name) {
        Host& host = hosts_.at(name);
        host.pace.answered(host.line != nullptr);
        if (host.guest)
            host.guest->answered(loop_.time());
        let_next_in(name, host);
        tell_account(name, host);
    }
    /// True if a request of an item that is inside may have come too soon for its host:
    /// see GuestPace.
    bool was_hasty(const std::string& name) const {
        const Host& host = hosts_.at(name);
        return host.guest && host.guest->was_hasty();
    }
    /// For how long the host has said nothing but that it refuses.
    EventLoop::Duration refused_for(const std::string& name) const {
        return hosts_.at(name).pace.refused_for(loop_.time());
    }

    /// No request to this host may begin for `duration`.
    void hold(const std::string& name, EventLoop::Duration duration) {
        Host& host = hosts_[name];
        hold(host, duration, Limit::refusals);
        tell_account(name, host);
    }

    /// This host gets one request at a time, with at least `delay` from the start of one
    /// to that of the next; nothing: with the pauses of a GuestPace.
    void treat_gently(const std::string& name, std::optional<EventLoop::Duration> delay) {
        Host& host = hosts_[name];
        host.most = 1;
        if (delay)
            host.least_delay = *delay;
        else if (!host.guest)
            host.guest.emplace();
    }

    /// This host's robots.txt, which has just come, wants a pause of `delay`: between the
    /// end of a request and the start of the next. If the user has said how many may be
    /// under way at once, it's between their starts.
    void set_delay(const std::string& name, EventLoop::Duration delay) {
        Host& host = hosts_[name];
        if (std::exchange(host.delay, delay) < delay)
            hold(host, delay, Limit::crawl_delay);
        tell_account(name, host);
    }

    /// Takes out all items that are in line.
    std::vector<Item> take_all() {
        std::vector<Item> all;
        for (auto& [name, host] : hosts_) {
            take_line(host, all);
            tell_account(name, host);
        }
        return all;
    }
    /// The same for one host.
    std::vector<Item> take_all_of(const std::string& name) {
        std::vector<Item> all;
        if (const auto host = hosts_.find(name); host != hosts_.end()) {
            take_line(host->second, all);
            tell_account(name, host->second);
        }
        return all;
    }

    /// How many items are in line.
    std::size_t size() const { return waiting_; }

  private:
    struct Host {
        std::size_t inside = 0;   // let in, and haven't left
        std::size_t to_begin = 0; // of these, haven't begun
        EventLoop::TimePoint next_start{};
        EventLoop::Duration delay{};
        EventLoop::Duration least_delay{};
        std::size_t most = GateLimits::unlimited; // inside
        Limit held_by = Limit::refusals;          // until next_start
        Pace pace;
        std::optional<GuestPace> guest; // none: its pause is fixed
        std::unique_ptr<Line> line;     // null if no item waits
        std::optional<CancelAtExit> timer;
        TimeAccount::Host* account = nullptr; // once it was told something
    };

    /// From the start of one request to that of the next.
    EventLoop::Duration distance_of(const Host& host) const {
        return std::max(
            {limits_.delay, host.delay, host.least_delay, host.pace.distance()});
    }
    bool goes_one_by_one(const Host& host) const {
        return host.delay > EventLoop::Duration::zero()
               && limits_.max_per_host == GateLimits::unlimited;
    }
    std::size_t most_inside(const Host& host) const {
        const std::size_t most = goes_one_by_one(host) ? 1 : limits_.max_per_host;
        return std::min({most, host.most, host.pace.window()});
    }

    /// The pauses that begin when a request ends.
    void rest(Host& host) {
        if (goes_one_by_one(host))
            hold(host, host.delay, Limit::crawl_delay);
        if (!host.guest)
            return;
        host.guest->end(loop_.time());
        hold(host, host.guest->pause(), Limit::foreign_pause);
    }

    /// May one more be let in, if it's time? With a distance, the time for the next is
    /// only known once this one has begun.
    bool has_room(const Host& host) const {
        const bool has_distance = distance_of(host) > EventLoop::Duration::zero();
        return host.inside < most_inside(host) && !(has_distance && host.to_begin > 0);
    }

    void keep_distance(Host& host) {
        hold(host, distance_of(host), limit_of_distance(host));
    }
    void hold(Host& host, EventLoop::Duration duration, Limit by) {
        const EventLoop::TimePoint until = loop_.time() + duration;
        if (until <= host.next_start)
            return;
        host.next_start = until;
        host.held_by = by;
    }

    // [let-next-in]
    /// Lets in as many as may begin now. The others are checked again when an item begins
    /// or leaves, or when the timer fires.
    void let_next_in(const std::string& name, Host& host) {
        while (host.line && has_room(host)) {
            if (loop_.time() < host.next_start) {
                host.timer.emplace(loop_.call_at(host.next_start, [this, name] {
                    let_next_in(name, hosts_.at(name));
                }));
                return;
            }
            Item item = take_first(host);
            drop_if_empty(host);
            let_in(host, std::move(item), Passage::from_line);
        }
    }
    // [/let-next-in]

    // ---- For the account ----

    // What the timer lets in begins soon, and then this is called.
    void tell_account(const std::string& name, Host& host) {
        if (account_ == nullptr) [[likely]]
            return;
        if (host.account == nullptr)
            host.account = &account_->host(name);
        account_->set_gate(*host.account,
                           host.line ? std::optional(limit_of(host)) : std::nullopt);
    }
    /// What keeps its line from moving.
    Limit limit_of(const Host& host) const {
        return host.inside >= most_inside(host) ? limit_of_number(host) : host.held_by;
    }
    /// Which limit of how many may be inside is the smallest.
    Limit limit_of_number(const Host& host) const {
        const std::size_t most = most_inside(host);
        if (goes_one_by_one(host))
            return Limit::crawl_delay;
        if (host.most == most)
            return Limit::one_by_one;
        return limits_.max_per_host == most ? Limit::max_per_host : Limit::refusals;
    }
    /// Which distance is the longest.
    Limit limit_of_distance(const Host& host) const {
        const EventLoop::Duration most = distance_of(host);
        if (host.pace.distance() == most)
            return Limit::refusals;
        if (host.delay == most)
            return Limit::crawl_delay;
        return host.least_delay == most ? Limit::foreign_pause : Limit::delay;
    }

    void let_in(Host& host, Item item, Passage passage) {
        ++host.inside;
        ++host.to_begin;
        let_in_(std::move(item), passage);
    }

    void take_line(Host& host, std::vector<Item>& all) {
        for (; host.line; drop_if_empty(host))
            all.push_back(take_first(host));
    }
    /// There must be a line.
    Item take_first(Host& host) {
        --waiting_;
        return host.line->pop().item;
    }
    /// A line takes a kilobyte, and there may be many hosts.
    void drop_if_empty(Host& host) {
        if (host.line->size() == 0)
            host.line.reset();
    }

    EventLoop& loop_;
    const GateLimits limits_;
    const Line empty_line_;
    std::function<void(Item, Passage)> let_in_;
    TimeAccount* const account_; // null: none is kept
    std::unordered_map<std::string, Host> hosts_;
    std::uint64_t next_number_ = 0;
    std::size_t waiting_ = 0;
};

} // namespace stage3
