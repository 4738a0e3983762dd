// What servers answered in earlier visits, so that they need not be asked twice.
//
// A crawl that was interrupted begins again at its roots, but where there is an answer
// from before, it takes that one, with the links that were found on the page. So within a
// moment it is where it was. A later crawl asks servers only what has changed since.
// An interface, because the crawler need not know what a file is. Page 34 of the book.
#pragma once

#include "common/web/links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/page_response.h"
#include "stage3_queue_crawler/crawler/purpose.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <cstdint>
#include <optional>
#include <string>

namespace stage3 {

/// What is kept of a response besides what it says: where it comes from, and how to ask
/// whether it's still right.
struct KeptParts {
    enum class Source : std::uint8_t {
        server,     ///< it was asked just now
        unchanged,  ///< it was asked, and says that its last answer is still right
        this_crawl, ///< asked before this crawl was interrupted
        recent,     ///< asked in an earlier crawl, not long ago
        old,        ///< asked in an earlier crawl: it may have changed since
    };
    Source source = Source::server;
    std::string etag;            ///< the header's value
    std::string last_modified;   ///< the header's value
    std::int64_t asked_at = 0;   ///< Unix time; 0: now
    int tries = 0;               ///< that it took, if not now
    bool may_be_private = false; ///< what Http::may_be_private said then
};

// [answers]
class Answers {
  public:
    Answers() = default;
    Answers(const Answers&) = delete;
    Answers& operator=(const Answers&) = delete;
    virtual ~Answers() = default;

    /// True if `find` has an answer that will do without asking the server.
    virtual bool will_do(const common::Url& url, Purpose purpose) const = 0;
    /// The last answer, with its `kept`; if its source is `old`, it will do if the server
    /// says that nothing has changed. Nothing if there is none, or it's of no use.
    virtual Coroutine<std::optional<PageResponse>> find(common::Url url,
                                                        Purpose purpose) = 0;
    /// Keeps an answer for later; if it's a failure, the URL is asked about again.
    /// `links`: those on the page; null if it wasn't read. Doesn't wait, and doesn't fail
    /// because of a file.
    virtual void keep(const Item& item, const PageResponse& response, bool is_alive,
                      const common::Links* links) = 0;
};
// [/answers]

} // namespace stage3
