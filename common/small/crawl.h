// The smallest crawl: two sets, and a function that begins a fetch.
//
// It doesn't know how a page is fetched: stage1_callbacks/small uses callbacks, and
// stage2_coroutines/small uses coroutines. It gives up at the first network error, which
// the crawl that stages 1 and 2 use (common/simple_crawl/crawl.h) doesn't. Page 03 of the
// book.
#pragma once

#include "common/small/event_loop.h"
#include "common/web/url.h"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace small {

/// Where a response leads: a page's links, or a redirect's target.
std::vector<common::Url> links_in(const std::string& response, const common::Url& url);

// [crawl]
class Crawl {
  public:
    /// Begins to fetch a URL and returns. Once the whole response is there, the fetch
    /// calls `finished`.
    using StartFetch = std::function<void(const common::Url&)>;

    Crawl(EventLoop& loop, StartFetch start_fetch)
        : loop_(loop), start_fetch_(std::move(start_fetch)) {}

    /// Fetches `root` and all pages that it leads to on its host. Returns their URLs.
    std::set<common::Url> run(const common::Url& root) {
        host_ = root.host();
        add({root});
        loop_.run();
        return seen_urls_;
    }

    // [finished]
    void finished(const common::Url& url, const std::string& response) {
        add(links_in(response, url)); // first, or the crawl would look finished
        urls_todo_.erase(url);
        if (urls_todo_.empty())
            loop_.stop();
    }
    // [/finished]

  private:
    // [add]
    void add(const std::vector<common::Url>& urls) {
        for (const common::Url& url : urls) {
            if (url.scheme() != "http" || url.host() != host_)
                continue;
            if (!seen_urls_.insert(url).second)
                continue; // not new
            urls_todo_.insert(url);
            start_fetch_(url);
        }
    }
    // [/add]

    EventLoop& loop_;
    StartFetch start_fetch_;
    std::string host_;
    std::set<common::Url> urls_todo_; // being fetched
    std::set<common::Url> seen_urls_; // ever seen
};
// [/crawl]

} // namespace small
