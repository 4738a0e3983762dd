// yours: crawls a web site with the runtime that you have built.
//
//     ./learn yours crawl [-w WORKERS] http://127.0.0.1:8000/
//
// Prints each URL as its fetch ends, as stages 1 and 2 do, then a summary. Exit
// status: 0 all fetched, 1 some URLs are dead, 2 wrong usage.
#include "common/command_line/command_line.h"
#include "common/command_line/usage_error.h"
#include "common/simple_crawl/record.h"
#include "common/web/url.h"
#include "crawl.h"
#include "loop.h"
#include "task.h"

#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

namespace {

int crawl(const common::Url& root, std::size_t workers) {
    std::size_t fetched = 0;
    std::size_t dead = 0;
    const auto report = [&](const common::Record& record) {
        ++(record.outcome == common::Outcome::dead ? dead : fetched);
        fmt::print("{}\n", describe(record));
    };
    const auto start = std::chrono::steady_clock::now();
    yours::Loop loop;
    yours::Crawl crawl(loop, root, report);
    yours::Task main(loop, crawl.run(workers));
    run_until_complete(loop, main);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    fmt::print("{} fetched, {} dead, in {:.2f} s by {} workers\n", fetched, dead,
               taken.count(), workers);
    return dead == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        std::size_t workers = 10;
        std::string url;
        common::CommandLine line("yours", "Crawls a web site with your runtime.");
        line.add("-w,--workers", "N", "number of pages to fetch at the same time (10)",
                 common::number_into(workers, 1, 1000));
        line.add_argument("URL", "where to start (http only)", url);
        if (const auto help = line.parse(argc, argv)) {
            fmt::print("{}", *help);
            return 0;
        }
        const auto root = common::parse_root_url(url);
        if (!root || root->scheme() != "http")
            throw common::UsageError("'" + url + "' is not an http URL to crawl");
        return crawl(*root, workers);
    } catch (const common::UsageError& error) {
        fmt::print(stderr, "yours: {} (see ./learn yours crawl --help)\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "yours: {}\n", error.what());
        return 1;
    }
}
