// What a crawl is given before it begins, and what it says while it runs and at its end.
// Page 16 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/frontier_settings.h"
#include "stage3_queue_crawler/crawler/gate.h"
#include "stage3_queue_crawler/crawler/order.h"
#include "stage3_queue_crawler/crawler/page_reader.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/traps.h"
#include "stage3_queue_crawler/crawler/work.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

struct CrawlSettings {
    static constexpr std::size_t no_limit = FrontierSettings::no_limit;

    std::size_t workers = 10;         ///< fetches at once, at most
    std::size_t max_depth = no_limit; ///< links away from a root
    std::size_t max_pages = no_limit; ///< fetches in all
    int max_redirects = 10;           ///< followed from any one URL
    int max_tries = 4;                ///< for any one URL
    TrapLimits traps;
    OrderName order = OrderName::fifo;
    bool obey_robots = true;          ///< each origin's robots.txt
    std::size_t robots_at_once = 100; ///< fetches of robots.txt, beside the workers'
    GateLimits politeness;
    TimeLimit timeout; ///< for the whole crawl
    /// Whether pages are read by the loop's executor (LoopOptions::threads says how many
    /// threads that has), or in the loop's own thread.
    bool parse_in_threads = false;
    FindLinks find_links = common::find_links; ///< called in threads, too
    /// True if the crawl is about to be cancelled. Then a page that is being read is not
    /// read to its end: with slow patterns, that can take minutes, in which the loop's
    /// own thread hears of nothing else. Called in threads, too, and often.
    std::function<bool()> is_asked_to_end = [] { return false; };
    SessionOptions session;
    /// For the roots' origins, such as "https://example.org:8080".
    std::map<std::string, common::Login, std::less<>> logins;
};

/// What a crawl tells while it runs, and to whom.
struct CrawlEvents {
    /// Called with each record, as its fetch ends. What this throws ends the crawl.
    std::function<void(const Record&)> on_record = [](const Record&) {};
    /// Awaited by each worker before it takes a URL: so whoever takes the records, and
    /// can't keep up, lets the workers wait. What this throws ends the crawl.
    std::function<Coroutine<>()> until_ready = []() -> Coroutine<> { co_return; };
    /// Called with a page, and the links in scope on it, each once, before its record.
    /// What this throws ends the crawl.
    std::function<void(const common::Url& page, const std::vector<common::Url>& links)>
        on_links = [](const common::Url&, const std::vector<common::Url>&) {};
    /// Called as a worker begins with a URL, at each try.
    std::function<void(std::string_view worker, const Work&)> on_start =
        [](std::string_view, const Work&) {};
    /// Called with what the user should read: some lines, without the last line end.
    std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

/// How a crawl came to its end. What is behind `complete` means that it was cut short.
enum class Ending : std::uint8_t {
    complete,
    max_pages,
    timed_out,
    interrupted,
    no_memory, ///< said by whoever has interrupted it for that
};

/// How far a crawl has come.
struct Progress {
    std::size_t fetched = 0; ///< pages and files
    std::size_t redirects = 0;
    std::size_t dead = 0;
    std::size_t in_flight = 0; ///< being fetched now
    std::size_t waiting = 0;   ///< in some line, or put off
};

} // namespace stage3
