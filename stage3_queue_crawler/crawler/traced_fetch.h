// Writes a fetch to the trace: its beginning, and its result.
#pragma once

#include "common/trace/trace.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/page_fetch.h"
#include "stage3_queue_crawler/crawler/url_name.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

namespace stage3 {

/// Traces a fetch until `end` or its own destruction, even if the fetch is cancelled or
/// fails. Costs next to nothing if the tracer is off.
class TracedFetch {
  public:
    /// `page` will hold the result. It must outlive this.
    TracedFetch(common::Tracer& tracer, const common::Url& url, const PageResponse& page)
        : tracer_(tracer), page_(page) {
        if (!tracer_.enabled()) [[likely]]
            return;
        url_ = url;
        id_ = tracer_.new_id();
        tracer_.fetch_start(id_, name_of(url));
    }
    TracedFetch(const TracedFetch&) = delete;
    TracedFetch& operator=(const TracedFetch&) = delete;
    ~TracedFetch() { end(); } // NOLINT(bugprone-exception-escape): if memory is used up

    /// Call it before the contents of `page` are moved away.
    void end() {
        const std::optional<common::Url> url = std::exchange(url_, std::nullopt);
        if (!url)
            return; // the tracer is off, or the end is written already
        // As a URL, it has lost any password that was in the text.
        std::optional<common::Url> next;
        if (!page_.location.empty())
            next = common::resolve_url(page_.location, *url);
        const bool broken = std::uncaught_exceptions() > exceptions_;
        tracer_.fetch_end(id_, name_of(*url),
                          {.status = page_.status,
                           .bytes = page_.bytes,
                           .next = next ? name_of(*next) : std::string_view(),
                           .error = broken ? "given up" : std::string_view(page_.error)});
    }

  private:
    common::Tracer& tracer_;
    const PageResponse& page_;
    std::optional<common::Url> url_; // until its end is written
    std::uint64_t id_ = 0;
    const int exceptions_ = std::uncaught_exceptions();
};

} // namespace stage3
