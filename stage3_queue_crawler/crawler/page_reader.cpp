#include "stage3_queue_crawler/crawler/page_reader.h"

#include "common/trace/place.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/runtime/executor/executor.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stage3 {

using namespace std::chrono_literals;

namespace {

/// Of a page's references; no page that people read has more.
constexpr std::size_t most_places = 100'000;

/// `scope` must outlive `limits`.
void look_for(const Checks& checks, const Scope& scope, common::LinkLimits& limits) {
    limits.links = checks.max_links;
    limits.bytes = checks.most_link_bytes();
    limits.fragments = checks.max_fragments;
    limits.places = checks.places ? most_places : 0;
    limits.assets = checks.assets;
    limits.ids = checks.fragments;
    limits.malformed = true;
    if (checks.fragments && (scope.has_exclusions() || checks.foreign))
        limits.excludes_place = [&](const common::Url& url, std::string_view fragment) {
            return (scope.has_exclusions() && scope.excludes(url, fragment))
                   || (common::is_for_scripts(fragment) && !scope.contains(url));
        };
    if (checks.foreign)
        limits.foreign = [&](const common::Url& url) { return scope.is_foreign(url); };
}

/// On a page that isn't followed: no link matters.
Checks for_ids() {
    Checks checks;
    checks.fragments = true;
    checks.max_links = 0;
    return checks;
}

} // namespace

Coroutine<std::optional<common::Links>> PageReader::links_on(const Item& item,
                                                             PageResponse& response) {
    std::optional<common::Links> links;
    if (!response.error.empty())
        co_return links;
    if (response.links)
        links = earlier_links(item, response);
    if (!response.is_searched)
        co_return links;
    const bool only_ids = item.purpose != Purpose::follow;
    const common::Url& from = response.from ? *response.from : item.url;
    std::string error;
    try {
        links = co_await read(from, response.content_type, std::move(response.body),
                              only_ids);
    } catch (const common::TracedError& traced) {
        tell_way(item.url, traced);
        error = traced.what();
    } catch (const std::bad_alloc&) {
        throw; // not the page's failure
    } catch (const std::exception& other) {
        error = other.what();
    }
    if (!only_ids)
        response.error = std::move(error);
    co_return links;
}

/// A file isn't as trustworthy as our parser.
std::optional<common::Links> PageReader::earlier_links(const Item& item,
                                                       PageResponse& response) const {
    common::Links links = std::move(*response.links);
    if (item.purpose == Purpose::follow) {
        std::erase_if(links.urls,
                      [&](const common::Url& link) { return !scope_->contains(link); });
        return links;
    }
    common::Links ids;
    ids.ids = std::move(links.ids);
    ids.has_more_ids = links.has_more_ids;
    return ids;
}

/// Notes the path of an error: the coroutines from this task's first one to the one that
/// threw it. The error has ended some of them already.
void PageReader::tell_way(const common::Url& url,
                          const common::TracedError& error) const {
    const TaskBase& worker = *current_task();
    std::vector<common::Place> coroutines = worker.chain();
    const std::vector<common::Place> ended = worker.traceback();
    coroutines.insert(coroutines.end(), ended.begin(), ended.end());
    helpers_.on_note(
        fmt::format("{} can't be read.\nThe coroutines of {}, the last one at "
                    "the bottom:\n{}{}: {}",
                    name_of(url), worker.name(), common::describe(coroutines),
                    common::file_and_line(error.where), error.what()));
}

Coroutine<common::Links> PageReader::read(common::Url url, std::string content_type,
                                          std::string body, bool only_ids) {
    using Seconds = std::chrono::duration<double>;
    struct Timed {
        common::Links links;
        Seconds time;
    };
    const auto size = static_cast<double>(body.size());
    const Checks checks = only_ids ? for_ids() : checks_;
    TimeAccount::Host* const host = TimeAccount::host_in(helpers_.account, url);
    // [job]
    auto read = [url = std::move(url), content_type = std::move(content_type),
                 body = std::move(body), scope = scope_, is_over = is_over_,
                 asked_to_end = helpers_.is_asked_to_end,
                 find_links = helpers_.find_links, checks] {
        const auto begin = std::chrono::steady_clock::now();
        common::LinkLimits limits;
        limits.wanted = [&](const common::Url& link) {
            if (*is_over)
                throw std::runtime_error("the crawl is over");
            return !asked_to_end() && scope->contains(link);
        };
        look_for(checks, *scope, limits);
        Timed reading{.links = find_links(body, content_type, url, limits),
                      .time = std::chrono::steady_clock::now() - begin};
        return reading;
    };
    // [/job]
    // [choice]
    // A site's pages resemble each other, so earlier ones show how long this one takes.
    // With a single thread, only a page that would hold up other tasks is worth the trip.
    const Seconds worth_the_way = loop_.thread_pool().max_threads() > 1 ? 50us : 1000us;
    Timed reading;
    if (settings_.in_threads && size * seconds_per_byte_ > worth_the_way.count()
        && loop_.thread_pool().has_thread()) {
        const TimeAccount::Stay in_account(host, TimeAccount::Place::reading_outside);
        Future<Timed> elsewhere = run_in_executor(loop_, std::move(read));
        reading = co_await std::move(elsewhere);
    } else {
        const TimeAccount::Stay in_account(host, TimeAccount::Place::reading);
        reading = read();
    }
    // If it took far longer, something else ran in between.
    const double now =
        std::min(reading.time.count() / std::max(size, 1.0), 2 * seconds_per_byte_);
    seconds_per_byte_ = 0.9 * seconds_per_byte_ + 0.1 * now;
    // [/choice]
    if (helpers_.is_asked_to_end()) { // some links may be missing, so no record
        const Future<> never(loop_);
        co_await never;
    }
    co_return std::move(reading.links);
}

} // namespace stage3
