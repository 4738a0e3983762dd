// Crawls made of the smallest coroutines.
#include "common/first/crawl.h"
#include "common/first/event_loop.h"
#include "stage2_coroutines/first/coroutine.h"
#include "stage2_coroutines/first/fetch.h"
#include "stage2_coroutines/first/task.h"
#include "tests/crawl/first_crawl.h"
#include "tests/support/prelude.h"

#include <list>

namespace {

// [tasks]
TEST_CASE("the smallest crawl with tasks finds all of a site") {
    std::list<first::Task> tasks;
    tests::check_first_crawl(
        [&](first::Crawl& crawl, first::EventLoop& loop, const common::Url& url) {
            tasks.emplace_back(first::fetch_by_yielding(loop, url),
                               [&crawl, url](const std::string& response) {
                                   crawl.finished(url, response);
                               });
        });
}
// [/tasks]

first::Coroutine<bool> fetch_for(first::Crawl& crawl, first::EventLoop& loop,
                                 common::Url url) {
    std::string response;
    try {
        response = co_await first::fetch(loop, url);
    } catch (const std::exception& error) {
        FAIL_CHECK(url.href() << ": " << error.what());
    }
    crawl.finished(url, response);
    co_return true;
}

TEST_CASE("the smallest crawl with coroutines finds all of a site") {
    std::list<first::Coroutine<bool>> fetches;
    tests::check_first_crawl(
        [&](first::Crawl& crawl, first::EventLoop& loop, const common::Url& url) {
            fetches.push_back(fetch_for(crawl, loop, url));
            fetches.back().start();
        });
}

} // namespace
