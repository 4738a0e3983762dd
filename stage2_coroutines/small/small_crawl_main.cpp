// small_crawl: crawls a site with the smallest coroutines that work, and prints its URLs.
//
//     small_crawl http://127.0.0.1:8000/
#include "common/small/crawl.h"
#include "common/small/event_loop.h"
#include "common/small/program.h"
#include "common/web/url.h"
#include "stage2_coroutines/small/coroutine.h"
#include "stage2_coroutines/small/fetch.h"
#include "stage2_coroutines/small/path.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <list>
#include <set>
#include <string>

namespace {

// [crawl]
// [fetch-for]
small::Coroutine<bool> fetch_for(small::Crawl& crawl, small::EventLoop& loop,
                                 common::Url url) {
    std::string response;
    try {
        response = co_await small::fetch(loop, url);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", url.href(), error.what());
        fmt::print(stderr, "{}", small::path.text());
    }
    crawl.finished(url, response);
    co_return true;
}
// [/fetch-for]

std::set<common::Url> crawl(const common::Url& root) {
    small::EventLoop loop;
    std::list<small::Coroutine<bool>> fetches; // they own their frames
    small::Crawl crawl(loop, [&](const common::Url& url) {
        fetches.push_back(fetch_for(crawl, loop, url));
        fetches.back().start();
    });
    return crawl.run(root);
}
// [/crawl]

} // namespace

int main(int argc, char** argv) { return small::run_program(argc, argv, crawl); }
