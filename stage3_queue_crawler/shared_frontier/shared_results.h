// The results of a crawl that several processes have shared: read from Redis by the one
// that writes the report. Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/redis/redis_client.h"
#include "stage3_queue_crawler/shared_frontier/shared_crawl.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace stage3 {

/// It needs memory for all URLs, though not for their records.
class SharedResults {
  public:
    /// `loop` must outlive it.
    SharedResults(EventLoop& loop, SharedCrawl crawl);

    /// Checks the servers, for a process that has not taken part. Throws CantTakePart.
    Coroutine<> look();
    /// Removes the crawl. Processes that take part in it find it gone. The result: how
    /// many keys there were.
    Coroutine<std::size_t> forget();
    /// Reads the state, and where each URL was met. Throws CantTakePart if there is no
    /// such crawl.
    Coroutine<> read();
    /// Some more records; empty if there are no more. After `read`.
    Coroutine<std::vector<Record>> next_records();
    /// A record for each fragment that its page has no element for, if they were checked.
    /// After the last records.
    Coroutine<std::vector<Record>> missing_fragments();

    /// What only the process that reports finds out.
    struct Findings {
        /// How many URLs count as dead, besides those that processes saw to be dead.
        std::ptrdiff_t more_dead = 0;
        std::string nothing_checked = {}; ///< why; empty: something was checked
        bool has_left_some_out = false;   ///< URLs in scope that are unclear
    };
    /// Notes them for processes that don't report.
    Coroutine<> note(Findings findings);
    /// What the report has noted; nothing if there is none yet.
    Coroutine<Findings> findings();

    const KnownUrls& urls() const { return urls_; }
    const SharedState& state() const { return state_; }
    /// How long the crawl has run, by its own clock.
    std::chrono::duration<double> time() const { return time_; }

  private:
    struct Server {
        std::unique_ptr<RedisClient> client;
        // By their numbers there, which are others for pages than for URLs.
        std::unordered_map<std::uint64_t, KnownUrl::Number> pages;
        std::vector<KnownUrl::Number> urls;
    };

    Coroutine<RedisReply> ask(std::size_t server, std::vector<std::string> command);
    std::string key(std::string_view name) const;
    Coroutine<> read_state(std::size_t server);
    Coroutine<> read_pages(std::size_t server);
    Coroutine<> read_urls(std::size_t server);
    Coroutine<> read_links(std::size_t server);
    Coroutine<RedisReply> read_entries(std::size_t server);
    const KnownUrl::Number* page(std::size_t server, std::string_view name) const;
    void note_url(std::size_t server, const std::string& url, std::string_view value);
    void note_links(std::size_t server, std::string_view links);
    Record to_record(std::size_t server, const RedisReply& entry) const;

    const SharedCrawl crawl_;
    std::vector<Server> servers_;
    KnownUrls urls_;
    SharedState state_;
    std::chrono::duration<double> time_{};
    std::size_t reading_ = 0; // the server whose records are next
    std::string last_ = "-";  // how far it has got there
};

} // namespace stage3
