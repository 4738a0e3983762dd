#include "stage3_queue_crawler/crawler/page_reader.h"

#include "stage3_queue_crawler/runtime/executor/executor.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace stage3 {

using namespace std::chrono_literals;

namespace {

/// `scope` must outlive `limits`.
void look_for(const Checks& checks, const Scope& scope, common::LinkLimits& limits) {
    limits.links = checks.max_links;
    limits.bytes = checks.most_link_bytes();
    limits.fragments = checks.max_fragments;
    limits.assets = checks.assets;
    limits.ids = checks.fragments;
    if (checks.foreign)
        limits.foreign = [&](const common::Url& url) { return scope.is_foreign(url); };
}

} // namespace

Coroutine<common::Links> PageReader::read(common::Url url, std::string content_type,
                                          std::string body) {
    using Seconds = std::chrono::duration<double>;
    struct Reading {
        common::Links links;
        Seconds time;
    };
    const auto size = static_cast<double>(body.size());
    // [job]
    auto read = [url = std::move(url), content_type = std::move(content_type),
                 body = std::move(body), scope = scope_, is_over = is_over_,
                 asked_to_end = is_asked_to_end_, find_links = find_links_,
                 checks = checks_] {
        const auto begin = std::chrono::steady_clock::now();
        common::LinkLimits limits;
        limits.wanted = [&](const common::Url& link) {
            if (*is_over)
                throw std::runtime_error("the crawl is over");
            return !asked_to_end() && scope->contains(link);
        };
        look_for(checks, *scope, limits);
        Reading reading{.links = find_links(body, content_type, url, limits),
                        .time = std::chrono::steady_clock::now() - begin};
        return reading;
    };
    // [/job]
    // [choice]
    // A site's pages resemble each other, so earlier ones show how long this one takes.
    // With a single thread, only a page that would hold up other tasks is worth the trip.
    const Seconds worth_the_way = loop_.thread_pool().max_threads() > 1 ? 50us : 1000us;
    Reading reading;
    if (in_threads_ && size * seconds_per_byte_ > worth_the_way.count()
        && loop_.thread_pool().has_thread()) {
        Future<Reading> elsewhere = run_in_executor(loop_, std::move(read));
        reading = co_await std::move(elsewhere);
    } else {
        reading = read();
    }
    // If it took far longer, something else ran in between.
    const double now =
        std::min(reading.time.count() / std::max(size, 1.0), 2 * seconds_per_byte_);
    seconds_per_byte_ = 0.9 * seconds_per_byte_ + 0.1 * now;
    // [/choice]
    if (is_asked_to_end_()) { // some links may be missing, so no record
        const Future<> never(loop_);
        co_await never;
    }
    co_return std::move(reading.links);
}

} // namespace stage3
