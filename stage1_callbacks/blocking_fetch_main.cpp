// blocking_fetch: crawls a site with sockets that wait, in one thread or in one for each
// page. Exit status as stage1's.
#include "common/stack_trace.h"
#include "common/url.h"
#include "stage1_callbacks/blocking_fetch.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

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
                   "blocking_fetch: '{}' is not an http URL to crawl: give one like "
                   "http://localhost:8000/\n",
                   options.root);
        return 2;
    }
    const auto start = std::chrono::steady_clock::now();
    const stage1::BlockingSummary summary =
        options.threads ? stage1::crawl_with_threads(*root)
                        : stage1::crawl_one_by_one(*root, options.fail_parsing);
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    fmt::print("{} URLs fetched in {:.3f} seconds, {} dead, achieved concurrency {}\n",
               summary.fetched, seconds.count(), summary.dead, summary.most_at_once);
    return summary.dead == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE,
                SIG_IGN); // a server that hangs up is an error of `send`, no more
    try {
        Options options;
        CLI::App app("Crawls a web site with sockets that wait.", "blocking_fetch");
        app.add_option("URL", options.root, "where to start; http only")->required();
        app.add_flag("--threads", options.threads, "a thread for each page");
        app.add_option("--fail-parsing", options.fail_parsing,
                       "throw while the N-th page is parsed (without --threads)")
            ->type_name("N");
        try {
            app.parse(argc, argv);
        } catch (const CLI::CallForHelp&) {
            fmt::print("{}", app.help());
            return 0;
        } catch (const CLI::ParseError& error) {
            fmt::print(stderr, "blocking_fetch: {} (see --help)\n", error.what());
            return 2;
        }
        return crawl(options);
    } catch (const common::TracedError& error) {
        fmt::print(stderr, "blocking_fetch: {}\n", describe(error));
        return 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "blocking_fetch: {}\n", error.what());
        return 1;
    }
}
