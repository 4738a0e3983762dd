#include "stage3_queue_crawler/crawler/cookie_circles.h"

#include "common/web/http_response.h"
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <chrono>
#include <optional>
#include <set>
#include <utility>
#include <variant>

namespace stage3 {

using common::Url;

namespace {

/// As the redirect of another URL. A Url has no fragment, but whether the redirect has
/// one makes a difference.
void make_absolute(std::string& location, const Url& target) {
    const auto fragment = location.find('#');
    location = std::string(target.href())
               + (fragment == std::string::npos ? "" : location.substr(fragment));
}

} // namespace

std::optional<Url> target_of(const Url& url, const PageResponse& response) {
    if (!common::is_redirect(response.status) || response.location.empty()
        || !response.error.empty())
        return {};
    return common::resolve_url(response.location, url);
}

bool CookieCircles::may_stand(const Url& url, const PageResponse& earlier) {
    const auto target = target_of(url, earlier);
    if (target && circles_.closes(url, *target))
        return false;
    has_earlier_ = has_earlier_ || target;
    return true;
}

bool CookieCircles::may_open(const Url& url, const PageResponse& response) {
    const auto target = target_of(url, response);
    const auto may_have_changed = [this](const Url& hop) {
        return has_earlier_ || jar_.has_known(hop);
    };
    return target && (may_have_changed(url) || may_have_changed(*target))
           && circles_.closes(url, *target);
}

Coroutine<Fetched> CookieCircles::follow(PageRequest request, PageResponse answer,
                                         PageSource& pages) {
    const std::string host = host_of(request.url);
    const int most_hops = endless_[host] < most_endless ? 20 : 2; // 20 as for browsers
    std::set<std::pair<Url, std::string>> asked;                  // with these cookies
    std::optional<Url> next = target_of(request.url, answer);
    for (int hops = 0; next; ++hops) {
        if (hops == most_hops) {
            ++endless_[host];
            break;
        }
        const Url here = *next;
        if (!asked.emplace(here, rules_.cookies_for(here)).second)
            break;
        const bool is_allowed = co_await wait_for_turn(here);
        if (!is_allowed)
            break;
        Fetched fetched = co_await pages.fetch(hop(request, here));
        take_to_its_host(request, here, fetched);
        auto* const page = std::get_if<PageResponse>(&fetched);
        if (page == nullptr)
            co_return fetched;
        next = target_of(here, *page);
        if (next && circles_.closes(request.url, *next))
            continue;
        page->from = here;
        if (next)
            make_absolute(page->location, *next);
        co_return fetched;
    }
    co_return answer;
}

/// False if it may not be asked for. Until the pause after this request is over, its host
/// gets no other one.
Coroutine<bool> CookieCircles::wait_for_turn(Url url) {
    const auto pause = co_await leave_.pause_before(url);
    if (pause && *pause > EventLoop::Duration::zero()) {
        pauses_.hold(host_of(url), 2 * *pause);
        co_await sleep(*pause);
    }
    co_return pause.has_value();
}

/// Without a condition: the answer that it's about was another URL's, or came without
/// cookies.
PageRequest CookieCircles::hop(const PageRequest& request, const Url& url) {
    PageRequest hop(url);
    hop.purpose = request.purpose;
    hop.attempt = request.attempt;
    hop.wants_page = request.wants_page;
    hop.on_request = [this, host = host_of(url)] { pauses_.has_asked(host); };
    hop.on_head = request.on_head;
    hop.opens_circles = false;
    return hop;
}

/// If another host than the item's has refused, the item's own needs no pause.
void CookieCircles::take_to_its_host(const PageRequest& request, const Url& url,
                                     Fetched& fetched) {
    const std::string host = host_of(url);
    if (host == host_of(request.url))
        return;
    Reaction& reaction =
        std::visit([](auto& one) -> Reaction& { return one.reaction; }, fetched);
    if (reaction != Reaction::refused && reaction != Reaction::busy)
        return;
    reaction = Reaction::answered;
    RetryPolicy::Duration wait{};
    if (auto* const again = std::get_if<Again>(&fetched)) {
        wait = again->wait;
        again->was_a_try = true; // else there might be no end of it
    } else {
        wait = std::get<PageResponse>(fetched).retry_after;
    }
    pauses_.refused(host, std::chrono::ceil<EventLoop::Duration>(wait));
}

} // namespace stage3
