// The frontier: which URLs are known, and which one may be fetched next.
//
// A crawler asks it for work, and reports what came of it. Only the frontier puts URLs in
// line: how it remembers them, what it asks for permission, and where a URL waits that
// may not be fetched yet, is nothing that the crawler knows.
//
// What a frontier must be able to do is written down here as a concept, since there may
// be several: in memory (memory_frontier.h), in a file, on another machine
// (shared_frontier/redis_frontier.h). Page 16 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/visit.h"
#include "stage3_queue_crawler/crawler/work.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

namespace stage3 {

/// How much of it there is.
struct FrontierCounts {
    std::size_t unfinished = 0; ///< URLs to fetch, wherever they are
    std::size_t out = 0;        ///< of these: being fetched
    bool has_left_some = false; ///< there were more than it was to give out
};

// [frontier]
/// What every frontier promises: each URL is done once, and out with one worker at a
/// time; what is out is done, put off or given back; `join` ends when nothing is left.
/// Only `open`, `get`, `join` and `close` may wait: what came of a URL is told without.
template <class F>
concept Frontier = requires(F f, std::vector<common::Url> roots, typename F::Work work,
                            Record record, Found found, std::string host,
                            EventLoop::Duration duration, TimeLimit limit) {
    // A Work, with what this frontier alone must know of it.
    requires std::derived_from<typename F::Work, Work>;
    // The roots are in.
    { f.open(roots) } -> std::same_as<Coroutine<>>;
    // Waits for a URL that may be fetched now, or may not at all: see its refusal.
    { f.get() } -> std::same_as<Coroutine<Visit<F>>>;
    // Its request goes out: the pause that its host wants counts from here.
    f.began(work);
    // Its record and its links, in one: so it's never done before they are in.
    // `record` learns its parent, its depth, and how many links were new.
    f.done(work, record, found);
    // Once more, after so long.
    f.put_off(work, duration);
    // As if it had not been taken out.
    f.give_back(work);
    // This host is asked for nothing for so long.
    f.hold(host, duration);
    // This host wants so long a pause between two requests.
    f.set_delay(host, duration);
    // This host was asked for something else: that, too, begins a pause.
    f.has_asked(host);
    // Until nothing is left. Throws Timeout, and std::logic_error if a URL was lost.
    { f.join(limit) } -> std::same_as<Coroutine<>>;
    // Nothing comes out any more, and what is out is given back.
    { f.close() } -> std::same_as<Coroutine<>>;
    { f.counts() } -> std::same_as<FrontierCounts>;
};
// [/frontier]

} // namespace stage3
