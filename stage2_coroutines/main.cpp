// stage2: crawls one web site with a selector loop and coroutines made by hand.
//
// Options, output and exit status are stage1's: 0 all fetched, 1 some URLs are dead, 2
// wrong usage.
#include "common/simple_crawl/crawl.h"
#include "common/simple_crawl/crawl_options.h"
#include "common/simple_crawl/event_loop.h"
#include "common/system/selector.h"
#include "common/trace/trace.h"
#include "stage2_coroutines/fetcher.h"
#include "stage2_coroutines/task.h"
#include "stage2_coroutines/traceback.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <string>

namespace {

common::Summary crawl(const common::Url& root, const common::CrawlOptions& options) {
    common::Tracer tracer = common::open_trace(options, "stage2");
    common::EventLoop loop(common::make_selector(options.selector), tracer);
    common::Settings settings;
    settings.fail_parsing = options.fail_parsing;
    settings.on_record = [](const common::Record& record) {
        fmt::print("{}\n", describe(record));
    };
    settings.on_note = [](const std::string& note) {
        fmt::print(stderr, "stage2: {}\n", note);
    };
    common::Crawl crawl(root, loop, tracer, settings);
    stage2::TaskList tasks(tracer);
    const common::Summary summary = crawl.run(
        [&](const common::Url& url) { tasks.start(stage2::fetch(url, crawl)); });
    close_trace(tracer, settings.on_note);
    return summary;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const auto options = common::read_crawl_options(
            argc, argv, "stage2",
            "Crawls a web site with a selector loop and coroutines.");
        if (!options.root) {
            fmt::print("{}", options.help);
            return 0;
        }
        const common::Summary summary = crawl(*options.root, options);
        fmt::print("{}\n", describe(summary));
        return summary.dead == 0 ? 0 : 1;
    } catch (const common::UsageError& error) {
        fmt::print(stderr, "stage2: {} (see stage2 --help)\n", error.what());
        return 2;
    } catch (const stage2::TaskFailed& failure) {
        std::fflush(stdout); // the pages before it come first
        fmt::print(stderr, "stage2: {}\n", describe(failure));
        return 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "stage2: {}\n", error.what());
        return 1;
    }
}
