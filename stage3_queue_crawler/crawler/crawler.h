// The crawler: workers that share a frontier.
//
// A worker takes a URL from the frontier, fetches it, reads the page, and hands back what
// it found. The crawl is over when nothing is left: by then, each worker is waiting for a
// URL that never comes, and it's cancelled there. There is no longer a class for a fetch:
// what a fetch must remember while it waits is in the local variables of a coroutine.
// Pages 13 and 16 of the book.
//
// Whatever happens to one URL, it ends in a record and never ends a worker.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/crawler/frontier.h"
#include "stage3_queue_crawler/crawler/frontier_settings.h"
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/memory_frontier.h"
#include "stage3_queue_crawler/crawler/page_fetch.h"
#include "stage3_queue_crawler/crawler/page_judge.h"
#include "stage3_queue_crawler/crawler/page_reader.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/crawler/root_folders.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/crawler/sitemaps.h"
#include "stage3_queue_crawler/crawler/traps.h"
#include "stage3_queue_crawler/crawler/visit.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stage3 {

/// `F` keeps the URLs (see frontier.h).
template <Frontier F = MemoryFrontier>
class Crawler {
  public:
    /// Crawls what `scope` contains, starting from `roots`. `loop` must outlive it. The
    /// arguments after `events` go to the frontier's constructor, after its settings.
    template <class... More>
    Crawler(EventLoop& loop, std::vector<common::Url> roots, Scope scope,
            CrawlSettings settings, CrawlEvents events = {}, More&&... more)
        : loop_(loop), roots_(std::move(roots)),
          scope_(std::make_shared<Scope>(std::move(scope))),
          settings_(std::move(settings)), events_(std::move(events)),
          fetch_(loop, settings_of_fetch()),
          robots_(loop, fetch_.session(), settings_of_robots()),
          sitemaps_(loop, fetch_, robots_, *scope_, settings_of_sitemaps()),
          frontier_(loop, settings_of_frontier(), std::forward<More>(more)...),
          reader_(loop, scope_,
                  {.in_threads = settings_.parse_in_threads,
                   .find_links = settings_.find_links,
                   .is_asked_to_end = settings_.is_asked_to_end,
                   .checks = settings_.checks}),
          judge_(reader_, scope_, settings_of_traps(), events_.on_note, settings_.checks,
                 settings_.answers) {}
    Crawler(const Crawler&) = delete;
    Crawler& operator=(const Crawler&) = delete;
    ~Crawler() = default;

    /// Crawls; call it once. Ends when every URL that was found is done, or at a limit.
    /// If cancelled, it stops at once and returns Ending::interrupted; URLs that were
    /// being fetched get no record.
    /// Throws what `on_record` throws, and what the frontier throws, which is
    /// std::logic_error if a URL was lost. The crawler must live until this has ended or
    /// its loop is closed.
    Coroutine<Ending> crawl();

    Progress progress() const;
    /// Links in scope that were not followed.
    std::vector<LeftOut> left_out() const;
    /// What sitemaps list; null if none were to be read.
    const std::vector<ListedUrl>* listed() const {
        return settings_.sitemaps.is_none() ? nullptr : &sitemaps_.listed();
    }
    /// See Sitemaps.
    bool has_read_all_sitemaps() const { return sitemaps_.has_read_all(); }
    const F& frontier() const { return frontier_; }
    const Scope& scope() const { return *scope_; }

  private:
    using Visit = stage3::Visit<F>;

    RetryLimits settings_of_retries() const;
    PageFetchSettings settings_of_fetch() const;
    RobotsCache::Settings settings_of_robots();
    Sitemaps::Settings settings_of_sitemaps();
    FrontierSettings settings_of_frontier();
    TrapLimits settings_of_traps() const;
    std::vector<common::Url> begin() const;
    Coroutine<Ending> crawl_in(TaskGroup& group);
    Coroutine<> prepare();
    Coroutine<TimeLimit> prepare_in_time();
    void begin_at_listed();
    Coroutine<> work(std::string name, bool is_foreign = false);
    void start_foreign_workers(TaskGroup& group);
    Coroutine<Visit> next_visit(bool is_foreign);
    void tell_missing_fragments();
    void refuse(Visit visit);
    void end_unasked(Visit visit);
    void note_reaction(const typename F::Item& item, Reaction reaction,
                       RetryPolicy::Duration wait);
    void hold_or_end(const std::string& host, EventLoop::Duration wait);
    void leave_out(const Record& record, std::string_view why);
    void put_off(Visit visit, const Again& again);
    void finish(Visit visit, Page page);

    EventLoop& loop_;
    const std::vector<common::Url> roots_;
    const std::shared_ptr<Scope> scope_; // shared with threads, once `prepare` has ended
    const CrawlSettings settings_;
    const CrawlEvents events_;
    PageFetch fetch_;
    RobotsCache robots_;
    Sitemaps sitemaps_;
    F frontier_;
    PageReader reader_;
    PageJudge judge_;
    std::vector<LeftOut> unclear_; // in scope
    Progress progress_;
};

// ---- Settings for its parts ----

template <Frontier F>
RetryLimits Crawler<F>::settings_of_retries() const {
    return {.max_tries = settings_.max_tries, .longest_wait = settings_.max_retry_after};
}

template <Frontier F>
PageFetchSettings Crawler<F>::settings_of_fetch() const {
    return {.session = settings_.session,
            .open_http = settings_.open_http,
            .limits = settings_of_retries(),
            .reads_style_sheets = settings_.checks.assets,
            .roots = roots_,
            .logins = settings_.logins,
            .is_foreign =
                [this](const common::Url& url) {
                    return settings_.checks.foreign && scope_->is_elsewhere(url);
                },
            .foreign_retry = settings_.checks.foreign_retry,
            .answers = settings_.answers,
            .on_note = events_.on_note};
}

template <Frontier F>
RobotsCache::Settings Crawler<F>::settings_of_robots() {
    using common::Url;
    return {.product_token = settings_.session.user_agent,
            .retries = settings_of_retries(),
            .most_at_once = settings_.robots_at_once,
            .options_for =
                [this](const Url& url) {
                    GetOptions options = fetch_.options_for(url);
                    options.only_public =
                        options.only_public || sitemaps_.is_foreign(url);
                    return options;
                },
            .on_request = [this](const Url& url) { frontier_.has_asked(host_of(url)); },
            .on_refusal =
                [this](const Url& url, EventLoop::Duration wait) {
                    hold_or_end(host_of(url), wait);
                },
            .pause_before_last_try =
                [this](const Url& url) { return fetch_.pause_before_last_try(url); }};
}

template <Frontier F>
Sitemaps::Settings Crawler<F>::settings_of_sitemaps() {
    return {
        .choice = settings_.sitemaps,
        .obey_robots = settings_.obey_robots,
        .retries = settings_of_retries(),
        .delay = settings_.politeness.delay,
        .on_start =
            [this](const common::Url& url) { events_.on_start("sitemaps", Item(url)); },
        .on_refusal = [this](const std::string& host,
                             EventLoop::Duration wait) { hold_or_end(host, wait); },
        .hold = [this](const std::string& host,
                       EventLoop::Duration pause) { frontier_.hold(host, pause); },
        .on_note = events_.on_note};
}

template <Frontier F>
FrontierSettings Crawler<F>::settings_of_frontier() {
    FrontierSettings settings;
    settings.order = settings_.order;
    settings.max_depth = settings_.max_depth;
    settings.max_pages = settings_.max_pages;
    settings.max_redirects = settings_.max_redirects;
    settings.politeness = settings_.politeness;
    settings.refused_timeout = settings_.refused_timeout;
    settings.checks = settings_.checks;
    if (settings_.obey_robots)
        settings.ask_robots = [this](const common::Url& url) { return robots_.ask(url); };
    settings.withdraw_questions = [this] { robots_.cancel_all(); };
    if (settings_.answers != nullptr)
        settings.needs_no_request = [this](const common::Url& url, Purpose purpose) {
            return settings_.answers->will_do(url, purpose);
        };
    settings.is_site_private = [this] { return fetch_.session().may_be_private(); };
    settings.note_private_site = [this] { fetch_.session().allow_private(); };
    return settings;
}

/// A deep root, or a depth that the user asked for, is not a trap.
template <Frontier F>
TrapLimits Crawler<F>::settings_of_traps() const {
    TrapLimits limits = settings_.traps;
    limits.wanted_depth = settings_.max_depth;
    if (settings_.max_depth != CrawlSettings::no_limit)
        limits.depth = settings_.max_depth;
    return allow_roots(limits, roots_);
}

// ---- The crawl ----

/// Where it begins: the roots, except those that the user has excluded.
template <Frontier F>
std::vector<common::Url> Crawler<F>::begin() const {
    std::vector<common::Url> urls;
    for (const common::Url& root : roots_)
        if (scope_->excludes(root))
            events_.on_note(fmt::format("{} is excluded", root.href()));
        else
            urls.push_back(root);
    return urls;
}

/// What has to be known before the first page is read: how far the scope reaches, and
/// what sitemaps list in it.
template <Frontier F>
Coroutine<> Crawler<F>::prepare() {
    if (scope_->reach() == Reach::prefix) {
        RootFolders folders(
            fetch_, robots_, *scope_,
            {.obey_robots = settings_.obey_robots,
             .delay = settings_.politeness.delay,
             .hosts_at_once = settings_.workers,
             .on_refusal = [this](const std::string& host,
                                  EventLoop::Duration wait) { hold_or_end(host, wait); },
             .hold = [this](const std::string& host,
                            EventLoop::Duration pause) { frontier_.hold(host, pause); }});
        const std::vector<common::Url> places = co_await folders.find(roots_);
        scope_->begin_in_folders_of(places);
    }
    if (!settings_.sitemaps.is_none())
        co_await sitemaps_.read(roots_);
}

/// Returns how much time is left for the crawl.
template <Frontier F>
Coroutine<TimeLimit> Crawler<F>::prepare_in_time() {
    TimeLimit limit = settings_.timeout;
    if (scope_->reach() != Reach::prefix && settings_.sitemaps.is_none())
        co_return limit;
    const EventLoop::TimePoint begun = loop_.time();
    if (limit)
        co_await wait_for(prepare(), *limit);
    else
        co_await prepare();
    if (limit)
        limit = std::max(*limit - (loop_.time() - begun), EventLoop::Duration::zero());
    co_return limit;
}

/// Not every frontier can.
template <Frontier F>
void Crawler<F>::begin_at_listed() {
    if constexpr (requires(const ListedUrl& one) {
                      frontier_.add_listed(one.url, one.url);
                  })
        for (const ListedUrl& one : sitemaps_.listed())
            frontier_.add_listed(one.url, one.sitemap);
}

// [crawl]
/// Starts the workers, and waits until nothing is left to do.
template <Frontier F>
Coroutine<Ending> Crawler<F>::crawl_in(TaskGroup& group) {
    robots_.fetch_in(group);
    Ending ending = Ending::complete;
    try {
        co_await frontier_.open(begin());
        const TimeLimit limit = co_await prepare_in_time();
        begin_at_listed();
        for (std::size_t i = 1; i <= settings_.workers; ++i) {
            const std::string name = fmt::format("worker {}", i);
            group.start(work(name), name);
        }
        start_foreign_workers(group);
        co_await frontier_.join(limit); // the whole crawl happens here
        tell_missing_fragments();
        if (frontier_.counts().has_left_some)
            ending = Ending::max_pages;
    } catch (const Timeout&) {
        ending = Ending::timed_out;
    } catch (const Cancelled&) {
        ending = Ending::interrupted;
    }
    group.cancel(); // most workers now wait for a URL, some perhaps for a server
    reader_.stop();
    co_await frontier_.close();
    co_return ending;
}
// [/crawl]

template <Frontier F>
Coroutine<Ending> Crawler<F>::crawl() {
    TaskGroup group;
    try {
        const Ending ending = co_await group.run(crawl_in(group));
        co_return ending;
    } catch (const Cancelled&) {
        co_return Ending::interrupted;
    }
}

// [work]
template <Frontier F>
Coroutine<> Crawler<F>::work(std::string name, bool is_foreign) {
    while (true) {
        co_await events_.until_ready();
        Visit visit = co_await next_visit(is_foreign);
        if (visit.item().refusal) {
            refuse(std::move(visit));
            continue;
        }
        events_.on_start(name, visit.item());
        const auto on_request = visit.on_request();
        const Attempt attempt{visit.item().tries, visit.item().refusals};
        Fetched fetched = co_await fetch_.fetch(visit.item().url, attempt, on_request,
                                                visit.item().purpose);
        if (const auto* const again = std::get_if<Again>(&fetched)) {
            put_off(std::move(visit), *again);
            continue;
        }
        auto& response = std::get<PageResponse>(fetched);
        note_reaction(visit.item(), response.reaction, response.retry_after);
        Page page = co_await judge_.judge(visit.item(), std::move(response));
        finish(std::move(visit), std::move(page));
    }
}
// [/work]

/// Foreign servers may be slow, so they have workers of their own.
template <Frontier F>
void Crawler<F>::start_foreign_workers(TaskGroup& group) {
    const std::size_t workers =
        settings_.checks.foreign ? settings_.checks.foreign_hosts : 0;
    for (std::size_t i = 1; i <= workers; ++i) {
        const std::string name = fmt::format("foreign worker {}", i);
        group.start(work(name, true), name);
    }
}

/// Not every frontier has foreign URLs.
template <Frontier F>
Coroutine<Visit<F>> Crawler<F>::next_visit(bool is_foreign) {
    if constexpr (requires { frontier_.get_foreign(); })
        if (is_foreign)
            return frontier_.get_foreign();
    return frontier_.get();
}

// ---- What may not be fetched, or not yet ----

/// Its host is asked nothing more, so this one isn't asked, either. In scope, the crawl
/// is incomplete without it.
template <Frontier F>
void Crawler<F>::end_unasked(Visit visit) {
    Page page(visit.item());
    page.leave_open(visit.item().refusal->reason);
    finish(std::move(visit), std::move(page));
}

/// Records that robots.txt forbids it. No answer about robots.txt counts as no answer
/// from the page itself.
template <Frontier F>
void Crawler<F>::refuse(Visit visit) {
    const Item& item = visit.item();
    if (item.refusal->has_ended) {
        end_unasked(std::move(visit));
        return;
    }
    Page page(item);
    try {
        if (item.refusal->failure)
            std::rethrow_exception(item.refusal->failure);
        page.fail(item.refusal->reason,
                  page.is_foreign ? Outcome::unclear : Outcome::disallowed);
        if (item.is_root)
            events_.on_note(fmt::format("{}: {}", item.url.href(), item.refusal->reason));
    } catch (const FetchError& error) {
        if (error.kind == FetchError::Kind::no_descriptor
            || error.kind == FetchError::Kind::bad_option) {
            const std::optional<Again> again = fetch_.after(error, item.tries);
            put_off(std::move(visit), *again);
            return;
        }
        page.record.tries = page.is_foreign ? std::min(2, fetch_.most_tries(error))
                                            : fetch_.most_tries(error);
        page.fail(error.what(), page.is_foreign && error.is_distrust() ? Outcome::unclear
                                                                       : Outcome::failed);
    } catch (const std::bad_alloc&) {
        throw; // not the server's failure
    } catch (const std::exception& error) {
        page.fail(error.what());
    }
    if (item.refusal->failure)
        judge_.keep_failure(item, page);
    finish(std::move(visit), std::move(page));
}

template <Frontier F>
void Crawler<F>::put_off(Visit visit, const Again& again) {
    const auto wait = std::chrono::ceil<EventLoop::Duration>(again.wait);
    note_reaction(visit.item(), again.reaction, again.wait);
    if (again.reaction == Reaction::refused)
        visit.put_off_refused(wait);
    else if (again.was_a_try)
        visit.put_off(wait);
    else
        visit.put_off_untried(wait);
}

/// What an answer says about its whole host, and not just about the page.
template <Frontier F>
void Crawler<F>::note_reaction(const typename F::Item& item, Reaction reaction,
                               RetryPolicy::Duration wait) {
    if (reaction == Reaction::answered)
        frontier_.answered(item);
    if (reaction != Reaction::refused && reaction != Reaction::busy)
        return;
    if (wait > settings_.max_retry_after || item.purpose == Purpose::check_foreign)
        hold_or_end(host_of(item.url), std::chrono::ceil<EventLoop::Duration>(wait));
    else if (reaction == Reaction::refused)
        frontier_.refused(item, std::chrono::ceil<EventLoop::Duration>(wait));
    else
        frontier_.busy(item, std::chrono::ceil<EventLoop::Duration>(wait));
}

/// No request to this host for as long as it wants, if that isn't too long.
template <Frontier F>
void Crawler<F>::hold_or_end(const std::string& host, EventLoop::Duration wait) {
    if (wait <= settings_.max_retry_after) {
        frontier_.hold(host, wait);
        return;
    }
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait);
    frontier_.end_host(
        host, fmt::format("its server asked to come back in {} s", seconds.count()));
}

// ---- What came of it ----

/// Hands its links to the frontier and reports its record.
template <Frontier F>
void Crawler<F>::finish(Visit visit, Page page) {
    Record& record = page.record;
    if (visit.item().was_tried) {
        const RetryPolicy::Duration time = loop_.time() - visit.item().begun;
        record.seconds = time.count();
    }
    if (record.outcome == Outcome::unclear && !record.is_foreign)
        leave_out(record,
                  visit.item().refusal ? visit.item().refusal->reason : record.error);
    visit.done(record, page.found);
    if (record.outcome == Outcome::page)
        events_.on_links(record.url, page.found.links);
    if (is_dead(record.outcome))
        ++progress_.dead;
    else if (record.outcome == Outcome::unclear)
        ++progress_.unclear;
    else if (record.outcome == Outcome::redirect)
        ++progress_.redirects;
    else if (record.outcome != Outcome::disallowed)
        ++progress_.fetched;
    events_.on_record(record);
}

/// They are known only when all pages have been read.
template <Frontier F>
void Crawler<F>::tell_missing_fragments() {
    if constexpr (requires { frontier_.missing_fragments(); })
        for (const Record& record : frontier_.missing_fragments()) {
            ++progress_.dead;
            events_.on_record(record);
        }
}

/// It's in scope, but its server won't say what it is.
template <Frontier F>
void Crawler<F>::leave_out(const Record& record, std::string_view why) {
    const std::string kind =
        fmt::format("URLs of {} are unclear: {}", host_of(record.url), why);
    if (count_left_out(unclear_, kind, 1, record.url.href()))
        events_.on_note(fmt::format("{}: {}", host_of(record.url), why));
}

template <Frontier F>
std::vector<LeftOut> Crawler<F>::left_out() const {
    std::vector<LeftOut> all = sitemaps_.left_out();
    all.insert(all.end(), unclear_.begin(), unclear_.end());
    all.insert(all.end(), judge_.left_out().begin(), judge_.left_out().end());
    return all;
}

template <Frontier F>
Progress Crawler<F>::progress() const {
    Progress result = progress_;
    const FrontierCounts counts = frontier_.counts();
    result.in_flight = counts.out;
    result.waiting = counts.unfinished - counts.out;
    return result;
}

// Compiled once, in crawler.cpp, instead of wherever a crawl is made.
extern template class Crawler<MemoryFrontier>;

} // namespace stage3
