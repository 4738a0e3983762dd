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
#include "stage3_queue_crawler/crawler/accounted_http.h"
#include "stage3_queue_crawler/crawler/cookie_circles.h"
#include "stage3_queue_crawler/crawler/cookie_jar.h"
#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/crawler/crawl_tools.h"
#include "stage3_queue_crawler/crawler/frontier.h"
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/host_pauses.h"
#include "stage3_queue_crawler/crawler/leave_to_ask.h"
#include "stage3_queue_crawler/crawler/memory_frontier.h"
#include "stage3_queue_crawler/crawler/page_fetch.h"
#include "stage3_queue_crawler/crawler/page_judge.h"
#include "stage3_queue_crawler/crawler/page_reader.h"
#include "stage3_queue_crawler/crawler/preparation.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/redirect_circles.h"
#include "stage3_queue_crawler/crawler/remembering_fetch.h"
#include "stage3_queue_crawler/crawler/request_rules.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/crawler/visit.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stage3 {

/// `F` keeps the URLs (see frontier.h).
template <Frontier F = MemoryFrontier>
class Crawler final : private HostPauses {
  public:
    /// Crawls what `scope` contains, starting from `roots`. `loop` must outlive it. The
    /// arguments after `helpers` go to the frontier's constructor, after the usual ones.
    template <class... More>
    Crawler(EventLoop& loop, std::vector<common::Url> roots, Scope scope,
            CrawlSettings settings, CrawlEvents events = {}, CrawlHelpers helpers = {},
            More&&... more)
        : loop_(loop), roots_(std::move(roots)),
          scope_(std::make_shared<Scope>(std::move(scope))),
          settings_(std::move(settings)), events_(std::move(events)),
          account_(helpers.account), session_(open_session(helpers)),
          jar_(settings_.cookies.are_kept ? std::make_unique<CookieJar>() : nullptr),
          rules_(scope_, settings_.logins, settings_.checks, settings_.sitemaps,
                 cookies_beside(settings_.session.headers, jar_.get())),
          robots_(loop, *session_, rules_, *this, settings_.session.user_agent,
                  settings_.retries, settings_.robots),
          leave_(robots_, *scope_, rules_, settings_),
          cookie_circles_(jar_ ? std::make_unique<CookieCircles>(*jar_, circles_, rules_,
                                                                 leave_, pauses())
                               : nullptr),
          fetch_(loop, *session_, rules_, settings_.retries, settings_.checks,
                 events_.on_note, cookie_circles_.get()),
          remembering_(remember(fetch_, helpers.answers, *session_, settings_.retries,
                                cookie_circles_.get())),
          pages_(remembering_ ? *remembering_ : fetch_),
          frontier_(loop, settings_.frontier,
                    FrontierHelpers{.checks = settings_.checks,
                                    .robots = settings_.robots.obey ? &robots_ : nullptr,
                                    .answers = helpers.answers,
                                    .session = session_.get(),
                                    .account = account_},
                    std::forward<More>(more)...),
          reader_(loop, scope_, settings_.reader, settings_.checks,
                  {.find_links = finder_for(std::move(helpers.find_links), settings_),
                   .is_asked_to_end = std::move(helpers.is_asked_to_end),
                   .on_note = events_.on_note,
                   .account = account_}),
          judge_(scope_, circles_, trap_limits(settings_, roots_), settings_.checks,
                 events_.on_note, helpers.answers),
          preparation_({.loop = loop_,
                        .scope = *scope_,
                        .rules = rules_,
                        .session = *session_,
                        .fetch = fetch_,
                        .pages = pages_,
                        .robots = robots_,
                        .leave = leave_,
                        .pauses = *this,
                        .settings = settings_,
                        .events = events_}) {}
    Crawler(const Crawler&) = delete;
    Crawler& operator=(const Crawler&) = delete;
    ~Crawler() override = default;

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
    /// How it found out where to begin.
    const Preparation& preparation() const { return preparation_; }
    const F& frontier() const { return frontier_; }
    const Scope& scope() const { return *scope_; }

  private:
    using Visit = stage3::Visit<F>;

    HostPauses& pauses() { return *this; }
    std::unique_ptr<Http> open_session(const CrawlHelpers& helpers) const;
    std::vector<common::Url> begin() const;
    Coroutine<Ending> crawl_in(TaskGroup& group);
    void start_workers(TaskGroup& group);
    Coroutine<> work(std::string name, bool is_foreign);
    Coroutine<Visit> next_visit(bool is_foreign);
    void refuse(Visit visit);
    void note_reaction(const typename F::Item& item, Reaction reaction,
                       RetryPolicy::Duration wait);
    void has_asked(const std::string& host) override { frontier_.has_asked(host); }
    void hold(const std::string& host, EventLoop::Duration duration) override {
        frontier_.hold(host, duration);
    }
    void refused(const std::string& host, EventLoop::Duration wait) override;
    void leave_out(const Record& record, std::string_view why);
    void doubt_if_hasty(const typename F::Item& item, Fetched& fetched) const;
    void put_off(Visit visit, const Again& again);
    void finish(Visit visit, Page page);
    void tell_missing_fragments();

    EventLoop& loop_;
    const std::vector<common::Url> roots_;
    const std::shared_ptr<Scope> scope_; // shared with threads, once prepared
    const CrawlSettings settings_;
    const CrawlEvents events_;
    TimeAccount* const account_; // null: none is kept
    const std::unique_ptr<Http> session_;
    RedirectCircles circles_;
    const std::unique_ptr<CookieJar> jar_; // null: no cookies
    const RequestRules rules_;
    RobotsCache robots_;
    LeaveToAsk leave_;
    const std::unique_ptr<CookieCircles> cookie_circles_; // null: no cookies
    PageFetch fetch_;
    const std::unique_ptr<PageSource> remembering_; // before it, if there are answers
    PageSource& pages_;                             // the one of these that is in front
    F frontier_;
    PageReader reader_;
    PageJudge judge_;
    Preparation preparation_;
    std::vector<LeftOut> unclear_; // in scope
    Progress progress_;
};

template <Frontier F>
std::unique_ptr<Http> Crawler<F>::open_session(const CrawlHelpers& helpers) const {
    const OpenHttp open = [&](EventLoop& loop, const SessionOptions& /*options*/) {
        return open_http(helpers.open_http, loop, settings_);
    };
    return account_ == nullptr ? open(loop_, settings_.session)
                               : with_account(open, *account_)(loop_, settings_.session);
}

// ---- The crawl ----

/// Where it begins: the roots, except those that the user has excluded.
template <Frontier F>
std::vector<common::Url> Crawler<F>::begin() const {
    std::vector<common::Url> urls;
    for (const common::Url& root : roots_)
        if (scope_->excludes(root))
            events_.on_note(fmt::format("{} is excluded", name_of(root)));
        else
            urls.push_back(root);
    return urls;
}

// [crawl]
/// Starts the workers, and waits until nothing is left to do.
template <Frontier F>
Coroutine<Ending> Crawler<F>::crawl_in(TaskGroup& group) {
    robots_.fetch_in(group);
    Ending ending = Ending::complete;
    try {
        co_await frontier_.open(begin());
        const TimeLimit limit = co_await preparation_.run(roots_);
        if (const auto* const listed = preparation_.listed())
            frontier_.add_listed(*listed);
        start_workers(group);
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

/// Foreign servers may be slow, so they have workers of their own.
template <Frontier F>
void Crawler<F>::start_workers(TaskGroup& group) {
    for (std::size_t i = 1; i <= settings_.workers; ++i) {
        const std::string name = fmt::format("worker {}", i);
        group.start(work(name, false), name);
    }
    const std::size_t foreign =
        settings_.checks.foreign ? settings_.checks.foreign_hosts : 0;
    for (std::size_t i = 1; i <= foreign; ++i) {
        const std::string name = fmt::format("foreign worker {}", i);
        group.start(work(name, true), name);
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
        PageRequest request(visit.item());
        request.on_request = visit.on_request();
        Fetched fetched = co_await pages_.fetch(std::move(request));
        doubt_if_hasty(visit.item(), fetched);
        if (const auto* const again = std::get_if<Again>(&fetched)) {
            put_off(std::move(visit), *again);
            continue;
        }
        auto& response = std::get<PageResponse>(fetched);
        note_reaction(visit.item(), response.reaction, response.retry_after);
        auto links = co_await reader_.links_on(visit.item(), response);
        Page page = judge_.judge(visit.item(), response, std::move(links));
        finish(std::move(visit), std::move(page));
    }
}
// [/work]

template <Frontier F>
Coroutine<Visit<F>> Crawler<F>::next_visit(bool is_foreign) {
    return is_foreign ? frontier_.get_foreign() : frontier_.get();
}

// ---- What may not be fetched, or not yet ----

/// A failure of robots.txt that was this machine's own says nothing.
template <Frontier F>
void Crawler<F>::refuse(Visit visit) {
    const Item& item = visit.item();
    const std::exception_ptr failure = item.refusal->failure;
    if (const auto again = fetch_.after_our_own(failure, item.tries)) {
        put_off(std::move(visit), *again);
        return;
    }
    Page page = judge_.judge_refusal(item, fetch_.most_tries(failure));
    finish(std::move(visit), std::move(page));
}

/// Why it's parked, for the account.
inline TimeAccount::Place place_of(const Again& again) {
    if (again.reaction == Reaction::refused || again.reaction == Reaction::busy
        || again.reaction == Reaction::displeased)
        return TimeAccount::Place::parked_as_refused;
    return again.was_a_try ? TimeAccount::Place::parked_to_retry
                           : TimeAccount::Place::parked_without_descriptor;
}

/// If a foreign server complains for the first time, and we have asked it sooner than
/// after the usual pause, that says nothing about the URL. So the question comes again,
/// after that pause, or a longer one that the server wants.
template <Frontier F>
void Crawler<F>::doubt_if_hasty(const typename F::Item& item, Fetched& fetched) const {
    const auto* const response = std::get_if<PageResponse>(&fetched);
    if (response == nullptr)
        return;
    const bool is_complaint = response->reaction == Reaction::refused
                              || response->reaction == Reaction::busy
                              || response->reaction == Reaction::displeased;
    if (is_complaint && !response->asks_too_much && frontier_.was_hasty(item))
        fetched = Again{.wait = response->retry_after,
                        .reaction = response->reaction,
                        .was_a_try = false};
}

template <Frontier F>
void Crawler<F>::put_off(Visit visit, const Again& again) {
    const auto wait = std::chrono::ceil<EventLoop::Duration>(again.wait);
    note_reaction(visit.item(), again.reaction, again.wait);
    if (account_ != nullptr)
        account_->set_reason(place_of(again));
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
    const auto pause = std::chrono::ceil<EventLoop::Duration>(wait);
    if (wait > settings_.retries.longest_wait || is_foreign(item.purpose))
        refused(host_of(item.url), pause);
    else if (reaction == Reaction::refused)
        frontier_.refused(item, pause);
    else
        frontier_.busy(item, pause);
}

/// No request to this host for as long as it wants, if that isn't too long.
template <Frontier F>
void Crawler<F>::refused(const std::string& host, EventLoop::Duration wait) {
    if (wait <= settings_.retries.longest_wait) {
        frontier_.hold(host, wait);
        return;
    }
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait);
    frontier_.end_host(
        host, fmt::format("its server asked to come back in {} s", seconds.count()));
}

// ---- What came of it ----

/// Hands its links to the frontier and reports its record, unless it has one already.
template <Frontier F>
void Crawler<F>::finish(Visit visit, Page page) {
    Record& record = page.record;
    if (visit.item().is_told) {
        visit.done(record, page.found);
        return;
    }
    if (visit.item().was_tried) {
        const RetryPolicy::Duration time = loop_.time() - visit.item().begun;
        record.seconds = time.count();
    }
    if (record.outcome == Outcome::unclear && !record.is_foreign)
        leave_out(record,
                  visit.item().refusal ? visit.item().refusal->reason : record.error);
    visit.done(record, page.found);
    progress_.count(record.outcome);
    events_.on_record(record, page.found.links);
}

/// They are known only when all pages have been read.
template <Frontier F>
void Crawler<F>::tell_missing_fragments() {
    for (const Record& record : frontier_.missing_fragments()) {
        progress_.count(record.outcome);
        events_.on_record(record, {});
    }
}

/// It's in scope, but its server won't say what it is.
template <Frontier F>
void Crawler<F>::leave_out(const Record& record, std::string_view why) {
    const std::string host = host_of(record.url);
    const std::string kind =
        fmt::format("URLs of {} are unclear: {}", name_of_host(host), why);
    if (count_left_out(unclear_, kind, 1, name_of(record.url)))
        events_.on_note(fmt::format("{}: {}", name_of_host(host), why));
}

template <Frontier F>
std::vector<LeftOut> Crawler<F>::left_out() const {
    std::vector<LeftOut> all = preparation_.left_out();
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
