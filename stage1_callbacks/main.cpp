// stage1: crawls one web site with a selector loop and callbacks.
//
// Reads the command line, owns everything, prints each URL as its fetch ends and a
// summary at last. Exit status: 0 all fetched, 1 some URLs are dead, 2 wrong usage.
#include "common/selector.h"
#include "common/stack_trace.h"
#include "common/trace.h"
#include "common/url.h"
#include "stage1_callbacks/crawl.h"
#include "stage1_callbacks/event_loop.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

namespace {

struct Options {
    std::string root;
    std::string selector;
    std::string trace;
    std::size_t fail_parsing = 0;
};

/// What the user typed can't be worked with; the message says why, and what to do.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void print_record(const stage1::Record& record) {
    const std::string status =
        record.status == 0 ? "-" : fmt::format("{}", record.status);
    fmt::print("{:<8}  {:>3}  {:>8}  {}", name_of(record.outcome), status, record.bytes,
               record.url.href());
    if (record.next)
        fmt::print(" -> {}", record.next->href());
    if (!record.error.empty())
        fmt::print(" ({})", record.error);
    fmt::print("\n");
}

void print_summary(const stage1::Summary& summary) {
    fmt::print("{} URLs fetched in {:.3f} seconds, {} dead, achieved concurrency {}\n",
               summary.fetched, summary.seconds.count(), summary.dead,
               summary.most_at_once);
}

common::Url read_root(const std::string& text) {
    const std::optional<common::Url> root = common::parse_root_url(text);
    if (!root)
        throw UsageError(fmt::format(
            "'{}' is not a URL to crawl: give one like http://localhost:8000/", text));
    if (root->scheme() != "http")
        throw UsageError(
            fmt::format("'{}': stage 1 speaks plain http, not {}", text, root->scheme()));
    return *root;
}

common::Tracer open_trace(const std::string& path) {
    try {
        return path.empty() ? common::Tracer() : common::Tracer(path);
    } catch (const std::system_error& error) {
        throw UsageError(error.what());
    }
}

stage1::Summary crawl(const Options& options) {
    const common::Url root = read_root(options.root);
    common::Tracer tracer = open_trace(options.trace);
    stage1::EventLoop loop(common::make_selector(options.selector), tracer);
    stage1::Settings settings;
    settings.fail_parsing = options.fail_parsing;
    settings.on_record = print_record;
    settings.on_note = [](const std::string& note) {
        fmt::print(stderr, "stage1: {}\n", note);
    };
    return stage1::Crawl(root, loop, tracer, settings).run();
}

/// Fills `options`; returns an exit status if there is nothing more to do.
std::optional<int> read_command_line(int argc, char** argv, Options& options) {
    CLI::App app("Crawls a web site with a selector loop and callbacks.", "stage1");
    app.add_option("URL", options.root, "where to start; http only")->required();
    app.add_option("--selector", options.selector,
                   fmt::format("how to wait for sockets: {}",
                               fmt::join(common::selector_names(), ", ")))
        ->check([](const std::string& name) {
            const auto names = common::selector_names();
            return std::ranges::find(names, name) != names.end()
                       ? std::string()
                       : fmt::format("'{}': choose one of {}", name,
                                     fmt::join(names, ", "));
        });
    app.add_option("--trace", options.trace, "write the run's events to this file")
        ->type_name("FILE");
    app.add_option(
           "--fail-parsing", options.fail_parsing,
           "throw while the N-th page is parsed, to see what is left of its story")
        ->type_name("N");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}", app.help());
        return 0;
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    return std::nullopt;
}

} // namespace

int main(int argc, char** argv) {
    try {
        Options options;
        if (const auto status = read_command_line(argc, argv, options))
            return *status;
        const stage1::Summary summary = crawl(options);
        print_summary(summary);
        return summary.dead == 0 ? 0 : 1;
    } catch (const UsageError& error) {
        fmt::print(stderr, "stage1: {} (see stage1 --help)\n", error.what());
        return 2;
    } catch (const common::TracedError& error) {
        std::fflush(stdout); // the pages before it come first
        fmt::print(stderr, "stage1: {}\n", describe(error));
        return 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "stage1: {}\n", error.what());
        return 1;
    }
}
