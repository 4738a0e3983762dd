// The sitemaps of a crawl: finds and fetches them, before the crawl begins.
//
// Sitemaps are written by programs, and go stale: they list pages that are gone, and
// pages that no other page links to. So a crawl begins at their URLs, too, and its report
// says which URLs come from nowhere else. Page 32 of the book.
//
// They are fetched one after the other, as politely as pages. They don't widen a crawl's
// scope: what they list outside of it is left out. But what they list in it has depth 0,
// so with a limit on depth, a crawl may reach pages that it wouldn't reach otherwise.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/crawl_tools.h"
#include "stage3_queue_crawler/crawler/left_out.h"
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/crawler/sitemap.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace stage3 {

class Sitemaps {
  public:
    /// What it works with must outlive it.
    explicit Sitemaps(const CrawlTools& tools)
        : tools_(tools), choice_(tools.settings.sitemaps),
          retries_(tools.settings.retries, tools.loop.random()) {}

    /// Reads them; call it once. What can't be read is left out. Throws as
    /// `PageFetch::after` does.
    Coroutine<> read(std::vector<common::Url> roots);

    /// Each URL once.
    const std::vector<ListedUrl>& listed() const { return listed_; }
    /// False if one of them isn't there, is excluded, or wasn't read to its end.
    bool has_read_all() const { return has_read_all_; }
    /// What they list beyond a limit, and sitemaps that can't be read.
    const std::vector<LeftOut>& left_out() const { return left_out_; }

  private:
    /// A sitemap to be read.
    struct Next {
        common::Url url;
        int depth = 0;         ///< indexes above it
        bool is_guess = false; ///< no one has named it
    };
    /// A response, after redirects.
    struct Got {
        common::Url url;
        int status = 0;
        std::string body = {};
        std::string error = {};   ///< why there is no body; empty: there is one
        bool is_refused = false;  ///< by robots.txt or the user
        bool is_given_up = false; ///< its server has failed too often
    };

    Coroutine<> look_in_robots(const std::vector<common::Url>& roots);
    common::Url meant(common::Url url) const;
    void add(Next next);
    Coroutine<> read_one(Next next);
    Coroutine<Got> fetch(common::Url url);
    Coroutine<> ask_robots(Got& got);
    Coroutine<Got> try_to_fetch(common::Url url);
    int& failures_at(const common::Url& url);
    Coroutine<std::optional<RetryPolicy::Duration>> try_once(common::Url url, int tries,
                                                             Got& got);
    Coroutine<> wait_for_turn(std::string host);
    void has_asked(const std::string& host);
    void note_refusal(const common::Url& url, EventLoop::Duration pause);
    void take(const Next& next, const common::Url& url, const Sitemap& sitemap);
    void tell_absent(const common::Url& sitemap, const std::string& why);
    void tell_unreadable(const common::Url& sitemap, const std::string& why);
    void leave_out(std::string_view why, std::size_t entries, const common::Url& sitemap);
    void list(const ListedUrl& one);
    void leave_out_rest();
    void tell_foreign() const;

    const CrawlTools tools_;
    const SitemapChoice& choice_;
    RetryPolicy retries_;
    std::deque<Next> to_read_;
    std::unordered_set<common::Url> seen_;                          // sitemaps
    std::unordered_set<common::Url> known_;                         // in `listed_`
    std::unordered_map<std::string, EventLoop::Duration> delays_;   // by host
    std::unordered_map<std::string, EventLoop::TimePoint> free_at_; // by host
    std::unordered_map<std::string, int> failures_;                 // in a row, by host
    int unreadable_ = 0;                                            // sitemaps
    int waits_ = 0;                                                 // for another try
    std::size_t foreign_sitemaps_ = 0;                              // foreign sitemaps
    bool has_read_all_ = true;
    std::vector<ListedUrl> listed_;
    std::size_t kept_bytes_ = 0; // of URLs
    bool is_full_ = false;       // listed_: more would exceed a limit
    std::size_t foreign_ = 0;    // listed, but out of scope
    std::optional<common::Url> first_foreign_;
    std::vector<LeftOut> left_out_;
};

} // namespace stage3
