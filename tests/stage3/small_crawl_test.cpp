// A crawl by the smallest workers. Compiled twice: with the loop of page 10, and with the
// loop of page 31, which has io_uring.
//
// The variable SITES sets the number of random sites.
#include "common/web/url.h"
#include "stage3_queue_crawler/small/crawl.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/task.h"
#include "tests/crawl/whole_site.h"
#include "tests/support/in_bulk.h"
#include "tests/support/prelude.h"
#include "tests/support/process.h"

#include <random>

using namespace stage3::small;
using tests::run_program;

namespace {

auto crawl_with(std::size_t workers) {
    return [workers](const common::Url& root) {
        EventLoop loop;
        Crawl crawl(loop);
        Task main(loop, crawl.run(root, workers));
        run_until_complete(loop, main);
        CHECK(crawl.failed().empty());
        return crawl.seen();
    };
}

TEST_CASE("the smallest crawl with workers fetches all of a site, ten pages at a time") {
    const auto most_requests = tests::check_that_all_is_found(crawl_with(10));
    CHECK(most_requests > 5);
    CHECK(most_requests <= 10);
}

TEST_CASE("the smallest crawl finds all of a random site") {
    const char* const number = std::getenv("SITES");
    const int sites = number != nullptr ? std::stoi(number) : tests::in_bulk(200);
    for (int seed = 1; seed <= sites; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(static_cast<unsigned>(seed));
        const auto up_to = [&](std::size_t most) { return 1 + random() % most; };
        const auto workers = up_to(12);
        const practice_site::SiteOptions options{.pages = up_to(30),
                                                 .links = up_to(8),
                                                 .size = up_to(20'000),
                                                 .seed = random()};
        const std::chrono::milliseconds latency(random() % 4 == 0 ? random() % 3 : 0);
        CHECK(tests::check_that_all_is_found(crawl_with(workers), latency, options)
              <= workers);
    }
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

TEST_CASE("small_crawl reports what it couldn't fetch") {
    const auto finished = run_program("SMALL_CRAWL", {"http://127.0.0.1:1/"});
    CHECK(finished.status == 0);
    CHECK(finished.out == "http://127.0.0.1:1/\n");
    CHECK(finished.err.starts_with(
        "http://127.0.0.1:1/: connect: Connection refused\n1 URLs in "));
    CHECK(run_program("SMALL_CRAWL", {}).status == 2);
}

} // namespace
