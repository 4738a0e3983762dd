// A request for a page, and what comes of it: a response, or that it's too early to tell.
//
// Code that wants a page asks a PageSource. There are two: page_fetch.h asks the server;
// remembering_fetch.h comes first, and knows what servers have answered in earlier
// visits. Page 18b of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/page_response.h"
#include "stage3_queue_crawler/crawler/purpose.h"
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stage3 {

struct PageRequest {
    explicit PageRequest(common::Url u) : url(std::move(u)) {}
    explicit PageRequest(const Item& item)
        : url(item.url), purpose(item.purpose),
          attempt{.tries = item.tries, .refusals = item.refusals},
          wants_page(item.wants_page), is_remembered(item.is_remembered) {}

    common::Url url;
    Purpose purpose = Purpose::follow;
    Attempt attempt = {};
    bool wants_page = true; ///< see GetOptions
    /// Called as the request goes out.
    std::function<void()> on_request = [] {};
    bool is_remembered = false; ///< see Item
    /// "Name: value", for instance a condition: then 304 is an answer, too.
    std::vector<std::string> headers = {};
    bool is_conditional() const { return !headers.empty(); }
    /// A redirect that closes a circle is followed once more: see cookie_circles.h.
    bool opens_circles = true;

    /// Called with a response that will be the result, if it's set: what else is wanted
    /// of it?
    std::function<void(const Response&, PageResponse&)> on_head = {};
};

/// The URL should be requested again, after `wait`.
struct Again {
    RetryPolicy::Duration wait{};
    Reaction reaction = Reaction::none;
    bool was_a_try = true; ///< false: it was refused, or the failure was our own
};

using Fetched = std::variant<PageResponse, Again>;

class PageSource {
  public:
    PageSource() = default;
    PageSource(const PageSource&) = delete;
    PageSource& operator=(const PageSource&) = delete;
    virtual ~PageSource() = default;

    /// Of a response that isn't searched for links, the head will do: what becomes of the
    /// rest is not the result's concern. Failures are part of the result. Throws
    /// std::bad_alloc, and std::runtime_error if this machine has no descriptor for even
    /// one connection.
    virtual Coroutine<Fetched> fetch(PageRequest request) = 0;
};

} // namespace stage3
