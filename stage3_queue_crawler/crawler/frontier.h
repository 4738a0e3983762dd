// The frontier: which URLs are known, and which one may be fetched next.
//
// Whoever crawls asks it for work, and tells what came of it. How it remembers, whom it
// asks for permission, and where something waits that may not be fetched yet, is its own
// affair: nobody else puts URLs in line. Told in book/14a.
//
// What a frontier must be able to do is written down here as a concept, since there may
// be several: in memory (memory_frontier.h), in a file, on another machine.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/gate.h"
#include "stage3_queue_crawler/crawler/order.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {

/// Why a URL may not be fetched.
struct Refusal {
    std::string reason;         ///< what robots.txt says; empty: there was no answer
    std::exception_ptr failure; ///< and why not
};

/// A URL to fetch, and what it has been through. A value: it points into no table.
struct Work {
    explicit Work(common::Url u) : url(std::move(u)) {}

    common::Url url;
    std::uint32_t depth = 0; ///< links away from a root
    int redirects_left = 0;  ///< that may still be followed from here
    int tries = 0;           ///< with the one that it was taken out for
    bool is_root = false;
    bool goes_first = false;                     ///< it has had its turn, and comes back
    bool has_begun = false;                      ///< its request has gone out
    bool was_tried = false;                      ///< at least once
    EventLoop::TimePoint begun{};                ///< if so: when it was first taken out
    std::shared_ptr<const Refusal> refusal = {}; ///< none: it may be fetched
    std::uint64_t ticket = 0;                    ///< by which its frontier knows it again
};
/// What it is called in traces.
inline std::string_view trace_name(const Work& work) { return work.url.href(); }

/// What was found at a URL.
struct Found {
    std::vector<common::Url> links;      ///< each once
    std::optional<common::Url> redirect; ///< to follow
};

/// How much of it there is.
struct FrontierCounts {
    std::size_t unfinished = 0; ///< URLs to fetch, wherever they are
    std::size_t out = 0;        ///< of these: being fetched
    bool has_left_some = false; ///< there were more than it was to give out
};

/// What every frontier is told when it's made.
struct FrontierSettings {
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    OrderName order = OrderName::fifo;
    std::size_t max_depth = no_limit; ///< links away from a root
    std::size_t max_pages = no_limit; ///< that are taken out, in all
    int max_redirects = 10;           ///< followed from any one URL
    GateLimits politeness = {};
    RobotsCache::Ask ask_robots = {}; ///< none: everything is allowed
    /// Called when answers that are still to come are probably not needed any more.
    std::function<void()> withdraw_questions = [] {};
};

// NOLINTBEGIN(bugprone-exception-escape): to give back does not fail
// [visit]
/// Work that was taken out of a frontier. It must be done, or put off. If it's dropped,
/// since its worker is cancelled, say, it's given back.
template <class Owner>
class Visit {
  public:
    Visit(Owner& owner, Work work) : owner_(&owner), work_(std::move(work)) {}
    Visit(Visit&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), work_(std::move(other.work_)) {}
    Visit& operator=(Visit&&) = delete;
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() {
        if (owner_ != nullptr)
            owner_->give_back(std::move(work_));
    }

    const Work& work() const { return work_; }
    /// What to call when its request goes out. Until then this must not be moved.
    std::function<void()> on_request() {
        return [this] {
            work_.has_begun = true;
            owner_->began(work_);
        };
    }
    /// Once more, after so long.
    void put_off(EventLoop::Duration wait) { leave().put_off(std::move(work_), wait); }
    /// The same, but that was none of its tries.
    void put_off_untried(EventLoop::Duration wait) {
        --work_.tries;
        put_off(wait);
    }
    void done(Record& record, const Found& found) {
        leave().done(std::move(work_), record, found);
    }

  private:
    Owner& leave() { return *std::exchange(owner_, nullptr); }

    Owner* owner_;
    Work work_;
};
// [/visit]
// NOLINTEND(bugprone-exception-escape)

// [frontier]
/// What every frontier promises: each URL is done once, and out with one worker at a
/// time; what is out is done, put off or given back; `join` ends when nothing is left.
/// Only `open`, `get`, `join` and `close` may wait: what came of a URL is told without.
template <class F>
concept Frontier =
    requires(F f, std::vector<common::Url> roots, Work work, Record record, Found found,
             std::string host, EventLoop::Duration duration, TimeLimit limit) {
        // The roots are in.
        { f.open(roots) } -> std::same_as<Coroutine<>>;
        // Waits for a URL that may be fetched now, or may not at all: see its refusal.
        { f.get() } -> std::same_as<Coroutine<Visit<F>>>;
        // Its request goes out: the pause that its host wants counts from here.
        f.began(work);
        // Its record and its links, in one: so it's never done before they are in.
        // `record` learns its parent, its depth, and how many links were new.
        f.done(work, record, found);
        // Once more, after so long.
        f.put_off(work, duration);
        // As if it had not been taken out.
        f.give_back(work);
        // This host is asked for nothing for so long.
        f.hold(host, duration);
        // This host wants so long a pause between two requests.
        f.set_delay(host, duration);
        // This host was asked for something else: that, too, begins a pause.
        f.has_asked(host);
        // Until nothing is left. Throws Timeout, and std::logic_error if a URL was lost.
        { f.join(limit) } -> std::same_as<Coroutine<>>;
        // Nothing comes out any more, and what is out is given back.
        { f.close() } -> std::same_as<Coroutine<>>;
        { f.counts() } -> std::same_as<FrontierCounts>;
    };
// [/frontier]

/// A server is a name and a port to us: what stands behind another port may be another
/// machine.
std::string host_of(const common::Url& url);

} // namespace stage3
