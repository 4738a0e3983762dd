#include "stage3_queue_crawler/program/crawl_alone.h"

#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/program/console.h"
#include "stage3_queue_crawler/program/exit_status.h"
#include "stage3_queue_crawler/program/reports.h"
#include "stage3_queue_crawler/program/supervised_crawl.h"
#include "stage3_queue_crawler/program/tell_tasks.h"

#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

using Clock = std::chrono::steady_clock;

/// Which parts of a crawl are written where.
CrawlEvents events_for(const Options& options, Console& console, Reports& reports) {
    CrawlEvents events = events_on(console, options.verbose);
    events.on_record = [&](const Record& record) { reports.record(record); };
    events.on_links = [&](const common::Url& page,
                          const std::vector<common::Url>& links) {
        reports.links(page, links);
    };
    events.until_ready = [&] { return reports.drain(); };
    return events;
}

std::string describe_if_early(Ending ending) {
    return ending == Ending::complete ? std::string() : std::string(describe(ending));
}

} // namespace

Coroutine<int> crawl_alone(Options options) {
    EventLoop& loop = running_loop();
    Console console(loop, options.quiet);
    const TellTasksOnQuit tell(loop, console);
    Reports reports(loop, options);
    fit_to_process(options, console);
    Scope scope(options.reach, options.roots, std::move(options.excluded),
                std::move(options.included));
    // [run]
    reports.begin();
    const auto start = Clock::now();
    Crawler crawler(loop, options.roots, std::move(scope), options.crawl,
                    events_for(options, console, reports));
    SupervisedCrawl crawl(loop, crawler.crawl());
    try {
        const auto progress = [&crawler] { return crawler.progress(); };
        co_await crawl.wait(progress, console, options.show_progress);
    } catch (...) {
        reports.flush(); // what was done by then
        throw;
    }
    const std::string no_baseline =
        reports.end({.urls = crawler.frontier().urls(),
                     .left_out = crawler.left_out(),
                     .time = Clock::now() - start,
                     .is_unchecked = options.crawl.session.tls.insecure,
                     .root = std::string(options.roots.front().href()),
                     .cut_short = describe_if_early(crawl.ending())});
    // [/run]
    const Ending ending = crawl.ending();
    if (ending != Ending::complete)
        console.note(fmt::format("stage3: {}: {} URLs that are known were not fetched",
                                 describe(ending),
                                 crawler.frontier().urls().count_queued()));
    note_no_baseline(console, options, no_baseline);
    const Progress progress = crawler.progress();
    const Excuses& excuses = reports.excuses();
    const std::size_t dead = progress.dead - excuses.excused_dead();
    const std::size_t unclear = progress.unclear - excuses.excused_unclear();
    co_return exit_status(ending, dead + (options.strict ? unclear : 0),
                          !crawler.left_out().empty());
}

} // namespace stage3
