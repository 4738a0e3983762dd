#include "stage3_queue_crawler/crawler/sitemaps.h"

#include "common/text/ascii.h"
#include "common/text/counted.h"
#include "common/web/http_response.h"
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/traced_fetch.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace stage3 {

using common::Url;

namespace {

constexpr std::string_view unreadable = "sitemaps that can't be read to their end";
constexpr int most_failures = 3;
constexpr int most_waits = 20;
constexpr std::size_t most_foreign = 1000;
constexpr std::size_t mib = std::size_t{1024} * 1024;

} // namespace

Coroutine<> Sitemaps::read(std::vector<Url> roots) {
    for (const Url& url : choice_.urls) {
        if (tools_.scope.excludes(url))
            tools_.events.on_note(fmt::format("the sitemap {}: excluded", url.href()));
        add({.url = url});
    }
    if (choice_.of_roots)
        co_await look_in_robots(roots);
    while (!to_read_.empty() && !is_full_) {
        Next next = std::move(to_read_.front());
        to_read_.pop_front();
        co_await read_one(std::move(next));
    }
    leave_out_rest();
    known_.clear();
    tell_foreign();
}

// ---- Which ones ----

/// Each root's origin is asked once. A user who ignores the rules in robots.txt has still
/// asked for the sitemaps that it names.
Coroutine<> Sitemaps::look_in_robots(const std::vector<Url>& roots) {
    std::set<std::string, std::less<>> origins;
    for (const Url& root : roots) {
        if (tools_.scope.excludes(root) || !origins.emplace(root.origin()).second)
            continue;
        RobotsSource::Answer answer;
        try {
            answer = co_await tools_.robots.ask(root);
        } catch (const FetchError& error) {
            tools_.events.on_note(fmt::format("{}/robots.txt: {}, so its sitemaps are "
                                              "unknown",
                                              root.origin(), error.what()));
            has_read_all_ = false;
            continue;
        }
        has_asked(host_of(root));
        for (const std::string& line : answer->rules.sitemaps())
            if (auto url = common::resolve_url(line, root))
                add({.url = meant(*std::move(url))});
        if (answer->rules.sitemaps().empty())
            if (const auto url = common::resolve_url("/sitemap.xml", root))
                add({.url = *url, .is_guess = true});
    }
}

/// By the URL that the crawl knows it by.
Url Sitemaps::meant(Url url) const {
    if (tools_.settings.mappings)
        tools_.settings.mappings->rename(url);
    return url;
}

/// Indexes may lead in a circle, so each sitemap is read once.
void Sitemaps::add(Next next) {
    constexpr int most_indexes = 2; // the protocol allows one above a sitemap
    const SitemapLimits& limits = choice_.limits;
    if (seen_.contains(next.url))
        return;
    if (tools_.scope.excludes(next.url)) {
        has_read_all_ = false;
        return;
    }
    const std::size_t bytes = 2 * next.url.href().size(); // we keep two of them
    if (seen_.size() == limits.sitemaps) {
        leave_out(fmt::format("sitemaps beyond the first {}", limits.sitemaps), 1,
                  next.url);
    } else if (bytes > limits.total_bytes - kept_bytes_) {
        leave_out("sitemaps, since their URLs are too long", 1, next.url);
    } else if (next.depth > most_indexes) {
        leave_out("sitemaps in an index in an index in an index", 1, next.url);
    } else if (tools_.rules.is_named_by_site(next.url)
               && ++foreign_sitemaps_ > most_foreign) {
        leave_out(fmt::format("sitemaps out of scope beyond the first {}", most_foreign),
                  1, next.url);
    } else {
        kept_bytes_ += bytes;
        seen_.insert(next.url);
        to_read_.push_back(std::move(next));
    }
}

// ---- Reading one ----

Coroutine<> Sitemaps::read_one(Next next) {
    const Got got = co_await fetch(next.url);
    if (got.is_given_up) {
        has_read_all_ = false;
        leave_out(fmt::format("sitemaps of servers that failed {} times in a row",
                              most_failures),
                  1, got.url);
        co_return;
    }
    constexpr int mistake = 400; // to 499: the request's
    constexpr int failure = 500;
    if (next.is_guess
        && (got.is_refused || (got.status >= mistake && got.status < failure))) {
        tell_absent(next.url, got.error);
        co_return;
    }
    if (!got.error.empty()) {
        tell_unreadable(next.url, got.error);
        co_return;
    }
    // In the loop's own thread: no other task has anything to do yet.
    const Sitemap sitemap = read_sitemap(got.body, got.url, choice_.limits);
    if (next.is_guess && !sitemap.is_one)
        tell_absent(next.url, sitemap.error); // but perhaps a page, with status 200
    else
        take(next, got.url, sitemap);
}

void Sitemaps::take(const Next& next, const Url& url, const Sitemap& sitemap) {
    const SitemapLimits& limits = choice_.limits;
    if (!sitemap.error.empty())
        tell_unreadable(url, sitemap.error);
    if (sitemap.unreadable > 0)
        tools_.events.on_note(fmt::format("the sitemap {} has no http or https URL in {}",
                                          name_of(url),
                                          common::counted(sitemap.unreadable, "place")));
    if (sitemap.is_cut_off) {
        has_read_all_ = false;
        const std::string part = fmt::format("first {} MiB", limits.bytes / mib);
        tools_.events.on_note(
            fmt::format("the sitemap {}: only its {} are read", name_of(url), part));
        count_left_out(left_out_, "ends of sitemaps, beyond their " + part, 1,
                       name_of(url));
    }
    if (sitemap.left_out > 0)
        leave_out(fmt::format("entries of a sitemap beyond the first {}", limits.urls),
                  sitemap.left_out, url);
    if (sitemap.urls.empty() && sitemap.error.empty() && sitemap.unreadable == 0)
        tools_.events.on_note(
            fmt::format("the sitemap {}: it lists no URL", name_of(url)));
    for (const Url& written : sitemap.urls) {
        const Url entry = meant(written);
        if (sitemap.is_index) {
            add({.url = entry, .depth = next.depth + 1});
        } else if (tools_.scope.contains(entry)) {
            list({.url = entry, .sitemap = url});
        } else if (tools_.scope.is_foreign(entry) && ++foreign_ == 1) {
            first_foreign_ = entry; // the user hasn't excluded it, so it's worth a note
        }
    }
}

void Sitemaps::list(const ListedUrl& one) {
    const SitemapLimits& limits = choice_.limits;
    if (known_.contains(one.url))
        return;
    // Both are kept, once for each URL.
    const std::size_t bytes = one.url.href().size() + one.sitemap.href().size();
    is_full_ = is_full_ || listed_.size() == limits.total_urls
               || bytes > limits.total_bytes - kept_bytes_;
    if (is_full_) {
        leave_out(fmt::format("URLs beyond {} or {} MiB in all sitemaps",
                              limits.total_urls, limits.total_bytes / mib),
                  1, one.sitemap);
        return;
    }
    kept_bytes_ += bytes;
    known_.insert(one.url);
    listed_.push_back(one);
}

void Sitemaps::leave_out_rest() {
    if (!to_read_.empty())
        leave_out("sitemaps after so many URLs", to_read_.size(), to_read_.front().url);
    to_read_.clear();
}

void Sitemaps::tell_absent(const Url& sitemap, const std::string& why) {
    tools_.events.on_note(fmt::format(
        "{}: no sitemap here ({}), and robots.txt names none", name_of(sitemap), why));
    has_read_all_ = false;
}

/// An index may name thousands of sitemaps that are gone.
void Sitemaps::tell_unreadable(const Url& sitemap, const std::string& why) {
    constexpr int most_told = 20;
    ++unreadable_;
    if (unreadable_ <= most_told)
        tools_.events.on_note(fmt::format("the sitemap {}: {}", name_of(sitemap), why));
    else if (unreadable_ == most_told + 1)
        tools_.events.on_note("more sitemaps can't be read to their end: text and html "
                              "reports count them");
    count_left_out(left_out_, unreadable, 1, name_of(sitemap));
    has_read_all_ = false;
}

/// The user hears about the first of each kind.
void Sitemaps::leave_out(std::string_view why, std::size_t entries, const Url& sitemap) {
    has_read_all_ = false;
    if (count_left_out(left_out_, why, entries, name_of(sitemap)))
        tools_.events.on_note(
            fmt::format("the sitemap {}: left out are {}", name_of(sitemap), why));
}

void Sitemaps::tell_foreign() const {
    if (first_foreign_)
        tools_.events.on_note(
            fmt::format("sitemaps list what is out of scope, so it's left "
                        "out: {}, such as {}",
                        common::counted(foreign_, "URL"), name_of(*first_foreign_)));
}

// ---- Fetching one ----

Coroutine<Sitemaps::Got> Sitemaps::fetch(Url url) {
    constexpr int most_redirects = 5;
    Got got{.url = url};
    for (int redirects = 0; redirects <= most_redirects; ++redirects) {
        got.is_given_up = failures_at(got.url) == most_failures;
        if (got.is_given_up)
            co_return got;
        co_await ask_robots(got);
        if (!got.error.empty())
            co_return got;
        got = co_await try_to_fetch(got.url);
        if (!common::is_redirect(got.status) || !got.error.empty())
            co_return got;
        const auto target = common::resolve_url(got.body, got.url);
        if (!target) {
            got.error = "redirect without a target";
            co_return got;
        }
        got.url = *target;
    }
    got.error = "redirect limit reached";
    co_return got;
}

/// There is an error if it may not be fetched.
Coroutine<> Sitemaps::ask_robots(Got& got) {
    const Url& url = got.url;
    got.is_refused = tools_.scope.excludes(url);
    if (got.is_refused)
        got.error = "redirect to an excluded URL";
    if (got.is_refused || !tools_.settings.robots.obey)
        co_return;
    const std::string host = host_of(url);
    const bool is_first = !delays_.contains(host);
    RobotsSource::Answer answer;
    try {
        answer = co_await tools_.robots.ask(url);
    } catch (const FetchError& error) {
        ++failures_at(url);
        got.error = error.what();
        co_return;
    }
    const auto wanted = answer->rules.crawl_delay().value_or(Robots::Duration());
    delays_[host] = std::max(tools_.settings.frontier.politeness.delay,
                             std::chrono::ceil<EventLoop::Duration>(wanted));
    if (is_first)
        has_asked(host);
    got.is_refused = !answer->rules.allows(url.target());
    if (got.is_refused)
        got.error = answer->reason;
}

/// A crawl doesn't begin before this ends, so a server that has failed gets only one try
/// for each further sitemap, and soon no more. All together don't wait often.
Coroutine<Sitemaps::Got> Sitemaps::try_to_fetch(Url url) {
    Got got{.url = url};
    int& failures = failures_at(url);
    for (int tries = 1;; ++tries) {
        co_await wait_for_turn(host_of(url));
        const auto wait = co_await try_once(url, tries, got);
        const bool has_failed =
            !got.error.empty() && (got.status == 0 || RetryPolicy::may_pass(got.status));
        if (!wait || failures > 0 || tools_.rules.is_named_by_site(url)
            || ++waits_ > most_waits) {
            if (!common::is_redirect(got.status)) // which says nothing of its target
                failures = has_failed ? failures + 1 : 0;
            co_return got;
        }
        co_await sleep(std::chrono::ceil<EventLoop::Duration>(*wait));
    }
}

/// In a row. All foreign servers count as one: an index may name thousands.
int& Sitemaps::failures_at(const Url& url) {
    return failures_[tools_.rules.is_named_by_site(url) ? std::string() : host_of(url)];
}

/// Asks once. With a redirect, its target is the body.
/// If there is a result, it should be tried again after that time.
Coroutine<std::optional<RetryPolicy::Duration>> Sitemaps::try_once(Url url, int tries,
                                                                   Got& got) {
    PageResponse told;
    const TracedFetch traced(tools_.loop.tracer(), url, told);
    tools_.events.on_start("sitemaps", Item(url));
    has_asked(host_of(url));
    got.error.clear();
    try {
        GetOptions options = tools_.rules.options_for(url);
        options.max_body = choice_.limits.bytes + 1; // to notice that there is more
        Response response = co_await tools_.session.get(url, std::move(options));
        got.status = told.status = response.status();
        if (common::is_redirect(got.status)) {
            got.body = told.location = common::trim(response.header("Location"));
        } else if (!common::is_success(got.status)) {
            got.error = fmt::format("HTTP status {}", got.status);
        } else {
            got.body = co_await response.read_beginning();
            told.bytes = got.body.size();
        }
        const std::chrono::seconds wanted = response.retry_after();
        const auto wait = retries_.after(got.status, wanted, {.tries = tries});
        if (got.status == 429 || got.status == 503)
            note_refusal(url,
                         std::chrono::ceil<EventLoop::Duration>(wait.value_or(wanted)));
        co_return wait;
    } catch (const FetchError& error) {
        got.status = 0;
        got.error = told.error = error.what();
        if (const auto again = tools_.fetch.after(error, tries))
            co_return again->wait;
    }
    co_return std::nullopt;
}

// ---- Politeness ----

Coroutine<> Sitemaps::wait_for_turn(std::string host) {
    const auto wait = free_at_[host] - tools_.loop.time();
    if (wait > EventLoop::Duration::zero())
        co_await sleep(wait);
}

void Sitemaps::has_asked(const std::string& host) {
    const auto known = delays_.find(host);
    const EventLoop::Duration delay = known == delays_.end()
                                          ? tools_.settings.frontier.politeness.delay
                                          : known->second;
    free_at_[host] = tools_.loop.time() + delay;
    tools_.pauses.hold(host, delay);
}

/// If it wants too long a pause, it's asked for no more sitemaps.
void Sitemaps::note_refusal(const Url& url, EventLoop::Duration pause) {
    const std::string host = host_of(url);
    tools_.pauses.refused(host, pause);
    if (pause > tools_.settings.retries.longest_wait)
        failures_at(url) =
            tools_.rules.is_named_by_site(url) ? failures_at(url) : most_failures - 1;
    else
        free_at_[host] = std::max(free_at_[host], tools_.loop.time() + pause);
}

} // namespace stage3
