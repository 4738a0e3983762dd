// One crawl: what all its fetches share.
//
// Two sets do the work. `urls_todo` holds the URLs that are being fetched or are about to
// be; the crawl is over when it is empty. `seen_urls` holds every URL ever met, so that a
// page which a hundred others link to is fetched once. No lock guards them: the loop
// calls one callback at a time.
//
// *How* a page is fetched, a crawl doesn't know. Stage 1 does it with a chain of
// callbacks and stage 2 with a coroutine, and both do it for this crawl. Told in book/03
// (an event loop with callbacks).
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
    bool look_again = false;        ///< only since no descriptor was left to look it up
};

struct Settings {
    /// How long nothing at all may happen before the crawl gives up.
    EventLoop::Milliseconds patience = std::chrono::seconds(30);
    /// A longer response, in bytes, is cut off, and its URL is dead.
    std::size_t max_response = std::size_t{16} * 1024 * 1024;
    /// Throws while the page with this number is parsed, 1 for the first; 0: never. To
    /// see what an error leaves behind.
    std::size_t fail_parsing = 0;
    /// Called with each record as its fetch ends.
    std::function<void(const Record&)> on_record = [](const Record&) {};
    /// Called, seldom, with a line that the user should read.
    std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

struct Summary {
    std::size_t fetched = 0; ///< URLs that were answered
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

    /// Begins to fetch a URL, and returns without waiting. In the end, maybe even before
    /// it returns, a fetch calls `finished`, `postpone` or `retry_with_fewer` of its
    /// crawl.
    using StartFetch = std::function<void(const Url&)>;

    /// Crawls, once: returns when every URL found has been fetched or is dead. Failures
    /// of servers and of the network end up in records; what `start_fetch` or a callback
    /// throws comes out here.
    Summary run(StartFetch start_fetch);

    // What follows is for the fetches.

    /// Starts fetching each URL that is in scope and has not been seen before.
    void add(const std::vector<Url>& urls);

    /// The URL's fetch could not begin, since there is no descriptor left. It goes back
    /// into the line, and begins when another fetch has ended.
    void postpone(const Url& url);

    /// The URL's connection broke before anything came back. If many were in flight at
    /// some time since this fetch began, that says more about their number than about the
    /// page: the URL goes back into the line, from now on only a few are fetched at once,
    /// and the result is true. If not, nothing is done and the result is false: it is
    /// dead. `fetch` is the number that next_fetch_id gave this fetch when it began.
    bool retry_with_fewer(const Url& url, std::uint64_t fetch);

    /// The fetch of `record.url` has ended.
    void finished(const Record& record);

    /// Where the host of a URL can be reached. Blocks at the first URL of each host name:
    /// for the root's name that is before the loop begins, and there can be one more
    /// only, its twin with or without "www.".
    const Host& host_of(const Url& url);

    EventLoop& loop() { return loop_; }
    Tracer& tracer() { return tracer_; }
    const Settings& settings() const { return settings_; }
    /// How many fetches have begun and not ended.
    std::size_t in_flight() const { return urls_todo_.size() - waiting_.size(); }
    /// Writes down how a fetch has ended.
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
    std::deque<Url> waiting_; // the part of urls_todo_ that has no socket yet
    std::unordered_map<std::string, Host> hosts_;
    std::uint64_t next_fetch_id_ = 1;
    std::uint64_t last_in_crowd_ = 0; // of those that were one of many in flight
    FailOnPurpose fail_parsing_{settings_.fail_parsing};
    std::size_t at_once_ = no_cap;    // how many fetches may be in flight
    bool starting_ = false;           // start_fetches is running
    bool out_of_descriptors_ = false; // the last fetch that it started was postponed
    bool said_so_ = false;
    Summary summary_;
};

} // namespace common
