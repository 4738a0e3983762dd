// runtime_crawl, asio_crawl: crawls a site with ten workers, and prints its URLs.
//
//     asio_crawl http://127.0.0.1:8000/
#include "common/small/program.h"
#include "tests/crawl/worker_crawl.h"

#include <fmt/core.h>

#include <cstdio>

int main(int argc, char** argv) {
    return small::run_program(argc, argv, [](const common::Url& root) {
        const auto crawled = tests::crawl_with_workers({.root = root, .time_limit = {}});
        for (const auto& [url, why] : crawled.failed)
            fmt::print(stderr, "{}: {}\n", url.href(), why);
        return crawled.met;
    });
}
