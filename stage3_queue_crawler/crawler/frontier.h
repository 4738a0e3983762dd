// The frontier: which URLs are known, and which one may be fetched next.
//
// A crawler asks it for items and reports the results. Only the frontier queues URLs: the
// crawler doesn't know how it remembers them, what it asks for permission, or where a URL
// waits until it may be fetched.
//
// The interface is a concept, because there can be several frontiers: in memory
// (memory_frontier.h), in a file, on another machine (shared_frontier/redis_frontier.h).
// Page 18b of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/sitemap.h"
#include "stage3_queue_crawler/crawler/visit.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

namespace stage3 {

/// How many URLs it holds.
struct FrontierCounts {
    std::size_t unfinished = 0; ///< URLs to fetch, wherever they are
    std::size_t out = 0;        ///< of these, the ones being fetched
    bool has_left_some = false; ///< there were more than it was allowed to give out
};

// [frontier]
/// What every frontier promises: each URL is done once; only one worker has it at a time,
/// and its visit ends with it done, put off or given back; `join` ends when nothing is
/// left. Only `open`, `get`, `join` and `close` may wait; reporting a result never does.
template <class F>
concept Frontier = requires(F f, std::vector<common::Url> roots, typename F::Item item,
                            Record record, Found found, std::string host,
                            std::string reason, EventLoop::Duration duration,
                            TimeLimit limit, std::vector<ListedUrl> listed) {
    // An Item, with what only this frontier needs to know about it.
    requires std::derived_from<typename F::Item, Item>;
    // Puts the roots in.
    { f.open(roots) } -> std::same_as<Coroutine<>>;
    // Begins at what sitemaps list, too. These are no roots: a record names the
    // sitemap as where its URL was found. Called after `open`, if there are any.
    f.add_listed(listed);
    // Waits for a URL that may be fetched now, or for one that carries a refusal.
    { f.get() } -> std::same_as<Coroutine<Visit<F>>>;
    // The same, for URLs that are to be checked on foreign servers.
    { f.get_foreign() } -> std::same_as<Coroutine<Visit<F>>>;
    // Its request is going out: the pause that its host wants starts here.
    f.began(item);
    // Takes its record and its links together, so it's never done before they are in.
    // Fills in what it knows of `record`'s parent, depth and number of new links.
    f.done(item, record, found);
    // To be tried again after `duration`.
    f.put_off(item, duration);
    // As if it had never been taken out.
    f.give_back(item);
    // Its host has given an answer to this.
    f.answered(item);
    // Its host has refused this: it gets no requests for `duration`, and then few; or
    // no more at all, if it has refused everything for too long.
    f.refused(item, duration);
    // The same, but it may be broken, and then a slower pace is of no use.
    f.busy(item, duration);
    // True if its request may have come sooner than its host likes, although that has
    // never complained before: then it may be asked once more.
    { f.was_hasty(item) } -> std::same_as<bool>;
    // This host is asked nothing more, for that reason: its URLs carry a refusal.
    f.end_host(host, reason);
    // This host gets no requests for `duration`.
    f.hold(host, duration);
    // This host was asked for something else, which starts a pause, too.
    f.has_asked(host);
    // Waits until nothing is left. Throws Timeout, or std::logic_error if a URL was
    // lost.
    { f.join(limit) } -> std::same_as<Coroutine<>>;
    // Gives out nothing more in this process, whatever is given back later.
    { f.close() } -> std::same_as<Coroutine<>>;
    { f.counts() } -> std::same_as<FrontierCounts>;
    // At the end, a record for each fragment that its page has no element for, as far
    // as this process knows them.
    { f.missing_fragments() } -> std::same_as<std::vector<Record>>;
};
// [/frontier]

} // namespace stage3
