#include "stage3_queue_crawler/crawler/leave_to_ask.h"

#include <algorithm>
#include <chrono>

namespace stage3 {

Coroutine<std::optional<EventLoop::Duration>> LeaveToAsk::pause_before(common::Url url) {
    if (scope_.excludes(url))
        co_return std::nullopt;
    const bool is_foreign = rules_.is_foreign(url);
    const auto delay = is_foreign ? foreign_delay_ : delay_;
    if (!obeys_robots_)
        co_return delay;
    try {
        const RobotsSource::Answer answer = co_await robots_.ask(url);
        if (!answer->rules.allows(url.target()))
            co_return std::nullopt;
        const auto wanted = answer->rules.crawl_delay().value_or(Robots::Duration());
        co_return std::max(delay, std::chrono::ceil<EventLoop::Duration>(wanted));
    } catch (const FetchError&) {
        co_return std::nullopt;
    }
}

} // namespace stage3
