#include "stage3_queue_crawler/program/crawl_together.h"

#include "common/text/counted.h"
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/left_out.h"
#include "stage3_queue_crawler/crawler/page_judge.h"
#include "stage3_queue_crawler/crawler/redirect_circles.h"
#include "stage3_queue_crawler/program/agreed_settings.h"
#include "stage3_queue_crawler/program/console.h"
#include "stage3_queue_crawler/program/exit_status.h"
#include "stage3_queue_crawler/program/reports.h"
#include "stage3_queue_crawler/program/supervised_crawl.h"
#include "stage3_queue_crawler/program/tell_tasks.h"
#include "stage3_queue_crawler/shared_frontier/redis_frontier.h"
#include "stage3_queue_crawler/shared_frontier/shared_results.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace stage3 {
namespace {

using TheCrawler = Crawler<RedisFrontier>;

/// "crawler-2, pid 1234": for people.
std::string name_of_process() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0)
        host = {'?'};
    return fmt::format("{}, pid {}", host.data(), ::getpid());
}

SharedCrawl shared_crawl(const Options& options, Console& console) {
    return {.servers = options.shared.servers,
            .name = options.shared.name,
            .agreed = agreed_settings(options),
            .lease = options.shared.lease,
            .wait_for_servers = options.shared.wait,
            .retry_given_up = options.shared.retry_given_up,
            .process = name_of_process(),
            .on_note = [&console](const std::string& note) {
                console.note("stage3: " + note);
            }};
}

std::string first_root(const Options& options) {
    return options.roots.empty() ? std::string()
                                 : std::string(options.roots.front().href());
}

std::string why_cut_short(const SharedState& state) {
    switch (state.stage) {
    case SharedState::Stage::complete: return {};
    case SharedState::Stage::max_pages: return std::string(describe(Ending::max_pages));
    case SharedState::Stage::running:
    case SharedState::Stage::idle: break;
    }
    return "the crawl is not over";
}

using Findings = SharedResults::Findings;

/// As a crawl in memory says it: see Crawler::leave_out.
std::string describe_unclear(const Record& record) {
    return fmt::format("URLs of {} are unclear: {}", host_of(record.url), record.error);
}

/// What is counted while records are written.
struct Tally {
    std::ptrdiff_t dead = 0;      ///< beyond those that processes saw to be dead
    std::ptrdiff_t seen_dead = 0; ///< by processes, as far as the records say
    std::vector<LeftOut> unclear;
};

/// Writes the crawl's records.
Coroutine<Tally> write_records(const Options& options, SharedResults& results,
                               Reports& reports) {
    Tally tally;
    RedirectCircles circles; // each process has seen only some of the redirects
    while (true) {
        std::vector<Record> records = co_await results.next_records();
        if (records.empty())
            break;
        for (Record& record : records) {
            tally.seen_dead += is_dead(record.outcome) ? 1 : 0;
            if (judge_circle(record, circles) && !record.is_foreign)
                ++tally.dead;
            if (options.strict && record.outcome == Outcome::unclear)
                ++tally.dead;
            if (record.outcome == Outcome::unclear && !record.is_foreign)
                count_left_out(tally.unclear, describe_unclear(record), 1,
                               record.url.href());
            reports.record(record);
        }
        co_await reports.drain();
    }
    const std::vector<Record> missing = co_await results.missing_fragments();
    for (const Record& record : missing)
        reports.record(record);
    tally.dead += static_cast<std::ptrdiff_t>(missing.size());
    co_return tally;
}

/// Writes the crawl's records, in the formats that are wanted. `scope`: null if this
/// process has no URLs. Of the result, `more_dead` is fewer than none if some that
/// processes saw to be dead don't count.
Coroutine<Findings> write_report(Options& options, SharedResults& results,
                                 const Scope* scope, Console& console) {
    co_await results.read();
    Reports reports(running_loop(), options);
    reports.begin();
    const Tally tally = co_await write_records(options, results, reports);
    // If the crawl continues while this writes, more were counted.
    const std::ptrdiff_t dead =
        tally.dead + tally.seen_dead - static_cast<std::ptrdiff_t>(results.state().dead);
    Findings findings;
    if (scope
        == nullptr) // what the roots are was known to the process that reported first
        findings = co_await results.findings();
    if (results.state().stage == SharedState::Stage::complete
        && findings.nothing_checked.empty())
        findings.nothing_checked = reports.why_nothing_checked(options, scope);
    const std::string no_baseline =
        reports.end({.urls = results.urls(),
                     .left_out = tally.unclear,
                     .time = results.time(),
                     .is_unchecked = options.crawl.session.tls.insecure,
                     .root = first_root(options),
                     .cut_short = why_cut_short(results.state()),
                     .nothing_checked = findings.nothing_checked});
    if (const std::string text = reports.tell_of_files(results.time()); !text.empty())
        console.note("stage3: " + text);
    note_no_baseline(console, options, no_baseline);
    const Baseline& baseline = reports.baseline();
    const std::size_t known =
        baseline.uncounted_dead() + (options.strict ? baseline.uncounted_unclear() : 0);
    findings.has_left_some_out = !tally.unclear.empty();
    findings.more_dead = dead + static_cast<std::ptrdiff_t>(reports.dead_redirects())
                         - static_cast<std::ptrdiff_t>(known);
    co_return findings;
}

std::size_t with(std::size_t dead, std::ptrdiff_t more) {
    return dead + static_cast<std::size_t>(more); // which may be fewer
}

/// URLs that were given up leave the crawl incomplete: says so if there are any.
bool has_given_up(const SharedState& state, Console& console) {
    if (state.given_up == 0)
        return false;
    const bool is_one = state.given_up == 1;
    console.note(fmt::format("stage3: {} {} given up, since processes died while they "
                             "fetched only {}: see the report; --retry-given-up tries {} "
                             "again",
                             state.given_up, is_one ? "URL was" : "URLs were",
                             is_one ? "it" : "them", is_one ? "it" : "them"));
    return true;
}

/// `--report`
Coroutine<int> report(Options& options, Console& console) {
    check_reports(options);
    SharedResults results(running_loop(), shared_crawl(options, console));
    co_await results.look();
    const Findings findings = co_await write_report(options, results, nullptr, console);
    const SharedState& state = results.state();
    bool is_incomplete = !findings.nothing_checked.empty() || findings.has_left_some_out;
    note_nothing_checked(console, findings.nothing_checked);
    if (!state.is_whole) {
        console.note("stage3: " + explain_half(options.shared.name));
        is_incomplete = true;
    } else if (has_given_up(state, console)) {
        is_incomplete = true;
    }
    if (state.is_whole && state.stage != SharedState::Stage::complete) {
        console.note(fmt::format("stage3: the crawl '{}' is not over: {} URLs that are "
                                 "known were not fetched",
                                 options.shared.name, state.unfinished));
        is_incomplete = true;
    }
    co_return exit_status(Ending::complete, with(state.dead, findings.more_dead),
                          is_incomplete);
}

/// `--forget`
Coroutine<int> forget(const Options& options, Console& console) {
    SharedResults results(running_loop(), shared_crawl(options, console));
    co_await results.look();
    const std::size_t keys = co_await results.forget();
    if (keys == 0)
        throw CantTakePart(fmt::format("there is no crawl '{}'", options.shared.name));
    console.note(fmt::format("stage3: the crawl '{}' is removed: {} keys",
                             options.shared.name, keys));
    co_return 0;
}

/// What the user should know at the end, besides the report.
void say_how_it_ended(Ending ending, const SharedState& state, const std::string& name,
                      Console& console) {
    if (ending == Ending::max_pages)
        console.note("stage3: " + describe(ending, state.unfinished));
    else if (ending != Ending::complete)
        console.note(fmt::format("stage3: {}. The crawl '{}' has {} left, for other "
                                 "processes, or for the same command again; --report "
                                 "tells what is done",
                                 describe(ending), name,
                                 common::counted(state.unfinished, "URL")));
}

Coroutine<int> take_part(Options& options, Console& console) {
    EventLoop& loop = running_loop();
    check_reports(options);
    fit_to_process(options, console);
    const SharedCrawl shared = shared_crawl(options, console);
    Scope scope(options.reach, options.roots, std::move(options.excluded),
                std::move(options.included));
    TheCrawler crawler(loop, options.roots, std::move(scope), options.crawl,
                       events_on(console, options.verbose), options.helpers, shared);
    SupervisedCrawl crawl(loop, crawler.crawl());
    const auto progress = [&crawler] { return crawler.progress(); };
    co_await crawl.wait(progress, console, options.show_progress);
    const SharedState state = crawler.frontier().state();
    Findings findings;
    if (state.is_over()) {
        const bool may_report = co_await crawler.frontier().may_report();
        SharedResults results(loop, shared);
        if (may_report) {
            const Scope* const where = &crawler.scope();
            findings = co_await write_report(options, results, where, console);
            co_await results.note(findings);
        } else {
            findings = co_await results.findings();
            console.note(
                fmt::format("stage3: the crawl '{}' is over, and its report is another "
                            "process's (once more: --report; to crawl anew: --forget)",
                            shared.name));
        }
    }
    say_how_it_ended(crawl.ending(), state, shared.name, console);
    note_nothing_checked(console, findings.nothing_checked);
    const bool has_given_some_up = has_given_up(state, console);
    co_return exit_status(crawl.ending(), with(state.dead, findings.more_dead),
                          has_given_some_up || findings.has_left_some_out
                              || !findings.nothing_checked.empty()
                              || !crawler.left_out().empty());
}

} // namespace

Coroutine<int> crawl_together(Options options) {
    EventLoop& loop = running_loop();
    Console console(loop, options.quiet);
    const TellTasksOnQuit tell(loop, console);
    try {
        if (options.shared.forget)
            co_return co_await forget(options, console);
        if (options.shared.report_only)
            co_return co_await report(options, console);
        co_return co_await take_part(options, console);
    } catch (const CantTakePart& error) {
        throw common::UsageError(error.what());
    }
}

} // namespace stage3
