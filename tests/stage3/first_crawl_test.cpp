// A crawl by the smallest workers.
#include "common/web/url.h"
#include "stage3_queue_crawler/first/crawl.h"
#include "stage3_queue_crawler/first/event_loop.h"
#include "stage3_queue_crawler/first/task.h"
#include "tests/crawl/whole_site.h"
#include "tests/support/process.h"

#include <doctest/doctest.h>

#include <set>

using stage3::first::Crawl;
using stage3::first::EventLoop;
using stage3::first::Task;
using tests::run_program;

namespace {

TEST_CASE("the smallest crawl with workers fetches all of a site, ten pages at a time") {
    const auto most_requests =
        tests::check_that_all_is_found([](const common::Url& root) {
            EventLoop loop;
            Crawl crawl(loop);
            Task main(loop, crawl.run(root, 10));
            run_until_complete(loop, main);
            CHECK(crawl.failed().empty());
            return crawl.seen();
        });
    CHECK(most_requests > 5);
    CHECK(most_requests <= 10);
}

TEST_CASE("the smallest crawl: a page that can't be fetched ends no worker") {
    const auto nobody = *common::parse_url("http://127.0.0.1:1/");
    EventLoop loop;
    Crawl crawl(loop);
    Task main(loop, crawl.run(nobody, 2));
    run_until_complete(loop, main);
    CHECK(crawl.failed().size() == 1);
    CHECK(crawl.failed().count(nobody) == 1);
}

TEST_CASE("first_crawl reports what it couldn't fetch") {
    const auto finished = run_program("FIRST_CRAWL", {"http://127.0.0.1:1/"});
    CHECK(finished.status == 0);
    CHECK(finished.out == "http://127.0.0.1:1/\n");
    CHECK(finished.err == "http://127.0.0.1:1/: connect: Connection refused\n");
    CHECK(run_program("FIRST_CRAWL", {}).status == 2);
}

} // namespace
