// From a response to the links on it: read in this thread, or in another one if that is
// worth the trip.
//
// Except for one flag, all that a thread uses is its own or never changes. So no lock is
// needed, and a page can still be read after the crawl that wanted it is gone. Page 26
// of the book.
#pragma once

#include "common/trace/stack_trace.h"
#include "common/web/links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/checks.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/page_response.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/crawler/time_account.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/task.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
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
};

/// What a PageReader works with.
struct PageReaderHelpers {
    FindLinks find_links = common::find_links; ///< may be called in executor threads
    /// True once the crawl is about to be cancelled: a page is then not read to its end.
    /// With slow patterns, that could take minutes during which the loop's own thread
    /// handles nothing else. Called often, and in executor threads, too.
    std::function<bool()> is_asked_to_end = [] { return false; };
    /// Called with messages for the user.
    std::function<void(const std::string&)> on_note = [](const std::string&) {};
    TimeAccount* account = nullptr; ///< nullptr: none is kept
};

class PageReader {
  public:
    /// Reads for a crawl of what `scope` contains. `loop` must outlive it.
    PageReader(EventLoop& loop, std::shared_ptr<const Scope> scope,
               PageReaderSettings settings, Checks checks = {},
               PageReaderHelpers helpers = {})
        : loop_(loop), scope_(std::move(scope)), settings_(settings),
          checks_(std::move(checks)), helpers_(std::move(helpers)) {}
    PageReader(const PageReader&) = delete;
    PageReader& operator=(const PageReader&) = delete;
    ~PageReader() { stop(); }

    /// The links on the page of this item, or those that an earlier visit has found
    /// there; nothing if it's no document that has links, or isn't to be read. Only its
    /// ids, unless its links are to be followed. What a parser throws becomes the
    /// response's error, if they are, except for std::bad_alloc. Both must live until
    /// this has ended.
    Coroutine<std::optional<common::Links>> links_on(const Item& item,
                                                     PageResponse& response);

    /// The distinct links in scope on the page at `url`; or only its ids. Throws what the
    /// parser throws. If the crawl is asked to end meanwhile, this waits to be cancelled.
    Coroutine<common::Links> read(common::Url url, std::string content_type,
                                  std::string body, bool only_ids = false);

    /// The links are no longer needed: threads that are still reading end soon.
    void stop() { *is_over_ = true; }

  private:
    std::optional<common::Links> earlier_links(const Item& item,
                                               PageResponse& response) const;
    void tell_way(const common::Url& url, const common::TracedError& error) const;

    EventLoop& loop_;
    const std::shared_ptr<const Scope> scope_; // shared with threads
    const std::shared_ptr<std::atomic<bool>> is_over_ =
        std::make_shared<std::atomic<bool>>(false); // for threads that are still reading
    const PageReaderSettings settings_;
    const Checks checks_;
    const PageReaderHelpers helpers_;
    double seconds_per_byte_ = 1e-9; // to read a page: a mean over the last ones
};

} // namespace stage3
