// One crawl: what all its fetches share.
//
// Two sets decide what is fetched, and when the crawl ends. `urls_todo` holds the URLs
// that are being fetched or are about to be; the crawl ends when it is empty. `seen_urls`
// holds every URL ever met, so that a page which a hundred others link to is fetched
// once. They need no lock, because the loop calls one callback at a time.
//
// What else is here isn't about which pages, but about limits: a queue for the fetches
// that this machine or the server can't take now, with what is known of those limits; the
// hosts' addresses, each looked up once; and numbers for the trace and the summary.
//
// A crawl doesn't know *how* a page is fetched: stage 1 does it with a chain of callbacks
// and stage 2 with a coroutine, and both use this crawl. Page 03 of the book.
#pragma once

#include "common/simple_crawl/event_loop.h"
#include "common/simple_crawl/record.h"
#include "common/simple_crawl/scope.h"
#include "common/system/socket.h"
#include "common/trace/stack_trace.h"
#include "common/trace/trace.h"
#include "common/web/url.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace common {

/// Where a host can be reached.
struct Host {
    std::vector<Address> addresses; ///< without port
    std::string error;              ///< why there are none, in words
    bool look_again = false;        ///< the lookup failed for want of a descriptor
};

struct Settings {
    /// The crawl gives up when nothing at all has happened for this long.
    EventLoop::Milliseconds patience = std::chrono::seconds(30);
    /// A longer response, in bytes, is cut off, and its URL is dead.
    std::size_t max_response = std::size_t{16} * 1024 * 1024;
    /// Throws while the page with this number is parsed, 1 for the first; 0: never. It
    /// shows what is left to see after an error.
    std::size_t fail_parsing = 0;
    /// Called with each record as its fetch ends.
    std::function<void(const Record&)> on_record = [](const Record&) {};
    /// Called, rarely, with a line that the user should read.
    std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

struct Summary {
    std::size_t fetched = 0; ///< URLs that got an answer
    std::size_t dead = 0;
    std::size_t most_at_once = 0; ///< fetches in flight
    std::chrono::duration<double> seconds{};
};

class Crawl {
  public:
    /// A crawl of the site that `root`, an http URL, is on. `loop` and `tracer` must
    /// outlive it.
    Crawl(Url root, EventLoop& loop, Tracer& tracer, Settings settings)
        : root_(std::move(root)), scope_(root_), loop_(loop), tracer_(tracer),
          settings_(std::move(settings)) {}

    /// Begins to fetch a URL and returns without waiting. When the fetch ends, perhaps
    /// even before this returns, it calls its crawl's `finished`, `postpone` or
    /// `retry_with_fewer`.
    using StartFetch = std::function<void(const Url&)>;

    /// Crawls, once: returns when every URL found has been fetched or is dead. Failures
    /// of servers and of the network end up in records. Throws what `start_fetch` or a
    /// callback throws.
    Summary run(StartFetch start_fetch);

    // The rest is for the fetches.

    /// Starts fetching each URL that is in scope and has not been seen before.
    void add(const std::vector<Url>& urls);

    /// The URL's fetch could not begin because no descriptor is left. The URL goes back
    /// into the queue, and its fetch begins when another one has ended.
    void postpone(const Url& url);

    /// The URL's connection broke before anything came back. If many were in flight at
    /// some time since this fetch began, their number is more likely to blame than the
    /// page: the URL goes back into the queue, only a few are fetched at once from now
    /// on, and the result is true. If not, nothing is done and the result is false: the
    /// URL is dead. `fetch` is the number that next_fetch_id gave this fetch.
    bool retry_with_fewer(const Url& url, std::uint64_t fetch);

    /// The fetch of `record.url` has ended.
    void finished(const Record& record);

    /// Where the host of a URL can be reached. Blocks at the first URL of each host name.
    /// For the root's name, that is before the loop begins; only one more is possible,
    /// the same name with or without "www.".
    const Host& host_of(const Url& url);

    EventLoop& loop() { return loop_; }
    Tracer& tracer() { return tracer_; }
    const Settings& settings() const { return settings_; }
    /// How many fetches have begun and not ended.
    std::size_t in_flight() const { return urls_todo_.size() - waiting_.size(); }
    /// Records in the trace how a fetch has ended.
    void trace_end(std::uint64_t fetch, const Record& record);
    FailOnPurpose& fail_parsing() { return fail_parsing_; }
    std::uint64_t next_fetch_id() { return next_fetch_id_++; }

  private:
    void start_fetches();
    void count_in_flight();
    void give_up();

    static constexpr std::size_t few = 10; // any server can take so many at once
    static constexpr std::size_t no_cap = std::numeric_limits<std::size_t>::max();

    const Url root_;
    const Scope scope_;
    EventLoop& loop_;
    Tracer& tracer_;
    Settings settings_;
    StartFetch start_fetch_;

    std::unordered_set<Url> urls_todo_;
    std::unordered_set<Url> seen_urls_;

    // The limits.
    std::deque<Url> waiting_;         // the part of urls_todo_ that has no socket yet
    bool starting_ = false;           // start_fetches is running
    bool out_of_descriptors_ = false; // the last fetch it started was postponed
    bool said_so_ = false;            // the user has read that none is left
    std::size_t at_once_ = no_cap;    // how many fetches may be in flight
    std::uint64_t last_in_crowd_ = 0; // the last fetch that was one of many in flight

    std::unordered_map<std::string, Host> hosts_;
    std::uint64_t next_fetch_id_ = 1;
    FailOnPurpose fail_parsing_{settings_.fail_parsing};
    Summary summary_;
};

} // namespace common
