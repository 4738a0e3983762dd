// A crawl's settings, the events that it reports while it runs, and how it can end.
// Page 18b of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/answers.h"
#include "stage3_queue_crawler/crawler/frontier_settings.h"
#include "stage3_queue_crawler/crawler/gate.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/order.h"
#include "stage3_queue_crawler/crawler/page_reader.h"
#include "stage3_queue_crawler/crawler/purpose.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/sitemap.h"
#include "stage3_queue_crawler/crawler/traps.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <chrono>
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

    std::size_t workers = 10;         ///< concurrent fetches, at most
    std::size_t max_depth = no_limit; ///< links away from a root
    std::size_t max_pages = no_limit; ///< fetches in total
    int max_redirects = 20;           ///< followed from any one URL; browsers follow 20
    int max_tries = 4;                ///< for any one URL
    /// A host that asks for a longer wait is asked nothing more.
    std::chrono::seconds max_retry_after{60};
    /// So is one that has refused everything for so long.
    std::chrono::seconds refused_timeout{300};
    TrapLimits traps;
    Checks checks;
    SitemapChoice sitemaps; ///< where the crawl begins, too
    OrderName order = OrderName::fifo;
    bool obey_robots = true;          ///< each origin's robots.txt
    std::size_t robots_at_once = 100; ///< fetches of robots.txt, besides the workers' own
    GateLimits politeness;
    TimeLimit timeout; ///< for the whole crawl
    /// True: pages are read by the loop's executor (LoopOptions::threads sets how many
    /// threads that has). False: they are read in the loop's own thread.
    bool parse_in_threads = false;
    FindLinks find_links = common::find_links; ///< may be called in executor threads
    /// True once the crawl is about to be cancelled: a page is then not read to its end.
    /// With slow patterns, that could take minutes during which the loop's own thread
    /// handles nothing else. Called often, and in executor threads, too.
    std::function<bool()> is_asked_to_end = [] { return false; };
    SessionOptions session;
    OpenHttp open_http = open_session; ///< a test may bring a web of its own
    /// What servers answered earlier. It must outlive the crawl. nullptr: nothing.
    Answers* answers = nullptr;
    /// By a root's origin, such as "https://example.org:8080".
    std::map<std::string, common::Login, std::less<>> logins;
};

/// The callbacks through which a crawl reports while it runs.
struct CrawlEvents {
    /// Called with each record as its fetch ends. An exception from it ends the crawl.
    std::function<void(const Record&)> on_record = [](const Record&) {};
    /// Awaited by each worker before it takes a URL, so that a consumer of records that
    /// can't keep up makes the workers wait. An exception from it ends the crawl.
    std::function<Coroutine<>()> until_ready = []() -> Coroutine<> { co_return; };
    /// Called with a page and the distinct links in scope on it, before its record.
    /// An exception from it ends the crawl.
    std::function<void(const common::Url& page, const std::vector<common::Url>& links)>
        on_links = [](const common::Url&, const std::vector<common::Url>&) {};
    /// Called as a worker starts on a URL, at each try.
    std::function<void(std::string_view worker, const Item&)> on_start =
        [](std::string_view, const Item&) {};
    /// Called with messages for the user: one or more lines, without the final newline.
    std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

/// How a crawl ended. Anything other than `complete` means that it was cut short.
enum class Ending : std::uint8_t {
    complete,
    max_pages,
    timed_out,
    interrupted,
    no_memory, ///< set by the code that interrupts a crawl for this
};

/// How far along a crawl is.
struct Progress {
    std::size_t fetched = 0; ///< pages and files
    std::size_t redirects = 0;
    std::size_t dead = 0;
    std::size_t unclear = 0;
    std::size_t in_flight = 0; ///< being fetched now
    std::size_t waiting = 0;   ///< in some line, or put off until later
};

} // namespace stage3
