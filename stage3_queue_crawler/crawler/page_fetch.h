// One request for a page, with its result as a value.
//
// This has all that a request needs besides its URL: the session, the retry policy, and
// what to do when this machine has no descriptor left. It doesn't know where a URL comes
// from, or what its page is for. Page 18b of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/checks.h"
#include "stage3_queue_crawler/crawler/cookie_circles.h"
#include "stage3_queue_crawler/crawler/page_request.h"
#include "stage3_queue_crawler/crawler/page_response.h"
#include "stage3_queue_crawler/crawler/purpose.h"
#include "stage3_queue_crawler/crawler/request_rules.h"
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/http/session.h"

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace stage3 {

class PageFetch final : public PageSource {
  public:
    /// `loop`, `session` and `rules` must outlive it. `on_note` is called with messages
    /// for the user. `circles`: follows circles of redirects again, unless it's null.
    PageFetch(EventLoop& loop, Http& session, const RequestRules& rules,
              const RetryLimits& retries, const Checks& checks,
              std::function<void(const std::string&)> on_note,
              CookieCircles* circles = nullptr)
        : loop_(loop), session_(session), rules_(rules), retries_(retries, loop.random()),
          searches_style_sheets_(checks.assets), foreign_retry_(checks.foreign_retry),
          on_note_(std::move(on_note)), circles_(circles) {}

    /// For a check, a HEAD will do if it says that the URL is alive; otherwise a GET
    /// follows. If only a page's ids are wanted, it's alive by its head: a body that
    /// doesn't come whole isn't searched, and that is all.
    Coroutine<Fetched> fetch(PageRequest request) override;

    /// What to do after an error: try again, or nothing more. Throws like `fetch`.
    std::optional<Again> after(const FetchError& error, int tries);
    /// When to try again after a failure that was our own, and not the server's; nothing
    /// if it was the server's, or `failure` is null. Throws like `fetch`.
    std::optional<Again> after_our_own(const std::exception_ptr& failure, int tries);
    /// How many tries such a failure is worth; 1 if it's no FetchError.
    int most_tries(const std::exception_ptr& failure);

  private:
    Coroutine<Fetched> ask(PageRequest request, GetOptions options);
    Coroutine<> search(const PageRequest& request, Response& response,
                       PageResponse& page) const;
    void take_head(const PageRequest& request, const Response& response,
                   PageResponse& page) const;
    Coroutine<std::optional<Response>> check(const PageRequest& request,
                                             GetOptions options, PageResponse& page);
    bool believes(const Response& to_head, const PageRequest& request);
    bool may_be_searched(const ResponseHead& head, Purpose purpose) const;
    std::optional<Again> gently(std::optional<Again> again, int tries,
                                PageResponse& page) const;
    std::optional<Again> after_failure(const FetchError& error, int tries,
                                       PageResponse& page);
    std::optional<Again> after_status(PageResponse& page, Attempt attempt);
    [[noreturn]] void end_crawl(std::exception_ptr why);
    Again wait_for_descriptor(const FetchError& error);

    EventLoop& loop_;
    Http& session_;
    const RequestRules& rules_;
    RetryPolicy retries_;
    const bool searches_style_sheets_; // as pages are
    const std::chrono::milliseconds foreign_retry_;
    const std::function<void(const std::string&)> on_note_;
    CookieCircles* const circles_;                    // null: none is followed again
    std::optional<EventLoop::TimePoint> alone_since_; // waiting for a descriptor
    std::exception_ptr fatal_;                        // why the crawl must end
    bool said_descriptors_ = false;
};

} // namespace stage3
