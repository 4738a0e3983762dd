// blocking_fetch: crawls a site over blocking sockets, in one thread or in one for each
// page. Its exit status means the same as stage1's.
#include "common/command_line/command_line.h"
#include "common/trace/stack_trace.h"
#include "common/web/url.h"
#include "stage1_callbacks/blocking_fetch.h"

#include <fmt/core.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

namespace {

struct Options {
    std::string root;
    bool threads = false;
    std::size_t fail_parsing = 0;
};

int crawl(const Options& options) {
    const auto root = common::parse_root_url(options.root);
    if (!root || root->scheme() != "http") {
        fmt::print(stderr,
                   "blocking_fetch: '{}' is not an http URL to crawl: give one such as "
                   "http://localhost:8000/\n",
                   options.root);
        return 2;
    }
    stage1::fail_parsing_at(options.fail_parsing); // if it happens in this thread
    const auto start = std::chrono::steady_clock::now();
    const stage1::BlockingSummary summary = options.threads
                                                ? stage1::crawl_with_threads(*root)
                                                : stage1::crawl_one_by_one(*root);
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    fmt::print("{} URLs fetched in {:.3f} seconds, {} dead, achieved concurrency {}\n",
               summary.fetched, seconds.count(), summary.dead, summary.most_at_once);
    return summary.dead == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE,
                SIG_IGN); // a server that hangs up is only an error from `send`
    try {
        Options options;
        common::CommandLine line("blocking_fetch",
                                 "Crawls a web site with blocking sockets.");
        line.add_argument("URL", "where to start (http only)", options.root);
        line.add_flag("--threads", "one thread per page", options.threads);
        line.add("--fail-parsing", "N",
                 "throw while parsing the N-th page (only\nwithout --threads)",
                 common::number_into(options.fail_parsing, 0, 1'000'000'000));
        if (const auto help = line.parse(argc, argv)) {
            fmt::print("{}", *help);
            return 0;
        }
        return crawl(options);
    } catch (const common::UsageError& error) {
        fmt::print(stderr, "blocking_fetch: {} (see --help)\n", error.what());
        return 2;
    } catch (const common::TracedError& error) {
        fmt::print(stderr, "blocking_fetch: {}\n", describe(error));
        return 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "blocking_fetch: {}\n", error.what());
        return 1;
    }
}
