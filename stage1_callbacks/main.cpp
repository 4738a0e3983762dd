// stage1: crawls one web site with a selector loop and callbacks.
//
// Reads the command line, owns everything, and prints each URL as its fetch ends, then a
// summary. Exit status: 0 all fetched, 1 some URLs are dead, 2 wrong usage.
#include "common/simple_crawl/crawl.h"
#include "common/simple_crawl/crawl_options.h"
#include "common/simple_crawl/event_loop.h"
#include "common/system/selector.h"
#include "common/trace/stack_trace.h"
#include "common/trace/trace.h"
#include "stage1_callbacks/fetcher.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>

namespace {

common::Summary crawl(const common::Url& root, const common::CrawlOptions& options) {
    common::Tracer tracer = common::open_trace(options, "stage1");
    common::EventLoop loop(common::make_selector(options.selector), tracer);
    common::Settings settings;
    settings.fail_parsing = options.fail_parsing;
    settings.on_record = [](const common::Record& record) {
        fmt::print("{}\n", describe(record));
    };
    settings.on_note = [](const std::string& note) {
        fmt::print(stderr, "stage1: {}\n", note);
    };
    common::Crawl crawl(root, loop, tracer, settings);
    const common::Summary summary = crawl.run([&crawl](const common::Url& url) {
        std::make_shared<stage1::Fetcher>(url, crawl)->fetch();
    });
    close_trace(tracer, settings.on_note);
    return summary;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const auto options = common::read_crawl_options(
            argc, argv, "stage1",
            "Crawls a web site with a selector loop and callbacks.");
        if (!options.root) {
            fmt::print("{}", options.help);
            return 0;
        }
        const common::Summary summary = crawl(*options.root, options);
        fmt::print("{}\n", describe(summary));
        return summary.dead == 0 ? 0 : 1;
    } catch (const common::UsageError& error) {
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
