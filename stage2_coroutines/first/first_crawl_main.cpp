// first_crawl: crawls a site with the smallest coroutines that work, and prints its URLs.
//
//     first_crawl http://127.0.0.1:8000/
#include "common/first/crawl.h"
#include "common/first/event_loop.h"
#include "common/first/program.h"
#include "common/web/url.h"
#include "stage2_coroutines/first/coroutine.h"
#include "stage2_coroutines/first/fetch.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <list>
#include <set>
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

std::set<common::Url> crawl(const common::Url& root) {
    first::EventLoop loop;
    std::list<first::Coroutine<bool>> fetches; // they own their frames
    first::Crawl crawl(loop, [&](const common::Url& url) {
        fetches.push_back(fetch_for(crawl, loop, url));
        fetches.back().start();
    });
    return crawl.run(root);
}
// [/crawl]

} // namespace

int main(int argc, char** argv) { return first::run_program(argc, argv, crawl); }
