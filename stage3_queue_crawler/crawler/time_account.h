// Keeps account of a crawl's time: what does each host's next request wait for?
//
// A host that has URLs left is at each moment held up by one thing. Which one follows
// from where its URLs are: ready for a worker, in the gate's line, under way, parked. So
// the parts of a crawl say here when a URL moves from one place to another, and the time
// since the last move is charged to what held the host up in it. Nothing is sampled,
// except whether the processor was busy. Page 32 of the book.
//
// The crawl keeps no account unless it's asked for one: then its parts have no pointer to
// this, and that is all that they look at.
#pragma once

#include "common/system/processor_time.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/host_times.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stage3 {

class TimeAccount {
  public:
    /// Where a URL of a host may be, or a request.
    enum class Place : std::uint8_t {
        robots_line,     ///< waits for robots.txt
        foreign_line,    ///< its turn has come, but there are too many foreign hosts
        ready,           ///< waits for a worker
        asking,          ///< a request has no head yet
        receiving,       ///< its head is there, and its body isn't
        reading,         ///< in the loop's thread
        reading_outside, ///< in another thread
        parked_to_retry,
        parked_as_refused,
        parked_without_descriptor,
    };

    struct Settings {
        std::function<EventLoop::TimePoint()> clock; ///< the loop's
        /// Of the loop's thread, and of the whole process.
        std::function<common::ProcessorTime()> processor = [] {
            return common::ProcessorTime();
        };
        std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
        std::size_t parse_threads = 0;
        /// More hosts share one account, so that a crawl of a million hosts fits in
        /// memory.
        std::size_t most_hosts = 10'000;
    };

    /// What is known of one host. The reference stays valid.
    class Host;

    explicit TimeAccount(Settings settings);
    TimeAccount(const TimeAccount&) = delete;
    TimeAccount& operator=(const TimeAccount&) = delete;
    ~TimeAccount();

    Host& host(const std::string& name);

    // ---- What happens. None of this counts once it has ended. ----

    void enter(Host& host, Place place) { move(host, place, 1, numbers_); }
    void leave(Host& host, Place place) { move(host, place, -1, numbers_); }
    /// The same for what a foreign worker does, so that it keeps no other one busy.
    void enter_foreign(Host& host, Place place) { move(host, place, 1, foreign_); }
    void leave_foreign(Host& host, Place place) { move(host, place, -1, foreign_); }
    void enter(const common::Url& url, Place place) { enter(host(host_of(url)), place); }
    void leave(const common::Url& url, Place place) { leave(host(host_of(url)), place); }
    /// Why the next URL will be parked: one of those places.
    void set_reason(Place parked) { reason_ = parked; }
    Place take_reason() { return std::exchange(reason_, Place::parked_to_retry); }
    /// What keeps the gate's line of this host from moving; nothing if no URL is in it.
    void set_gate(Host& host, std::optional<Limit> limit);
    /// A worker waits until its results are written, or no longer.
    void wait_for_output(bool waits);

    void count_request(Host& host);
    /// A request has got its head.
    void count_answer(Host& host, EventLoop::Duration wait, bool is_refusal);
    void count_bytes(Host& host, std::size_t bytes);
    void count_failure(Host& host, const FetchError& error);

    /// The crawl is over: no time is charged any more.
    void end();
    bool has_ended() const { return has_ended_; }

    /// The numbers, by now: of so many hosts, and the sum of the others.
    CrawlTimes times(std::size_t most);

    /// What `account` knows of the host of `url`; null if there is none.
    static Host* host_in(TimeAccount* account, const common::Url& url) {
        return account == nullptr ? nullptr : &account->host(host_of(url));
    }
    /// A place, as long as this lives; none if the host is null.
    class Stay;

  private:
    static constexpr std::size_t number_of_places =
        static_cast<std::size_t>(Place::parked_without_descriptor) + 1;
    /// Is the processor busy nearly all the time?
    enum class Busy : std::uint8_t { no, loop_thread, parse_threads, processors };

    /// The time of the whole crawl by what held up hosts with URLs that were ready.
    using Shares = std::array<double, static_cast<std::size_t>(Limit::output) + 1>;

    using Numbers = std::array<std::size_t, number_of_places>;

    void move(Host& host, Place place, int by, Numbers& all);
    void settle(Host& host);
    void charge(Host& host, double seconds);
    void advance(EventLoop::TimePoint now);
    void share_out(double seconds);
    void look_at_processor(EventLoop::TimePoint now);
    std::size_t number_at(Place place) const {
        return numbers_[static_cast<std::size_t>(place)];
    }
    double busy_threads() const;

    const Settings settings_;
    std::unordered_map<std::string, Host> hosts_;
    Shares shares_{};
    Numbers numbers_{}; // of all hosts
    Numbers foreign_{};
    std::size_t waiting_for_output_ = 0; // workers
    Place reason_ = Place::parked_to_retry;
    EventLoop::TimePoint begun_;
    EventLoop::TimePoint advanced_; // to here
    bool has_ended_ = false;

    // Since the last look at the processor, and what it said.
    EventLoop::TimePoint looked_;
    common::ProcessorTime processor_;
    double in_threads_ = 0; // seconds of parse threads
    Busy busy_ = Busy::no;
};

class TimeAccount::Host {
    friend class TimeAccount;
    friend class Stay;
    std::size_t number_at(Place place) const {
        return numbers_[static_cast<std::size_t>(place)];
    }
    std::optional<Limit> limit_if_idle() const;
    Limit limit_of_robots() const;

    /// How its last request ended.
    enum class Last : std::uint8_t { other, refused, failed };

    TimeAccount* account_ = nullptr;
    std::array<std::uint32_t, number_of_places> numbers_{};
    std::optional<Limit> gate_;
    Last last_ = Last::other;
    EventLoop::TimePoint settled_{};
    Shares shares_{}; // of the crawl, by then
    HostTimes times_;
};

class TimeAccount::Stay {
  public:
    Stay(Host* host, Place place) : host_(host), place_(place) {
        if (host_ != nullptr)
            host_->account_->enter(*host_, place_);
    }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;
    ~Stay() {
        if (host_ != nullptr)
            host_->account_->leave(*host_, place_);
    }

  private:
    Host* const host_;
    const Place place_;
};

} // namespace stage3
