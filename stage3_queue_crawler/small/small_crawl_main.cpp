// small_crawl: crawls a site with the smallest runtime and ten workers, and prints its
// URLs.
//
//     small_crawl http://127.0.0.1:8000/
#include "common/small/program.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/small/crawl.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/task.h"

#include <fmt/core.h>

#include <cstdio>
#include <set>

namespace {

// [crawl]
std::set<common::Url> crawl_with_ten(const common::Url& root) {
    stage3::small::EventLoop loop;
    stage3::small::Crawl crawl(loop);
    stage3::small::Task main(loop, crawl.run(root, 10));
    run_until_complete(loop, main);
    for (const auto& [url, error] : crawl.failed())
        fmt::print(stderr, "{}: {}\n", url.href(), error);
    return crawl.seen();
}
// [/crawl]

} // namespace

int main(int argc, char** argv) {
    return ::small::run_program(argc, argv, crawl_with_ten);
}
