// first_crawl: crawls a site with the smallest coroutines that work, and prints its URLs.
//
//     first_crawl http://127.0.0.1:8000/
#include "common/first/crawl.h"
#include "common/first/event_loop.h"
#include "common/web/url.h"
#include "stage2_coroutines/first/coroutine.h"
#include "stage2_coroutines/first/fetch.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <list>
#include <optional>
#include <string>

namespace {

// [crawl]
first::Coroutine<bool> fetch_for(first::Crawl& crawl, first::EventLoop& loop,
                                 common::Url url) {
    std::string response;
    try {
        response = co_await first::fetch(loop, url);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", url.href(), error.what());
    }
    crawl.finished(url, response);
    co_return true;
}

int crawl(const common::Url& root) {
    first::EventLoop loop;
    std::list<first::Coroutine<bool>> fetches; // which own their frames
    first::Crawl crawl(loop, [&](const common::Url& url) {
        fetches.push_back(fetch_for(crawl, loop, url));
        fetches.back().start();
    });
    for (const common::Url& url : crawl.run(root))
        fmt::print("{}\n", url.href());
    return 0;
}
// [/crawl]

} // namespace

int main(int argc, char** argv) {
    const auto root =
        argc == 2 ? common::parse_root_url(argv[1]) : std::optional<common::Url>();
    if (!root || root->scheme() != "http") {
        fmt::print(stderr, "usage: first_crawl URL (such as http://127.0.0.1:8000/)\n");
        return 2;
    }
    try {
        return crawl(*root);
    } catch (const std::exception& error) {
        fmt::print(stderr, "first_crawl: {}\n", error.what());
        return 1;
    }
}
