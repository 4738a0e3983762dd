// The crawler: workers, and a frontier that they share.
//
// A worker gets a URL from the frontier, fetches it, reads the page, and gives back what
// it has found. The crawl is over when nothing is left: then each worker waits for a URL
// that never comes, and there it's cancelled. There is no class for a fetch any more:
// what it must remember while it waits are the local variables of a coroutine. Told in
// book/14 and 14a.
//
// Whatever happens to one URL ends in a record, and never ends a worker.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/memory_frontier.h"
#include "stage3_queue_crawler/crawler/page_fetch.h"
#include "stage3_queue_crawler/crawler/page_judge.h"
#include "stage3_queue_crawler/crawler/page_reader.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
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
    OrderName order = OrderName::fifo;
    bool obey_robots = true;          ///< each origin's robots.txt
    std::size_t robots_at_once = 100; ///< fetches of robots.txt, beside the workers'
    GateLimits politeness;
    TimeLimit timeout; ///< for the whole crawl
    /// Whether pages are read by the loop's executor (LoopOptions::threads says how many
    /// threads that has), or in the loop's own thread.
    bool parse_in_threads = false;
    std::size_t fail_parsing = 0; ///< throws while this page is parsed; 0: never
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
enum class Ending : std::uint8_t { complete, max_pages, timed_out, interrupted };

/// How far a crawl has come.
struct Progress {
    std::size_t fetched = 0; ///< pages and files
    std::size_t redirects = 0;
    std::size_t dead = 0;
    std::size_t in_flight = 0; ///< being fetched now
    std::size_t waiting = 0;   ///< in some line, or put off
};

class Crawler {
  public:
    /// A crawl of what `scope` contains, from these roots. `loop` must outlive it.
    Crawler(EventLoop& loop, std::vector<common::Url> roots, Scope scope,
            CrawlSettings settings, CrawlEvents events = {});
    Crawler(const Crawler&) = delete;
    Crawler& operator=(const Crawler&) = delete;
    ~Crawler() = default;

    /// Crawls, once. Ends when all URLs that were found are done, or a limit is reached.
    /// Cancelled, it stops at once and returns Ending::interrupted: what was being
    /// fetched then gets no record.
    /// Throws what `on_record` has thrown, and std::logic_error if a URL has been lost.
    /// Until it has ended, or its loop is closed, the crawler must live.
    Coroutine<Ending> crawl();

    Progress progress() const;
    /// How many links were not followed since a page had too many, or they were too long.
    std::size_t left_out() const { return judge_.left_out(); }
    /// All URLs that it has met.
    const KnownUrls& urls() const { return frontier_.urls(); }

  private:
    using Visit = stage3::Visit<MemoryFrontier>;

    std::vector<common::Url> begin() const;
    Coroutine<Ending> crawl_in(TaskGroup& group);
    Coroutine<> work(std::string name);
    void refuse(Visit visit);
    void put_off(Visit visit, const Again& again);
    void finish(Visit visit, Page page);

    EventLoop& loop_;
    const std::vector<common::Url> roots_;
    const std::shared_ptr<const Scope> scope_; // shared with threads
    const CrawlSettings settings_;
    const CrawlEvents events_;
    PageFetch fetch_;
    RobotsCache robots_;
    MemoryFrontier frontier_;
    PageReader reader_;
    PageJudge judge_;
    Progress progress_;
};

} // namespace stage3
