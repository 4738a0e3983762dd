// Bytes to links: in this thread, or in another one, if that is worth the way there.
//
// Whatever a thread needs is its own, or can't change, but for one flag. So nobody needs
// a lock, and a page may still be read while the crawl that wanted it has gone. Page 26
// of the book.
#pragma once

#include "common/web/links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/task.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace stage3 {

/// What finds the links on a page: see common::find_links.
using FindLinks =
    std::function<common::Links(std::string_view body, std::string_view content_type,
                                const common::Url& base, const common::LinkLimits&)>;

struct PageReaderSettings {
    /// Whether pages are read by the loop's executor (LoopOptions::threads says how many
    /// threads that has), or in the loop's own thread.
    bool in_threads = false;
    FindLinks find_links = common::find_links; ///< called in threads, too
    std::function<bool()> is_asked_to_end = [] { return false; }; ///< see CrawlSettings
};

class PageReader {
  public:
    /// Reads for a crawl of what `scope` contains. `loop` must outlive it.
    PageReader(EventLoop& loop, std::shared_ptr<const Scope> scope,
               PageReaderSettings settings)
        : loop_(loop), scope_(std::move(scope)), in_threads_(settings.in_threads),
          find_links_(std::move(settings.find_links)),
          is_asked_to_end_(std::move(settings.is_asked_to_end)) {}
    PageReader(const PageReader&) = delete;
    PageReader& operator=(const PageReader&) = delete;
    ~PageReader() { stop(); }

    /// The links in scope on a page, each once. `url`: where the page was. Throws what
    /// the parser does. If the crawl is asked to end meanwhile, it waits to be cancelled.
    Coroutine<common::Links> read(common::Url url, std::string content_type,
                                  std::string body);

    /// Nobody needs the links any more. Threads that still read end soon.
    void stop() { *is_over_ = true; }

  private:
    EventLoop& loop_;
    const std::shared_ptr<const Scope> scope_; // shared with threads
    const std::shared_ptr<std::atomic<bool>> is_over_ =
        std::make_shared<std::atomic<bool>>(false); // for threads that still read
    const bool in_threads_;
    const FindLinks find_links_;
    const std::function<bool()> is_asked_to_end_;
    double seconds_per_byte_ = 1e-9; // to read a page: a mean of the last ones
};

} // namespace stage3
