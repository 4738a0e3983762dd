// One request for a page, with its result as a value.
//
// This has all that a request needs besides its URL: the session, the retry policy, which
// headers and passwords go where, and what to do when this machine has no descriptor
// left. It doesn't know where a URL comes from, or what its page is for.
// Page 18b of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/answers.h"
#include "stage3_queue_crawler/crawler/page_response.h"
#include "stage3_queue_crawler/crawler/purpose.h"
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/http/session.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace stage3 {

/// The URL should be requested again, after `wait`.
struct Again {
    RetryPolicy::Duration wait{};
    Reaction reaction = Reaction::none;
    bool was_a_try = true; ///< false: it was refused, or the failure was our own
};

using Fetched = std::variant<PageResponse, Again>;

struct PageFetchSettings {
    SessionOptions session;
    OpenHttp open_http = open_session;
    RetryLimits limits;
    bool reads_style_sheets = false; ///< they are searched, as pages are
    std::vector<common::Url> roots;
    /// By a root's origin, such as "https://example.org:8080".
    std::map<std::string, common::Login, std::less<>> logins;
    /// Is that someone else's server?
    std::function<bool(const common::Url&)> is_foreign = [](const common::Url&) {
        return false;
    };
    std::chrono::milliseconds foreign_retry{}; ///< see Checks
    Answers* answers = nullptr;                ///< of earlier visits, if there are any
    /// Called with messages for the user.
    std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

class PageFetch {
  public:
    /// `loop` must outlive it.
    PageFetch(EventLoop& loop, PageFetchSettings settings);

    /// Calls `on_request`, then requests `url`. Of a response
    /// that isn't searched for links, the head will do: what becomes of the rest is not
    /// the result's concern. For a check, a HEAD will do if it says that the URL is
    /// alive; otherwise a GET follows. If there is an answer from an earlier visit, it
    /// asks only whether that has changed, or nothing at all. Failures are part of the
    /// result. Throws
    /// std::bad_alloc, and std::runtime_error if this machine has no descriptor for even
    /// one connection.
    Coroutine<Fetched> fetch(common::Url url, Attempt attempt,
                             std::function<void()> on_request,
                             Purpose purpose = Purpose::follow);

    /// What to do after an error: try again, or nothing more. Throws like `fetch`.
    std::optional<Again> after(const FetchError& error, int tries);
    /// How many tries such an error is worth.
    int most_tries(const FetchError& error);
    /// How long to wait before a foreign server is asked for the second and last time;
    /// nothing for others.
    std::optional<std::chrono::milliseconds>
    pause_before_last_try(const common::Url& url) const {
        return settings_.is_foreign(url) ? std::optional(settings_.foreign_retry)
                                         : std::nullopt;
    }

    /// The user's own headers and passwords go only to the origins that the user has
    /// named, wherever links and redirects lead.
    GetOptions options_for(const common::Url& url) const;
    /// For fetching what isn't a page.
    Http& session() { return *session_; }

  private:
    Coroutine<Fetched> find_or_ask(common::Url url, Attempt attempt,
                                   std::function<void()> on_request, Purpose purpose);
    Coroutine<Fetched> ask(common::Url url, Attempt attempt,
                           std::function<void()> on_request, Purpose purpose,
                           GetOptions options);
    void take_headers(const Response& response, PageResponse& page) const;
    Coroutine<std::optional<Response>> check(common::Url url, GetOptions options,
                                             Purpose purpose, Attempt attempt,
                                             PageResponse& page);
    bool believes(const Response& to_head, const GetOptions& options, Purpose purpose);
    bool may_be_searched(const ResponseHead& head) const;
    std::optional<Again> gently(std::optional<Again> again, const PageResponse& page,
                                int tries) const;
    std::optional<Again> after_status(PageResponse& page, Attempt attempt);
    [[noreturn]] void end_crawl(std::exception_ptr why);
    Again wait_for_descriptor(const FetchError& error);

    EventLoop& loop_;
    const PageFetchSettings settings_;
    RetryPolicy retries_;
    std::unique_ptr<Http> session_;
    std::optional<EventLoop::TimePoint> alone_since_; // waiting for a descriptor
    std::exception_ptr fatal_;                        // why the crawl must end
    bool said_descriptors_ = false;
};

} // namespace stage3
