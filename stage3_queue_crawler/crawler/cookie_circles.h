// Circles of redirects that open for a client with a cookie.
//
// Some servers answer a client without their cookie with a redirect: to the same URL, or
// by way of another one that sets the cookie. A browser goes round once more and is let
// in. A crawl asks for each URL once, so it would only see a redirect loop. Where a hop
// closes a circle, this follows the circle again, with the cookies that there are by
// then. Page 19 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/cookie_jar.h"
#include "stage3_queue_crawler/crawler/host_pauses.h"
#include "stage3_queue_crawler/crawler/leave_to_ask.h"
#include "stage3_queue_crawler/crawler/page_request.h"
#include "stage3_queue_crawler/crawler/page_response.h"
#include "stage3_queue_crawler/crawler/redirect_circles.h"
#include "stage3_queue_crawler/crawler/request_rules.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace stage3 {

class CookieCircles {
  public:
    /// What it works with must outlive it.
    CookieCircles(const CookieJar& jar, RedirectCircles& circles,
                  const RequestRules& rules, LeaveToAsk& leave, HostPauses& pauses)
        : jar_(jar), circles_(circles), rules_(rules), leave_(leave), pauses_(pauses) {}

    /// True if an answer that `url` gave to an earlier process may stand for one that it
    /// would give now. If it closes a circle, it may not: that process may have had other
    /// cookies.
    bool may_stand(const common::Url& url, const PageResponse& earlier);

    /// True if this response to `url` closes a circle that a cookie may open. If its site
    /// has never set one, nothing can have changed since its URLs were asked for.
    bool may_open(const common::Url& url, const PageResponse& response);

    /// Follows the circle that `answer` to `request` closes, with one GET after the
    /// other, and as politely as the crawl. The result is that of the first hop that
    /// leads out of the circle, or ends in a page or a failure; `answer`, if none does:
    /// if a URL would be asked for with the same cookies again, or after 20 hops. A host
    /// that sets a new cookie each time, for ever, gets 20 hops only a few times: it may
    /// have thousands of such URLs. `pages`: who asks the servers. Throws as
    /// PageSource::fetch does.
    Coroutine<Fetched> follow(PageRequest request, PageResponse answer,
                              PageSource& pages);

  private:
    Coroutine<bool> wait_for_turn(common::Url url);
    PageRequest hop(const PageRequest& request, const common::Url& url);
    void take_to_its_host(const PageRequest& request, const common::Url& url,
                          Fetched& fetched);

    const CookieJar& jar_;
    RedirectCircles& circles_;
    const RequestRules& rules_;
    LeaveToAsk& leave_;
    HostPauses& pauses_;
    bool has_earlier_ = false; // redirects of an earlier process, whose cookies are gone
    static constexpr int most_endless = 3;
    std::unordered_map<std::string, int> endless_; // ways round, by host
};

/// Where a redirect leads, if that response is one, came whole, and leads to a URL.
std::optional<common::Url> target_of(const common::Url& url,
                                     const PageResponse& response);

} // namespace stage3
