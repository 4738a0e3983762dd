// The crawler: workers, and a queue that they share.
//
// A worker takes a URL from the queue, fetches it, puts the new links that it finds into
// the queue, and says that this URL is done. The crawl is over when all URLs are: then
// each worker waits for an item that never comes, and there it's cancelled. There is no
// class for a fetch any more: what it must remember while it waits are the local
// variables of a coroutine. Told in book/14.
//
// Whatever happens to one URL ends in a record, and never ends a worker.
#pragma once

#include "common/links.h"
#include "common/stack_trace.h"
#include "common/url.h"
#include "stage3_queue_crawler/crawler/gate.h"
#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/order.h"
#include "stage3_queue_crawler/crawler/parking_lot.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/queue.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

struct CrawlSettings {
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

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
    /// Called with a page, and the links in scope on it, each once, as it's read.
    std::function<void(const KnownUrl& page, const std::vector<common::Url>& links)>
        on_links = [](const KnownUrl&, const std::vector<common::Url>&) {};
    /// Called as a worker begins with a URL, at each try.
    std::function<void(std::string_view worker, const KnownUrl&)> on_start =
        [](std::string_view, const KnownUrl&) {};
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
    std::size_t waiting = 0;   ///< in the queue, or put off
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
    Coroutine<Ending> crawl();

    Progress progress() const;
    /// How many links were not followed since a page had too many, or they were too long.
    std::size_t left_out() const { return left_out_; }
    /// All URLs that it has met.
    const KnownUrls& urls() const { return urls_; }

  private:
    /// What robots.txt says of one URL.
    struct Verdict {
        std::string reason;         // why it may not be fetched; empty: it may
        std::exception_ptr failure; // there was no answer at all
    };
    using VerdictPtr = std::shared_ptr<const Verdict>;

    /// What the queue holds: a URL to fetch.
    struct Item {
        KnownUrl* url;
        int redirects_left;
        bool was_called = false; // by its host's gate, which it hasn't passed since
        bool comes_back = false; // it was taken out before, and put off
        int tries = 0;
        std::optional<EventLoop::TimePoint> begun = {}; // its first try
        VerdictPtr robots = {};                         // that it has waited for
    };
    struct ComesBack {
        bool operator()(const Item& item) const { return item.comes_back; }
    };
    struct ShorterUrl {
        bool operator()(const Item& a, const Item& b) const {
            return a.url->url->href().size() < b.url->url->href().size();
        }
    };

    using Wait = RetryPolicy::Duration;

    /// What becomes of an item next.
    enum class Fate : std::uint8_t {
        go_on,
        done,
        comes_back, ///< it is put off, and will be in the queue again
    };

    Coroutine<> work(std::string name);
    Fate ask_robots(Item& item);
    VerdictPtr judge(const Item& item, const Future<RobotsCache::Answer>& answer);
    Fate obey_robots(Item& item, const Verdict& verdict);
    void begin(Item& item);
    bool may_start(const Item& item);
    Fate pass_gate(Item& item);
    void stop_if_failed(const Future<>& worker);

    GetOptions options_for(const common::Url& url) const;
    Coroutine<Fate> fetch(Item item);
    Coroutine<std::optional<Wait>> try_to_fetch(Item& item, Record& record);
    void read_headers(const Item& item, const Response& response, Record& record);
    std::optional<Wait> read_error(Item& item, const FetchError& error, Record& record);
    static void fail(Record& record, std::string why);

    Coroutine<> read_body(const Item& item, Response& response, Record& record);
    Coroutine<common::Links> read_page(common::Url url, std::string content_type,
                                       std::string body);
    void take_links(const Item& item, const common::Links& found, Record& record);
    void leave_out(std::size_t links, std::string_view why, const Item& item);
    void follow_redirect(const Item& item, std::string_view location, Record& record);
    void enqueue(KnownUrl& url, const KnownUrl* parent, std::size_t depth,
                 int redirects_left);

    void park(const Item& item, Wait wait);
    void unpark(Item item);
    void call(Item item);
    static std::string host_of(const common::Url& url);
    static std::string host_of(const Item& item) { return host_of(*item.url->url); }
    void hold_host(const Item& item, Wait wait);
    Wait wait_for_descriptor(Item& item, const FetchError& error);

    void finish(const Item& item, Record& record);
    void tell_way(const Item& item, const common::TracedError& error);

    EventLoop& loop_;
    const std::vector<common::Url> roots_;
    const std::shared_ptr<const Scope> scope_; // shared with threads
    const CrawlSettings settings_;
    const CrawlEvents events_;
    KnownUrls urls_;
    using Order = AnyOrder<Item, ShorterUrl, ComesBack>;
    Queue<Item, Order> queue_;
    ParkingLot<Item> parked_;
    Gate<Item> gate_;
    RetryPolicy retries_;
    common::FailOnPurpose fail_parsing_;
    const std::shared_ptr<std::atomic<bool>> is_over_; // for threads that still read
    Session session_;
    RobotsCache robots_;
    double seconds_per_byte_ = 1e-9;     // to read a page: a mean of the last ones
    std::size_t waiting_for_robots_ = 0; // items
    std::size_t left_out_ = 0;
    std::size_t started_ = 0;      // URLs, whose fetch has begun
    std::uint64_t last_fetch_ = 0; // its number, for traces
    bool max_pages_reached_ = false;
    bool said_descriptors_ = false;
    std::optional<EventLoop::TimePoint> alone_since_; // waiting for a descriptor
    TaskBase* main_ = nullptr;                        // the task that `crawl` runs in
    Progress progress_;
};

} // namespace stage3
