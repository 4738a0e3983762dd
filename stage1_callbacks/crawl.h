// One crawl: what all its Fetchers share.
//
// Two sets do the work. `urls_todo` holds the URLs that are being fetched or are about to
// be; the crawl is over when it is empty. `seen_urls` holds every URL ever met, so that a
// page which a hundred others link to is fetched once. No lock guards them: the loop
// calls one callback at a time. Told in book/03 (an event loop with callbacks).
#pragma once

#include "common/scope.h"
#include "common/socket.h"
#include "common/stack_trace.h"
#include "common/trace.h"
#include "common/url.h"
#include "stage1_callbacks/event_loop.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace stage1 {

/// What became of a URL.
enum class Outcome : std::uint8_t {
    page,     ///< 200, and read for links
    file,     ///< 200, of a type that holds no links
    redirect, ///< sent elsewhere; `next` says where
    dead,     ///< another status, or no whole response; `error` says why
};

/// "page", "file", "redirect" or "dead".
std::string_view name_of(Outcome outcome);

/// What is known of a URL once its fetch has ended.
struct Record {
    explicit Record(common::Url which) : url(std::move(which)) {}

    common::Url url;
    Outcome outcome = Outcome::dead;
    int status = 0;                  ///< 0 if there was no response
    std::size_t bytes = 0;           ///< of the body
    std::optional<common::Url> next; ///< where a redirect leads
    std::string error;               ///< why it is dead, in words
};

/// Where a host can be reached.
struct Host {
    std::vector<common::Address> addresses; ///< without port
    std::string error;                      ///< why there are none, in words
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
    Crawl(common::Url root, EventLoop& loop, common::Tracer& tracer, Settings settings)
        : root_(std::move(root)), scope_(root_), loop_(loop), tracer_(tracer),
          settings_(std::move(settings)) {}

    /// Crawls, once: returns when every URL found has been fetched or is dead. Failures
    /// of servers and of the network end up in records.
    Summary run();

    // What follows is for Fetchers.

    /// Starts fetching each URL that is in scope and has not been seen before.
    void add(const std::vector<common::Url>& urls);

    /// The URL's fetch could not begin, since there is no descriptor left. It goes back
    /// into the line, and begins when another fetch has ended.
    void postpone(const common::Url& url);

    /// True once the server has shown that it can't take any number of fetches at once.
    bool is_capped() const { return at_once_ != no_cap; }

    /// The URL's connection broke before anything came back. If many were in flight, that
    /// says more about their number than about the page: the URL goes back into the line,
    /// from now on only a few are fetched at once, and the result is true. If few were,
    /// or if the fetch `began_capped`, nothing is done and the result is false: it is
    /// dead.
    bool retry_with_fewer(const common::Url& url, bool began_capped);

    /// The fetch of `record.url` has ended.
    void finished(const Record& record);

    /// Where the host of a URL can be reached. Blocks at the first URL of each host name:
    /// for the root's name that is before the loop begins, and there can be one more
    /// only, its twin with or without "www.".
    const Host& host_of(const common::Url& url);

    EventLoop& loop() { return loop_; }
    common::Tracer& tracer() { return tracer_; }
    const Settings& settings() const { return settings_; }
    /// How many fetches have begun and not ended.
    std::size_t in_flight() const { return urls_todo_.size() - waiting_.size(); }
    common::FailOnPurpose& fail_parsing() { return fail_parsing_; }
    std::uint64_t next_fetch_id() { return next_fetch_id_++; }

  private:
    void start_fetches();
    void give_up();

    static constexpr std::size_t no_cap = std::numeric_limits<std::size_t>::max();

    const common::Url root_;
    const common::Scope scope_;
    EventLoop& loop_;
    common::Tracer& tracer_;
    Settings settings_;
    std::unordered_set<common::Url> urls_todo_;
    std::unordered_set<common::Url> seen_urls_;
    std::deque<common::Url> waiting_; // the part of urls_todo_ that has no socket yet
    std::unordered_map<std::string, Host> hosts_;
    std::uint64_t next_fetch_id_ = 1;
    common::FailOnPurpose fail_parsing_{settings_.fail_parsing};
    std::size_t at_once_ = no_cap;    // how many fetches may be in flight
    bool starting_ = false;           // start_fetches is running
    bool out_of_descriptors_ = false; // the last fetch that it started was postponed
    bool said_so_ = false;
    Summary summary_;
};

} // namespace stage1
