// A crawl's settings, the events that it reports while it runs, and how it can end.
// Page 18b of the book.
#pragma once

#include "common/web/links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/answers.h"
#include "stage3_queue_crawler/crawler/checks.h"
#include "stage3_queue_crawler/crawler/cookie_jar.h"
#include "stage3_queue_crawler/crawler/frontier_settings.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/page_reader.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/request_rules.h"
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/crawler/sitemap.h"
#include "stage3_queue_crawler/crawler/time_account.h"
#include "stage3_queue_crawler/crawler/traps.h"
#include "stage3_queue_crawler/http/remapped_session.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/http/url_mappings.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {

/// Each part of a crawl gets its own settings from here, whole. What isn't in a struct of
/// its own belongs to the crawler, or to several parts.
struct CrawlSettings {
    static constexpr std::size_t no_limit = FrontierSettings::no_limit;

    std::size_t workers = 10; ///< concurrent fetches, at most
    TimeLimit timeout;        ///< for the whole crawl
    SessionOptions session;
    CookieSettings cookies;
    Logins logins;
    RetryLimits retries; ///< of anything that is fetched
    RobotsSettings robots;
    SitemapChoice sitemaps; ///< where the crawl begins, too
    FrontierSettings frontier;
    PageReaderSettings reader;
    Checks checks;
    TrapLimits traps;
    std::shared_ptr<const UrlMappings> mappings; ///< null: each URL is what it says
};

/// The crawl's door to HTTP.
inline std::unique_ptr<Http> open_http(const OpenHttp& open, EventLoop& loop,
                                       const CrawlSettings& settings) {
    if (settings.mappings)
        return std::make_unique<RemappedSession>(loop, settings.session,
                                                 settings.mappings, open);
    return open(loop, settings.session);
}

/// A deep root, or a depth that the user asked for, is not a trap.
inline TrapLimits trap_limits(const CrawlSettings& settings,
                              const std::vector<common::Url>& roots) {
    TrapLimits limits = settings.traps;
    limits.wanted_depth = settings.frontier.max_depth;
    if (settings.frontier.max_depth != CrawlSettings::no_limit)
        limits.depth = settings.frontier.max_depth;
    return allow_roots(limits, roots);
}

/// Links to a server that stands in for another are links to that one.
inline FindLinks finder_for(FindLinks find, const CrawlSettings& settings) {
    if (!settings.mappings)
        return find;
    return [find = std::move(find), mappings = settings.mappings](
               std::string_view body, std::string_view content_type,
               const common::Url& base, common::LinkLimits limits) {
        limits.rename = [&mappings](common::Url& link) { mappings->rename(link); };
        return find(body, content_type, base, limits);
    };
}

/// What a crawl works with. A test may bring a web of its own. What the functions refer
/// to, and `answers`, must outlive the crawl.
struct CrawlHelpers {
    OpenHttp open_http = open_session;
    FindLinks find_links = common::find_links;                    ///< see PageReader
    std::function<bool()> is_asked_to_end = [] { return false; }; ///< see PageReader
    Answers* answers = nullptr;     ///< what servers answered earlier; nullptr: nothing
    TimeAccount* account = nullptr; ///< of what limits the crawl; nullptr: none is kept
};

/// The callbacks through which a crawl reports while it runs.
struct CrawlEvents {
    /// Called with each record as its fetch ends, and with the distinct links in scope on
    /// its page. An exception from it ends the crawl.
    std::function<void(const Record&, const std::vector<common::Url>& links)> on_record =
        [](const Record&, const std::vector<common::Url>&) {};
    /// Awaited by each worker before it takes a URL, so that a consumer of records that
    /// can't keep up makes the workers wait. An exception from it ends the crawl.
    std::function<Coroutine<>()> until_ready = []() -> Coroutine<> { co_return; };
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

    /// One more URL is done.
    void count(Outcome outcome) {
        if (is_dead(outcome))
            ++dead;
        else if (outcome == Outcome::unclear)
            ++unclear;
        else if (outcome == Outcome::redirect)
            ++redirects;
        else if (outcome != Outcome::disallowed)
            ++fetched;
    }
};

} // namespace stage3
