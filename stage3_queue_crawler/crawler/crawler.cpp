#include "stage3_queue_crawler/crawler/crawler.h"

#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace stage3 {

using common::Url;

Crawler::Crawler(EventLoop& loop, std::vector<Url> roots, Scope scope,
                 CrawlSettings settings, CrawlEvents events)
    : loop_(loop), roots_(std::move(roots)),
      scope_(std::make_shared<const Scope>(std::move(scope))),
      settings_(std::move(settings)), events_(std::move(events)),
      fetch_(loop, {.session = settings_.session,
                    .max_tries = settings_.max_tries,
                    .roots = roots_,
                    .logins = settings_.logins,
                    .on_note = events_.on_note}),
      robots_(
          loop, fetch_.session(),
          {.product_token = settings_.session.user_agent,
           .max_tries = settings_.max_tries,
           .most_at_once = settings_.robots_at_once,
           .options_for = [this](const Url& url) { return fetch_.options_for(url); },
           .on_request = [this](const Url& url) { frontier_.has_asked(host_of(url)); }}),
      frontier_(loop,
                {.order = settings_.order,
                 .max_depth = settings_.max_depth,
                 .max_pages = settings_.max_pages,
                 .max_redirects = settings_.max_redirects,
                 .politeness = settings_.politeness,
                 .ask_robots = settings_.obey_robots
                                   ? [this](const Url& url) { return robots_.ask(url); }
                                   : RobotsLine::Ask(),
                 .withdraw_questions = [this] { robots_.cancel_all(); }}),
      reader_(
          loop, scope_,
          {.in_threads = settings_.parse_in_threads, .fail_on = settings_.fail_parsing}),
      judge_(reader_, scope_, events_.on_note) {}

// ---- The crawl ----

/// Where it begins: the roots, but for those that its user has excluded.
std::vector<Url> Crawler::begin() const {
    std::vector<Url> urls;
    for (const Url& root : roots_)
        if (scope_->excludes(root))
            events_.on_note(fmt::format("{} is excluded", root.href()));
        else
            urls.push_back(root);
    return urls;
}

// [crawl]
/// Starts the workers, and waits until nothing is left to do.
Coroutine<Ending> Crawler::crawl_in(TaskGroup& group) {
    robots_.fetch_in(group);
    Ending ending = Ending::complete;
    try {
        co_await frontier_.open(begin());
        for (std::size_t i = 1; i <= settings_.workers; ++i) {
            const std::string name = fmt::format("worker {}", i);
            group.start(work(name), name);
        }
        co_await frontier_.join(settings_.timeout); // here the whole crawl takes place
        if (frontier_.counts().has_left_some)
            ending = Ending::max_pages;
    } catch (const Timeout&) {
        ending = Ending::timed_out;
    } catch (const Cancelled&) {
        ending = Ending::interrupted;
    }
    // Most workers wait for a URL now, and some perhaps for a server.
    frontier_.close();
    reader_.stop();
    group.cancel();
    co_return ending;
}
// [/crawl]

// [crawl-ends]
Coroutine<Ending> Crawler::crawl() {
    Ending ending = Ending::interrupted;
    TaskGroup group;
    try {
        ending = co_await group.run(crawl_in(group));
    } catch (const Cancelled&) {
        ending = Ending::interrupted;
    }
    if (ending == Ending::complete)
        urls().check_that_none_is_lost();
    co_return ending;
}
// [/crawl-ends]

// [work]
Coroutine<> Crawler::work(std::string name) {
    while (true) {
        co_await events_.until_ready();
        Visit visit = co_await frontier_.get();
        if (visit.work().refusal) {
            refuse(std::move(visit));
            continue;
        }
        events_.on_start(name, visit.work());
        const auto on_request = visit.on_request();
        Fetched fetched =
            co_await fetch_.fetch(visit.work().url, visit.work().tries, on_request);
        if (const auto* const again = std::get_if<Again>(&fetched)) {
            put_off(std::move(visit), *again);
            continue;
        }
        auto& response = std::get<PageResponse>(fetched);
        Page page = co_await judge_.judge(visit.work(), std::move(response));
        finish(std::move(visit), std::move(page));
    }
}
// [/work]

// ---- What may not be fetched, or not now ----

/// robots.txt forbids it: that is its record. If there was no answer, it's as if there
/// had been none from the page itself.
void Crawler::refuse(Visit visit) {
    const Work& work = visit.work();
    Page page(work);
    try {
        if (work.refusal->failure)
            std::rethrow_exception(work.refusal->failure);
        page.record.outcome = Outcome::disallowed;
        page.record.error = work.refusal->reason;
        if (work.is_root)
            events_.on_note(fmt::format("{}: {}", work.url.href(), work.refusal->reason));
    } catch (const FetchError& error) {
        if (error.kind == FetchError::Kind::no_descriptor) {
            const std::optional<Again> again = fetch_.after(error, work.tries);
            put_off(std::move(visit), *again);
            return;
        }
        page.record.tries = fetch_.most_tries(error);
        page.fail(error.what());
    } catch (const std::exception& error) {
        page.fail(error.what());
    }
    finish(std::move(visit), std::move(page));
}

// [put-off]
void Crawler::put_off(Visit visit, const Again& again) {
    const auto wait = std::chrono::ceil<EventLoop::Duration>(again.wait);
    if (again.host_is_busy) // it's the server, not the page
        frontier_.hold(host_of(visit.work().url), wait);
    visit.put_off(wait, again.was_a_try);
}
// [/put-off]

// ---- What came of it ----

/// Its links go in, and its record comes out.
void Crawler::finish(Visit visit, Page page) {
    const auto now = loop_.time();
    const RetryPolicy::Duration time = now - visit.work().begun.value_or(now);
    Record& record = page.record;
    record.seconds = time.count();
    visit.done(record, page.found);
    if (record.outcome == Outcome::page)
        events_.on_links(record.url, page.found.links);
    if (is_dead(record.outcome))
        ++progress_.dead;
    else if (record.outcome == Outcome::redirect)
        ++progress_.redirects;
    else if (record.outcome != Outcome::disallowed)
        ++progress_.fetched;
    events_.on_record(record);
}

Progress Crawler::progress() const {
    Progress result = progress_;
    const FrontierCounts counts = frontier_.counts();
    result.in_flight = counts.out;
    result.waiting = counts.unfinished - counts.out;
    return result;
}

} // namespace stage3
