// Crawls made of the smallest coroutines.
#include "common/small/crawl.h"
#include "common/small/event_loop.h"
#include "stage2_coroutines/small/coroutine.h"
#include "stage2_coroutines/small/fetch.h"
#include "stage2_coroutines/small/task.h"
#include "tests/crawl/small_crawl.h"
#include "tests/support/prelude.h"

#include <list>

namespace {

TEST_CASE("the smallest crawl with tasks finds all of a site") {
    std::list<small::Task> tasks;
    tests::check_small_crawl(
        [&](small::Crawl& crawl, small::EventLoop& loop, const common::Url& url) {
            tasks.emplace_back(small::fetch_by_yielding(loop, url),
                               [&crawl, url](const std::string& response) {
                                   crawl.finished(url, response);
                               });
        });
}

small::Coroutine<bool> fetch_for(small::Crawl& crawl, small::EventLoop& loop,
                                 common::Url url) {
    std::string response;
    try {
        response = co_await small::fetch(loop, url);
    } catch (const std::exception& error) {
        FAIL_CHECK(url.href() << ": " << error.what());
    }
    crawl.finished(url, response);
    co_return true;
}

TEST_CASE("the smallest crawl with coroutines finds all of a site") {
    std::list<small::Coroutine<bool>> fetches;
    tests::check_small_crawl(
        [&](small::Crawl& crawl, small::EventLoop& loop, const common::Url& url) {
            fetches.push_back(fetch_for(crawl, loop, url));
            fetches.back().start();
        });
}

} // namespace
