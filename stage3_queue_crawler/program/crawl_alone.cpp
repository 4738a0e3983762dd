#include "stage3_queue_crawler/program/crawl_alone.h"

#include "common/command_line/usage_error.h"
#include "common/system/processor_time.h"
#include "common/text/counted.h"
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/program/agreed_settings.h"
#include "stage3_queue_crawler/program/console.h"
#include "stage3_queue_crawler/program/exit_status.h"
#include "stage3_queue_crawler/program/formats/why_slow.h"
#include "stage3_queue_crawler/program/remaps.h"
#include "stage3_queue_crawler/program/reports.h"
#include "stage3_queue_crawler/program/supervised_crawl.h"
#include "stage3_queue_crawler/program/tell_tasks.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "stage3_queue_crawler/state/state_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

using Clock = std::chrono::steady_clock;

Coroutine<> until_both_ready(Reports& reports, State& state) {
    co_await reports.drain();
    co_await state.until_ready();
}

/// The same, and the account hears of the wait.
Coroutine<> until_all_ready(Reports& reports, State* state, TimeAccount& account) {
    struct Wait {
        explicit Wait(TimeAccount& a) : account(a) { account.wait_for_output(true); }
        Wait(const Wait&) = delete;
        Wait& operator=(const Wait&) = delete;
        ~Wait() { account.wait_for_output(false); }
        TimeAccount& account;
    };
    const Wait wait(account);
    co_await reports.drain();
    if (state != nullptr)
        co_await state->until_ready();
}

/// Which parts of a crawl are written where. `state` and `account` may be null.
CrawlEvents events_for(const Options& options, Console& console, Reports& reports,
                       State* state, TimeAccount* account) {
    CrawlEvents events = events_on(console, options.verbose);
    events.on_record = std::bind_front(&Reports::record, &reports);
    events.until_ready = [&reports, state, account]() -> Coroutine<> {
        if (account != nullptr)
            return until_all_ready(reports, state, *account);
        if (state == nullptr)
            return reports.drain();
        return until_both_ready(reports, *state);
    };
    return events;
}

/// nullptr if neither the user nor a report wants one.
std::unique_ptr<TimeAccount> open_account_for(EventLoop& loop, const Options& options) {
    const auto shows_it = [](const FormatEntry* format) {
        return format != nullptr && format->shows_limits;
    };
    if (!options.why_slow && !shows_it(options.format)
        && !std::ranges::any_of(options.also, shows_it, &AlsoReport::format))
        return nullptr;
    TimeAccount::Settings settings;
    settings.clock = [&loop] { return loop.time(); };
    settings.parse_threads = options.parse_threads;
    settings.processor = [clock = std::make_shared<common::ProcessorClock>()] {
        return clock->now();
    };
    return std::make_unique<TimeAccount>(std::move(settings));
}

/// nullptr if the user wants none. Throws common::UsageError.
std::unique_ptr<State> open_state_for(EventLoop& loop, const Options& options,
                                      Console& console) {
    if (options.state.empty())
        return nullptr;
    try {
        auto state = open_state(loop, {.file = options.state,
                                       .max_age = options.max_age,
                                       .settings = settings_of_answers(options),
                                       .on_note = [&console](const std::string& note) {
                                           console.note("stage3: " + note);
                                       }});
        if (const std::string greeting = state->greeting(); !greeting.empty())
            console.note("stage3: " + greeting);
        return state;
    } catch (const StateError& error) {
        throw common::UsageError(fmt::format("--state: {}", error.what()));
    }
}

/// At the end of a crawl. False if something couldn't be written.
Coroutine<bool> close_state(State& state, const Crawler<>& crawler, Ending ending,
                            Console& console) {
    std::vector<common::Url> pages_with_missing_places;
    for (const Record& record : crawler.frontier().missing_fragments())
        pages_with_missing_places.push_back(record.url);
    // A limit on pages is an end, too: the next crawl begins anew.
    const bool is_over = ending == Ending::complete || ending == Ending::max_pages;
    Coroutine<bool> closing = state.end(is_over, std::move(pages_with_missing_places));
    const bool is_kept = co_await std::move(closing);
    if (!is_over && is_kept)
        console.note("stage3: --state: run the same command again to continue");
    const State::Counts counts = state.counts();
    if (state.greeting().empty())
        co_return is_kept; // there was nothing to know yet
    std::string text =
        fmt::format("stage3: asked about {}", common::counted(counts.asked, "URL"));
    if (counts.unchanged > 0)
        text += fmt::format(", of which {} have not changed", counts.unchanged);
    if (counts.not_asked > 0)
        text += fmt::format("; the answers for {} were known", counts.not_asked);
    console.note(text);
    co_return is_kept;
}

std::string describe_if_early(Ending ending) {
    return ending == Ending::complete ? std::string() : std::string(describe(ending));
}

/// What the user should know, besides the reports.
struct Missing {
    std::string checks;   ///< why nothing was checked; empty if something was
    std::string baseline; ///< why none was written; empty if one was, or none is wanted
};

/// Where the crawl began, for a title: the path of a page says less than its folder.
std::string name_of_site(const Options& options) {
    const common::Url& root = options.roots.front();
    for (const Remap& remap : options.remaps)
        if (remap.option.empty() && remap.from.origin() == root.origin())
            return remap.folder;
    return std::string(root.href());
}

/// Writes the ends of the reports.
Missing end_reports(Reports& reports, const Options& options, const Crawler<>& crawler,
                    Ending ending, Clock::duration time, const CrawlTimes* times) {
    Missing missing;
    if (ending == Ending::complete)
        missing.checks = reports.why_nothing_checked(options, &crawler.scope());
    const Preparation& preparation = crawler.preparation();
    missing.baseline =
        reports.end({.urls = crawler.frontier().urls(),
                     .left_out = crawler.left_out(),
                     .time = time,
                     .is_unchecked = options.crawl.session.tls.insecure,
                     .root = name_of_site(options),
                     .cut_short = describe_if_early(ending),
                     .nothing_checked = missing.checks,
                     .listed = preparation.listed(),
                     .lacks_sitemaps = !preparation.has_read_all_sitemaps(),
                     .times = times});
    return missing;
}

/// For the exit status.
std::size_t count_dead(const Progress& progress, const Reports& reports, bool is_strict) {
    const Baseline& baseline = reports.baseline();
    const std::size_t dead =
        progress.dead + reports.dead_redirects() - baseline.uncounted_dead();
    const std::size_t unclear = progress.unclear - baseline.uncounted_unclear();
    return dead + (is_strict ? unclear : 0);
}

/// An option that does nothing is a mistake: the published site was asked instead.
void note_unused(Console& console, const Options& options, const Crawler<>& crawler) {
    if (options.crawl.mappings)
        for (const std::string& line :
             unused(options.remaps, *options.crawl.mappings, crawler.frontier().urls()))
            console.answer("stage3: " + line);
}

/// Of a site in a folder, all pages are known, and the crawl can say which it has missed.
void note_unreached(Console& console, const Options& options, const Crawler<>& crawler) {
    if (options.crawl.frontier.max_depth != FrontierSettings::no_limit)
        return;
    for (const Remap& remap : options.remaps) {
        if (remap.to)
            continue;
        const Unreached unreached =
            find_unreached(remap, crawler.frontier().urls(), crawler.scope());
        if (const std::string text = describe(unreached, remap); !text.empty())
            console.note("stage3: " + text);
    }
}

Coroutine<int> crawl(Options options) {
    EventLoop& loop = running_loop();
    Console console(loop, options.quiet);
    const TellTasksOnQuit tell(loop, console);
    // Before the reports: if it can't be used, they stay as they were.
    const std::unique_ptr<State> state = open_state_for(loop, options, console);
    Reports reports(loop, options);
    fit_to_process(options, console);
    Scope scope(options.reach, options.roots, std::move(options.excluded),
                std::move(options.included));
    reports.begin();
    const auto start = Clock::now();
    const std::unique_ptr<TimeAccount> account = open_account_for(loop, options);
    CrawlHelpers helpers = options.helpers;
    helpers.answers = state.get();
    helpers.account = account.get();
    Crawler crawler(loop, options.roots, std::move(scope), options.crawl,
                    events_for(options, console, reports, state.get(), account.get()),
                    std::move(helpers));
    SupervisedCrawl crawl(loop, crawler.crawl());
    try {
        const auto progress = [&crawler] { return crawler.progress(); };
        co_await crawl.wait(progress, console, options.show_progress);
    } catch (...) {
        reports.flush(); // what was done by then
        throw;
    }
    const Clock::duration time = Clock::now() - start;
    const auto times =
        account ? std::optional(account->times(most_hosts_shown)) : std::nullopt;
    const Missing missing = end_reports(reports, options, crawler, crawl.ending(), time,
                                        times ? &*times : nullptr);
    if (const std::string text = reports.tell_of_files(time); !text.empty())
        console.note("stage3: " + text);
    const Ending ending = crawl.ending(); // reports may have run out of memory
    bool is_all_kept = true;
    if (state)
        is_all_kept = co_await close_state(*state, crawler, ending, console);
    if (ending != Ending::complete)
        console.note("stage3: "
                     + describe(ending, crawler.frontier().urls().count_queued()));
    if (ending == Ending::complete)
        note_unused(console, options, crawler);
    if (ending == Ending::complete && !options.quiet)
        note_unreached(console, options, crawler);
    if (options.why_slow && times)
        console.answer("stage3: " + why_slow(*times));
    note_nothing_checked(console, missing.checks);
    note_no_baseline(console, options, missing.baseline);
    co_return exit_status(ending, count_dead(crawler.progress(), reports, options.strict),
                          !missing.checks.empty() || !crawler.left_out().empty()
                              || !is_all_kept);
}

Coroutine<int> crawl_beside(TaskGroup& servers, ServedElsewhere& elsewhere,
                            Options options) {
    elsewhere.start_in(servers);
    Coroutine<int> crawling = crawl(std::move(options));
    const int status = co_await std::move(crawling);
    servers.cancel();
    co_return status;
}

Coroutine<int> crawl_what_is_elsewhere(Options options) {
    ServedElsewhere elsewhere(options.remaps);
    options.crawl.mappings = elsewhere.mappings();
    TaskGroup servers;
    Coroutine<int> all = crawl_beside(servers, elsewhere, std::move(options));
    co_return co_await servers.run(std::move(all));
}

} // namespace

Coroutine<int> crawl_alone(Options options) {
    return options.remaps.empty() ? crawl(std::move(options))
                                  : crawl_what_is_elsewhere(std::move(options));
}

} // namespace stage3
