// Tells a trace of a fetch: that it begins, and what has come of it.
#pragma once

#include "common/trace/trace.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/page_fetch.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

namespace stage3 {

/// Lives as long as the fetch, or until `end`: also if that is cancelled, or fails. Costs
/// next to nothing if the tracer is off.
class TracedFetch {
  public:
    /// `page` is what comes of it, in the end. It must outlive this.
    TracedFetch(common::Tracer& tracer, const common::Url& url, const PageResponse& page)
        : tracer_(tracer), page_(page) {
        if (!tracer_.enabled()) [[likely]]
            return;
        url_ = url;
        id_ = tracer_.new_id();
        tracer_.fetch_start(id_, url.href());
    }
    TracedFetch(const TracedFetch&) = delete;
    TracedFetch& operator=(const TracedFetch&) = delete;
    ~TracedFetch() { end(); } // NOLINT(bugprone-exception-escape): if memory is used up

    /// Call it before what is told moves away.
    void end() {
        const std::optional<common::Url> url = std::exchange(url_, std::nullopt);
        if (!url)
            return; // it's off, or has been said
        // As a URL, it's without a password that somebody may have put in.
        std::optional<common::Url> next;
        if (!page_.location.empty())
            next = common::resolve_url(page_.location, *url);
        const bool broken = std::uncaught_exceptions() > exceptions_;
        tracer_.fetch_end(id_, url->href(),
                          {.status = page_.status,
                           .bytes = page_.bytes,
                           .next = next ? next->href() : std::string_view(),
                           .error = broken ? "given up" : std::string_view(page_.error)});
    }

  private:
    common::Tracer& tracer_;
    const PageResponse& page_;
    std::optional<common::Url> url_; // until its end is told
    std::uint64_t id_ = 0;
    const int exceptions_ = std::uncaught_exceptions();
};

} // namespace stage3
