#include "stage3_queue_crawler/crawler/crawler.h"

#include "common/text/ascii.h"
#include "common/trace/place.h"
#include "common/web/charset.h"
#include "common/web/http_response.h"
#include "common/web/links.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace stage3 {
namespace {

using common::Url;

/// "mailto:a@b": an absolute URL, but none that can be crawled.
bool has_other_scheme(std::string_view reference) {
    const auto colon = reference.find_first_of(":/?#");
    if (colon == std::string_view::npos || colon == 0 || reference[colon] != ':')
        return false;
    const std::string_view scheme = reference.substr(0, colon);
    return !common::equal_ignoring_case(scheme, "http")
           && !common::equal_ignoring_case(scheme, "https");
}

void fail(Record& record, std::string why) {
    record.outcome = Outcome::failed;
    record.error = std::move(why);
}

} // namespace

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
      reader_(loop, scope_,
              {.in_threads = settings_.parse_in_threads,
               .fail_on = settings_.fail_parsing}) {}

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
        Page page = co_await read(visit.work(), std::move(response));
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
        fail(page.record, error.what());
    } catch (const std::exception& error) {
        fail(page.record, error.what());
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

// ---- A page ----

/// What a response says, and what is found in it.
// The caller waits for it, so that the work lives as long.
Coroutine<Crawler::Page> Crawler::read(const Work& work, PageResponse response) {
    Page page(work);
    read_headers(work, response, page);
    if (!response.error.empty()) {
        fail(page.record, response.error);
        co_return page;
    }
    if (response.status != 200)
        co_return page;
    try {
        co_await read_links(work, std::move(response), page);
    } catch (const common::TracedError& error) {
        tell_way(work, error);
        fail(page.record, error.what());
    } catch (const std::exception& error) {
        fail(page.record, error.what());
    }
    co_return page;
}

void Crawler::read_headers(const Work& work, const PageResponse& response, Page& page) {
    const std::string_view type = response.content_type;
    Record& record = page.record;
    record.content_type = common::trim(type.substr(0, type.find(';')));
    record.charset = common::header_parameter(type, "charset");
    record.status = response.status;
    record.bytes = response.bytes;
    if (common::is_redirect(response.status)) {
        read_location(work, response, page);
    } else if (response.status != 200) {
        record.outcome = Outcome::error;
        record.error = fmt::format("HTTP status {}", response.status);
        if (RetryPolicy::may_pass(response.status)
            && response.retry_after > RetryPolicy::longest_wait)
            record.error +=
                fmt::format(", come back in {} s", response.retry_after.count());
    }
}

void Crawler::read_location(const Work& work, const PageResponse& response, Page& page) {
    const std::string& location = response.location;
    Record& record = page.record;
    record.outcome = Outcome::redirect;
    const std::optional<Url> target =
        location.empty() ? std::nullopt : common::resolve_url(location, work.url);
    if (!target && has_other_scheme(location)) {
        record.next_url = location;
        return;
    }
    if (!target) {
        record.outcome = Outcome::error;
        record.error = location.empty() ? "redirect without a target"
                                        : fmt::format("redirect to what is no URL: {}",
                                                      location.substr(0, 200));
        return;
    }
    record.next_url = target->href();
    if (!scope_->contains(*target))
        return;
    if (work.redirects_left == 0)
        fail(record, "redirect limit reached");
    else
        page.found.redirect = target;
}

Coroutine<> Crawler::read_links(const Work& work, PageResponse response, Page& page) {
    if (!common::may_hold_links(response.content_type, response.body)) {
        page.record.outcome = Outcome::file;
        co_return;
    }
    common::Links links =
        co_await reader_.read(work.url, response.content_type, std::move(response.body));
    page.record.links = links.urls.size();
    page.record.outcome = Outcome::page;
    leave_out(links.left_out, "beyond the limit for a page", work);
    leave_out(links.too_long, "too long for URLs", work);
    page.found.links = std::move(links.urls);
}

/// Links of a page that won't be followed, though they might be in scope.
void Crawler::leave_out(std::size_t links, std::string_view why, const Work& work) {
    if (links == 0)
        return;
    left_out_ += links;
    events_.on_note(
        fmt::format("{}: {} links are left out, being {}", work.url.href(), links, why));
}

/// Tells the way of an error: the coroutines from this task's first one to the one that
/// has thrown it. It has ended some of them already.
void Crawler::tell_way(const Work& work, const common::TracedError& error) {
    const TaskBase& worker = *current_task();
    std::vector<common::Place> coroutines = worker.chain();
    const std::vector<common::Place> ended = worker.traceback();
    coroutines.insert(coroutines.end(), ended.begin(), ended.end());
    events_.on_note(
        fmt::format("{} can't be read.\nThe coroutines of {}, the last one at "
                    "the bottom:\n{}{}: {}",
                    work.url.href(), worker.name(), common::describe(coroutines),
                    common::file_and_line(error.where), error.what()));
}

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
