#include "stage3_queue_crawler/program/crawl_alone.h"

#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/program/console.h"
#include "stage3_queue_crawler/program/exit_status.h"
#include "stage3_queue_crawler/program/formats.h"
#include "stage3_queue_crawler/program/output.h"
#include "stage3_queue_crawler/program/supervised_crawl.h"
#include "stage3_queue_crawler/program/tell_tasks.h"

#include <fmt/core.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

using Clock = std::chrono::steady_clock;

/// Which parts of a crawl are written where.
CrawlEvents events_for(const Options& options, Console& console, Format& format,
                       Output& output) {
    CrawlEvents events = events_on(console, options.verbose);
    events.on_record = [&](const Record& record) { output.write(format.record(record)); };
    events.on_links = [&](const common::Url& page,
                          const std::vector<common::Url>& links) {
        output.write(format.links(page, links));
    };
    events.until_ready = [&] { return output.drain(); };
    return events;
}

} // namespace

Coroutine<int> crawl_alone(Options options) {
    EventLoop& loop = running_loop();
    Console console(loop, options.quiet);
    const TellTasksOnQuit tell(loop, console);
    Output output = open_for("--output", [&] { return Output(loop, options.output); });
    const auto format = make_format(options.format, options.report);
    fit_to_process(options, console);
    Scope scope(options.reach, options.roots, std::move(options.excluded),
                std::move(options.included));
    // [run]
    output.write(format->begin());
    const auto start = Clock::now();
    Crawler crawler(loop, options.roots, std::move(scope), options.crawl,
                    events_for(options, console, *format, output));
    SupervisedCrawl crawl(loop, crawler.crawl());
    try {
        const auto progress = [&crawler] { return crawler.progress(); };
        co_await crawl.wait(progress, console, options.show_progress);
    } catch (...) {
        output.flush(); // what was done by then
        throw;
    }
    output.write(format->end({.urls = crawler.frontier().urls(),
                              .left_out = crawler.left_out(),
                              .time = Clock::now() - start,
                              .is_unchecked = options.crawl.session.tls.insecure}));
    output.flush();
    // [/run]
    const Ending ending = crawl.ending();
    if (ending != Ending::complete)
        console.note(fmt::format("stage3: {}: {} URLs that are known were not fetched",
                                 describe(ending),
                                 crawler.frontier().urls().count_queued()));
    const Progress progress = crawler.progress();
    co_return exit_status(ending, progress.dead + (options.strict ? progress.unclear : 0),
                          !crawler.left_out().empty());
}

} // namespace stage3
