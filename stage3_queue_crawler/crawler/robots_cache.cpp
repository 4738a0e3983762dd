#include "stage3_queue_crawler/crawler/robots_cache.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace stage3 {
namespace {

std::shared_ptr<const RobotsAnswer> answer(Robots rules, std::string reason) {
    return std::make_shared<const RobotsAnswer>(
        RobotsAnswer{.rules = std::move(rules), .reason = std::move(reason)});
}

} // namespace

Coroutine<RobotsCache::Answer> RobotsCache::ask(common::Url url) {
    // Every origin has such a URL.
    const common::Url robots_url = common::resolve_url("/robots.txt", url).value_or(url);
    const std::string& key = robots_url.href();
    auto place = answers_.find(key);
    if (place == answers_.end())
        place = answers_.emplace(key, create_task(fetch(robots_url), "robots.txt")).first;
    const Future<Answer> future = place->second;
    std::optional<FetchError> failure;
    try {
        co_return co_await future;
    } catch (const FetchError& error) {
        failure = error;
    }
    answers_.erase(key);
    throw FetchError(*failure);
}

Coroutine<RobotsCache::Answer> RobotsCache::fetch(common::Url robots_url) {
    constexpr int most_redirects = 5;
    common::Url url = std::move(robots_url);
    for (int redirects = 0; redirects <= most_redirects; ++redirects) {
        const GetOptions options{.max_body = Robots::max_size};
        Response response = co_await session_.get(url, options);
        const int status = response.status();
        if (status >= 200 && status < 300) {
            const std::string text = co_await response.read_beginning();
            co_return answer(Robots::parse(text, product_token_),
                             "disallowed by robots.txt");
        }
        if (status >= 500)
            co_return answer(Robots::allow_nothing(),
                             fmt::format("robots.txt: HTTP status {}", status));
        const auto target = status >= 300 && status < 400
                                ? common::resolve_url(response.header("Location"), url)
                                : std::nullopt;
        if (!target)
            break; // there is none: all is allowed
        url = *target;
    }
    co_return answer(Robots::allow_all(), "");
}

} // namespace stage3
