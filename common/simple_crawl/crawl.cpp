#include "common/simple_crawl/crawl.h"

#include "common/system/descriptors.h"
#include "common/text/refused_advice.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace common {

Summary Crawl::run(StartFetch start_fetch) {
    start_fetch_ = std::move(start_fetch);
    const auto start = std::chrono::steady_clock::now();
    add({root_});
    if (!loop_.run(settings_.patience))
        give_up();
    summary_.seconds = std::chrono::steady_clock::now() - start;
    return summary_;
}

void Crawl::add(const std::vector<Url>& urls) {
    for (const Url& url : urls) {
        // Stages 1 and 2 speak plain http only.
        if (url.scheme() != "http" || !scope_.contains(url))
            continue;
        // Is it new? Then remember it. Nothing else can run between the two.
        if (!seen_urls_.insert(url).second)
            continue;
        urls_todo_.insert(url);
        waiting_.push_back(url);
    }
    start_fetches();
}

/// Starts all that are waiting. There is no cap, unless the server has shown that it
/// needs one. If no descriptor is left, the rest stay in the queue until a fetch ends and
/// gives one back.
void Crawl::start_fetches() {
    // A fetch that fails at once calls this function again, from inside the loop below,
    // which continues anyway. Without this check, a thousand such URLs would nest a
    // thousand calls.
    if (starting_)
        return;
    starting_ = true;
    out_of_descriptors_ = false;
    while (!waiting_.empty() && !out_of_descriptors_ && in_flight() < at_once_) {
        const Url url = waiting_.front();
        waiting_.pop_front();
        start_fetch_(url);
        count_in_flight();
    }
    starting_ = false;
}

void Crawl::count_in_flight() {
    summary_.most_at_once = std::max(summary_.most_at_once, in_flight());
    if (in_flight() > few)
        last_in_crowd_ = next_fetch_id_ - 1;
}

void Crawl::postpone(const Url& url) {
    waiting_.push_front(url);
    out_of_descriptors_ = true;
    if (!said_so_)
        settings_.on_note(
            fmt::format("no descriptor is left for another socket: fetches beyond {} at "
                        "once wait their turn (see ulimit -n)",
                        in_flight()));
    said_so_ = true;
}

bool Crawl::retry_with_fewer(const Url& url, std::uint64_t fetch) {
    // The number in flight now says little: a connection that fell off the server's
    // queue breaks seconds later, long after the others have been answered.
    if (fetch > last_in_crowd_)
        return false;
    if (at_once_ == no_cap)
        settings_.on_note(
            fmt::format("the server can't take {} connections at once: from "
                        "here on, there are at most {}",
                        summary_.most_at_once, few));
    at_once_ = few;
    waiting_.push_back(url);
    start_fetches();
    return true;
}

void Crawl::finished(const Record& record) {
    urls_todo_.erase(record.url);
    ++(record.outcome == Outcome::dead ? summary_.dead : summary_.fetched);
    settings_.on_record(record);
    if (record.url == root_ && record.error == "connection refused")
        if (const auto advice = advice_if_refused(root_.host(), true); !advice.empty())
            settings_.on_note(std::string(advice));
    if (urls_todo_.empty())
        loop_.stop();
    else
        start_fetches();
}

void Crawl::trace_end(std::uint64_t fetch, const Record& record) {
    tracer_.fetch_end(fetch, record.url.href(),
                      {.status = record.status,
                       .bytes = record.bytes,
                       .next = record.next ? record.next->href() : std::string_view(),
                       .error = record.error});
}

void Crawl::give_up() {
    settings_.on_note(fmt::format(
        "giving up: nothing has happened for {} s, and {} URLs "
        "are still pending",
        std::chrono::duration<double>(settings_.patience).count(), urls_todo_.size()));
    std::vector<Url> pending(urls_todo_.begin(), urls_todo_.end());
    std::ranges::sort(pending);
    for (const Url& url : pending) {
        Record record(url);
        record.error = "no answer";
        ++summary_.dead;
        settings_.on_record(record);
    }
}

const Host& Crawl::host_of(const Url& url) {
    const auto [entry, is_new] = hosts_.try_emplace(std::string(url.host()));
    Host& host = entry->second;
    if (is_new || host.look_again) {
        host = {};
        try {
            host.addresses = resolve(entry->first, 0);
        } catch (const ResolveError& error) {
            host.error = error.what();
            host.look_again = no_descriptor_left(error.code);
        }
    }
    return host;
}

} // namespace common
