// From bytes to links: in this thread, or in another one if that is worth the trip.
//
// Except for one flag, all that a thread uses is its own or never changes. So no lock is
// needed, and a page can still be read after the crawl that wanted it is gone. Page 26
// of the book.
#pragma once

#include "common/web/links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/purpose.h"
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

/// Finds the links on a page: see common::find_links.
using FindLinks =
    std::function<common::Links(std::string_view body, std::string_view content_type,
                                const common::Url& base, const common::LinkLimits&)>;

struct PageReaderSettings {
    /// True: pages are read by the loop's executor (LoopOptions::threads sets how many
    /// threads that has). False: they are read in the loop's own thread.
    bool in_threads = false;
    FindLinks find_links = common::find_links; ///< may be called in executor threads
    std::function<bool()> is_asked_to_end = [] { return false; }; ///< see CrawlSettings
    Checks checks = {};
};

class PageReader {
  public:
    /// Reads for a crawl of what `scope` contains. `loop` must outlive it.
    PageReader(EventLoop& loop, std::shared_ptr<const Scope> scope,
               PageReaderSettings settings)
        : loop_(loop), scope_(std::move(scope)), in_threads_(settings.in_threads),
          find_links_(std::move(settings.find_links)),
          is_asked_to_end_(std::move(settings.is_asked_to_end)),
          checks_(std::move(settings.checks)) {}
    PageReader(const PageReader&) = delete;
    PageReader& operator=(const PageReader&) = delete;
    ~PageReader() { stop(); }

    /// The distinct links in scope on the page at `url`. Throws what the parser throws.
    /// If the crawl is asked to end meanwhile, this waits to be cancelled.
    Coroutine<common::Links> read(common::Url url, std::string content_type,
                                  std::string body);

    /// The links are no longer needed: threads that are still reading end soon.
    void stop() { *is_over_ = true; }

  private:
    EventLoop& loop_;
    const std::shared_ptr<const Scope> scope_; // shared with threads
    const std::shared_ptr<std::atomic<bool>> is_over_ =
        std::make_shared<std::atomic<bool>>(false); // for threads that are still reading
    const bool in_threads_;
    const FindLinks find_links_;
    const std::function<bool()> is_asked_to_end_;
    const Checks checks_;
    double seconds_per_byte_ = 1e-9; // to read a page: a mean over the last ones
};

} // namespace stage3
