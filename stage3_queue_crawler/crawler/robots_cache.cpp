#include "stage3_queue_crawler/crawler/robots_cache.h"

#include <fmt/format.h>

#include <utility>

namespace stage3 {
namespace {

std::shared_ptr<const RobotsAnswer> answer(Robots rules, std::string reason) {
    return std::make_shared<const RobotsAnswer>(
        RobotsAnswer{.rules = std::move(rules), .reason = std::move(reason)});
}

} // namespace

// [ask]
Future<RobotsCache::Answer> RobotsCache::ask(const common::Url& url) {
    // Every origin has such a URL.
    const common::Url robots_url = common::resolve_url("/robots.txt", url).value_or(url);
    const auto known = answers_.find(robots_url.href());
    if (known != answers_.end() && !known->second.has_failed())
        return known->second;
    Future<Answer> answer = create_task(fetch(robots_url), "robots.txt");
    ++*under_way_;
    answer.add_done_callback([count = under_way_](const auto&) { --*count; });
    answer.base().mark_retrieved(); // perhaps nobody needs it any more when it comes
    answers_.insert_or_assign(robots_url.href(), answer);
    return answer;
}
// [/ask]

std::vector<Future<RobotsCache::Answer>> RobotsCache::cancel_all() {
    std::vector<Future<Answer>> under_way;
    for (auto& [url, answer] : answers_)
        if (!answer.done()) {
            answer.cancel();
            under_way.push_back(answer);
        }
    return under_way;
}

// [fetch]
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
// [/fetch]

} // namespace stage3
