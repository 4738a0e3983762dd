// One request for a page, and what came of it, as a value.
//
// Here is all that a request needs beside its URL: the session, the policy of further
// tries, whose headers and passwords go where, and what to do when this machine has no
// descriptor left. Nobody here knows where a URL comes from, or what its page is for.
// Page 16 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/http/session.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace stage3 {

/// A response, or as much of it as there is.
struct PageResponse {
    int status = 0;           ///< 0: none came
    std::string content_type; ///< the header's text
    std::string location;     ///< the same
    std::chrono::seconds retry_after{};
    std::string body;      ///< decompressed
    std::size_t bytes = 0; ///< of the body, also if that's not whole
    std::string error;     ///< why it isn't whole; empty: it is
};

/// It should be asked for again, after so long.
struct Again {
    RetryPolicy::Duration wait{};
    bool host_is_busy = false; ///< not the page alone: ask that server for nothing
    bool was_a_try = true;     ///< false: it was we who couldn't
};

using Fetched = std::variant<PageResponse, Again>;

struct PageFetchSettings {
    SessionOptions session;
    int max_tries = 1; ///< for any one URL
    std::vector<common::Url> roots;
    /// For the roots' origins, such as "https://example.org:8080".
    std::map<std::string, common::Login, std::less<>> logins;
    /// Called with what the user should read.
    std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

class PageFetch {
  public:
    /// `loop` must outlive it.
    PageFetch(EventLoop& loop, PageFetchSettings settings);

    /// Asks for `url`, for the `tries`-th time, and calls `on_request` before. What goes
    /// wrong is part of the result. Throws std::runtime_error if this machine has no
    /// descriptor for even one connection.
    Coroutine<Fetched> fetch(common::Url url, int tries,
                             std::function<void()> on_request);

    /// What to do after an error: ask again, or nothing more. Throws like `fetch`.
    std::optional<Again> after(const FetchError& error, int tries);
    /// How many tries such an error is worth.
    int most_tries(const FetchError& error);

    /// The user's own headers and passwords go to the origins that the user has named,
    /// and to nobody else, wherever links and redirects lead.
    GetOptions options_for(const common::Url& url) const;
    /// For what is fetched beside pages.
    Session& session() { return session_; }

  private:
    std::optional<Again> after_status(int status, std::chrono::seconds retry_after,
                                      int tries);
    [[noreturn]] void end_crawl(std::exception_ptr why);
    Again wait_for_descriptor(const FetchError& error);

    EventLoop& loop_;
    const PageFetchSettings settings_;
    RetryPolicy retries_;
    Session session_;
    std::optional<EventLoop::TimePoint> alone_since_; // waiting for a descriptor
    std::exception_ptr fatal_;                        // of a machine without descriptors
    bool said_descriptors_ = false;
};

} // namespace stage3
