// Stands before the door to HTTP, and remembers what came through it earlier.
//
// It's a PageSource like the one behind it, so nobody else has to know that a response
// may be older than the request. Page 34 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/answers.h"
#include "stage3_queue_crawler/crawler/cookie_circles.h"
#include "stage3_queue_crawler/crawler/page_request.h"
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <memory>

namespace stage3 {

class RememberingFetch final : public PageSource {
  public:
    /// All of these must outlive it. `limits`: how long a server may ask to wait.
    /// `circles`: of redirects that a cookie might open, or null if there are no cookies.
    RememberingFetch(PageSource& behind, Answers& answers, Http& session,
                     const RetryLimits& limits, CookieCircles* circles = nullptr)
        : behind_(behind), answers_(answers), session_(session), limits_(limits),
          circles_(circles) {}

    /// If there is an answer from an earlier visit, this asks only whether it has
    /// changed, or nothing at all. A redirect that would close a circle is asked about
    /// anew: the crawl that had this answer may have had other cookies. An item that was
    /// let in since it needs no request, but does need one, must first wait for its turn.
    Coroutine<Fetched> fetch(PageRequest request) override;

  private:
    Coroutine<Fetched> ask_again(PageRequest request, PageResponse earlier);
    PageResponse take_earlier(PageResponse earlier);

    PageSource& behind_;
    Answers& answers_;
    Http& session_;
    const RetryLimits limits_;
    CookieCircles* const circles_;
};

/// One that stands before `behind`; nullptr if there are no answers.
std::unique_ptr<PageSource> remember(PageSource& behind, Answers* answers, Http& session,
                                     const RetryLimits& limits, CookieCircles* circles);

} // namespace stage3
