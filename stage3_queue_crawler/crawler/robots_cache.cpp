#include "stage3_queue_crawler/crawler/robots_cache.h"

#include "common/text/ascii.h"
#include "common/web/http_response.h"
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/traced_fetch.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <exception>
#include <utility>

namespace stage3 {
namespace {

std::shared_ptr<const RobotsAnswer> answer(Robots rules, std::string reason,
                                           bool cannot_say = false) {
    return std::make_shared<const RobotsAnswer>(RobotsAnswer{.rules = std::move(rules),
                                                             .reason = std::move(reason),
                                                             .cannot_say = cannot_say});
}

bool is_no_descriptor(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const FetchError& error) {
        return error.kind == FetchError::Kind::no_descriptor;
    } catch (...) {
        return false;
    }
}

} // namespace

// [ask]
Future<RobotsCache::Answer> RobotsCache::ask(const common::Url& url) {
    // Every origin has such a URL.
    const common::Url robots_url = common::resolve_url("/robots.txt", url).value_or(url);
    const auto known = origins_.find(robots_url);
    if (known != origins_.end() && loop_.time() < known->second.good_until)
        return known->second.answer;
    const Answer old = known == origins_.end() ? nullptr : take_old(known->second);
    const Future<Answer> answer(loop_);
    Task<> fetch = group_->create_task(find_out(robots_url, answer), "robots.txt");
    auto ended = std::make_unique<CancelAtExit>(
        fetch.add_done_callback([this, robots_url](const auto&) {
            Origin& origin = origins_.at(robots_url);
            if (origin.answer.cancel()) // the fetch was cancelled, perhaps before it ran
                origin.good_until = {};
        }));
    origins_.insert_or_assign(robots_url, Origin{.answer = answer,
                                                 .fetch = std::move(fetch),
                                                 .callback = std::move(ended),
                                                 .before = old});
    return answer;
}
// [/ask]

/// The rules of an origin that is asked again. It can't be dropped until it has answered.
RobotsCache::Answer RobotsCache::take_old(Origin& origin) {
    const auto kept = std::exchange(origin.kept, std::nullopt);
    if (!kept)
        return origin.before; // the last fetch was cancelled, or failed
    bytes_kept_ -= (*kept)->second;
    kept_.erase(*kept);
    return origin.answer.result();
}

/// Waits for its turn, fetches, and sets the answer.
Coroutine<> RobotsCache::find_out(common::Url robots_url, Future<Answer> answer) {
    try {
        const Answer found = co_await fetch(robots_url);
        if (answer.done())
            co_return; // it was cancelled meanwhile
        const Answer before = origins_.at(robots_url).before;
        if (found->cannot_say && before)
            settle(robots_url, before, failed_for);
        else
            settle(robots_url, found, good_for);
    } catch (const std::exception&) {
        const auto why = std::current_exception();
        if (answer.done())
            co_return;
        // A lack of descriptors is our own failure, and temporary.
        const auto wait = is_no_descriptor(why) ? EventLoop::Duration() : failed_for;
        Origin& origin = origins_.at(robots_url);
        origin.good_until = loop_.time() + wait;
        if (origin.before)
            settle(robots_url, origin.before, wait);
        else
            answer.set_exception_quietly(why); // perhaps no task needs it any more
    }
}

/// Sets the answer, and keeps it. A server with many ports could fill our memory with a
/// robots.txt for each, so the oldest are dropped.
void RobotsCache::settle(const common::Url& robots_url, const Answer& found,
                         EventLoop::Duration time) {
    Origin& origin = origins_.at(robots_url);
    origin.good_until = loop_.time() + time;
    origin.answer.set_result(found);
    origin.kept = kept_.emplace(kept_.end(), robots_url, found->rules.memory());
    bytes_kept_ += kept_.back().second;
    while (bytes_kept_ > settings_.most_kept && kept_.size() > 1) {
        bytes_kept_ -= kept_.front().second;
        origins_.erase(kept_.front().first); // an answer already given stays valid
        kept_.pop_front();
    }
}

void RobotsCache::cancel_all() {
    for (auto& [url, origin] : origins_) {
        if (origin.answer.done())
            continue;
        origin.fetch.cancel();
        origin.good_until = {}; // asking again starts another fetch
        origin.answer.cancel();
    }
}

Coroutine<RobotsCache::Answer> RobotsCache::fetch(common::Url robots_url) {
    const auto pause = rules_.pause_before_last_try(robots_url);
    for (Attempt attempt;;) {
        RetryPolicy::Duration wait{};
        try {
            const Permit permit = co_await fetches_.acquire(); // released before sleeping
            const Tried tried = co_await try_to_fetch(robots_url, attempt);
            if (tried.answer)
                co_return tried.answer;
            wait = tried.wait;
            ++(tried.was_refused ? attempt.refusals : attempt.tries);
        } catch (const FetchError& error) {
            const auto again = retries_.after(error, attempt.tries);
            if (!again || (pause && attempt.tries >= 2))
                throw;
            ++attempt.tries;
            wait = pause ? std::max<RetryPolicy::Duration>(*again, *pause) : *again;
        }
        co_await sleep(std::chrono::ceil<EventLoop::Duration>(wait));
    }
}

/// The text, as much of it as counts. A failure here is this file's own: others may well
/// be available from the same server.
Coroutine<std::string> RobotsCache::read(Response& response) {
    try {
        co_return co_await response.read_beginning();
    } catch (const FetchError& error) {
        throw FetchError(error.kind, fmt::format("robots.txt: {}", error.what()),
                         error.bytes);
    }
}

/// If the server says that it can't say now: whether to try again, or what to assume.
std::optional<RobotsCache::Tried> RobotsCache::hear_refusal(const common::Url& url,
                                                            const Response& response,
                                                            Attempt attempt) {
    const int status = response.status();
    const std::chrono::seconds wanted = response.retry_after();
    const auto wait = retries_.after(status, wanted, attempt);
    if (status == 429 || status == 503)
        pauses_.refused(host_of(url),
                        std::chrono::ceil<EventLoop::Duration>(wait.value_or(wanted)));
    if (wait)
        return Tried{.answer = {},
                     .wait = *wait,
                     .was_refused = RetryPolicy::is_refusal(status, wanted)};
    if (status >= 500 || status == 429)
        return Tried{.answer =
                         answer(Robots::allow_nothing(),
                                fmt::format("robots.txt: HTTP status {}", status), true)};
    return {};
}

/// If the result has no answer, it should be tried again.
Coroutine<RobotsCache::Tried> RobotsCache::try_to_fetch(common::Url robots_url,
                                                        Attempt attempt) {
    Tried result;
    constexpr int most_redirects = 5;
    common::Url url = std::move(robots_url);
    for (int redirects = 0; redirects <= most_redirects; ++redirects) {
        GetOptions options = rules_.options_for(url);
        options.max_body = Robots::max_size + 1; // to notice that there is more
        pauses_.has_asked(host_of(url));
        PageResponse told;
        const TracedFetch traced(loop_.tracer(), url, told);
        Response response = co_await session_.get(url, options);
        const int status = response.status();
        told.status = status;
        if (common::is_success(status)) {
            const std::string text = co_await read(response);
            told.bytes = text.size();
            result.answer =
                answer(Robots::parse(text, product_token_), "disallowed by robots.txt");
            co_return result;
        }
        if (const auto not_now = hear_refusal(url, response, attempt))
            co_return *not_now;
        const std::string_view location = common::trim(response.header("Location"));
        told.location = location;
        const auto target = common::is_redirect(status) && !location.empty()
                                ? common::resolve_url(location, url)
                                : std::nullopt;
        if (!target)
            break; // there is no robots.txt: all is allowed
        url = *target;
    }
    result.answer = answer(Robots::allow_all(), "");
    co_return result;
}

} // namespace stage3
