// A frontier that is kept in Redis, for as many processes as want to share it.
//
// It promises what the one in memory does, and keeps nothing itself but what it holds
// (held_items.h): URLs handed out to this process, until it reports what became of them.
// If Redis goes away, all workers wait for it. If this process does, others get what it
// held.
//
// The way of an item: its session reads it (frontier_session.h) and hands it over here,
// in `on_items`; shared_rules.h finds out whether it may be fetched; in held_items.h it
// waits for a worker, which takes it with `get`. What the worker reports is put into
// words (result_words.h), and goes out with that session's next call. Page 29 of the
// book.
#pragma once

#include "stage3_queue_crawler/crawler/frontier.h"
#include "stage3_queue_crawler/crawler/frontier_settings.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/visit.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "stage3_queue_crawler/shared_frontier/frontier_session.h"
#include "stage3_queue_crawler/shared_frontier/frontier_sessions.h"
#include "stage3_queue_crawler/shared_frontier/held_items.h"
#include "stage3_queue_crawler/shared_frontier/leased.h"
#include "stage3_queue_crawler/shared_frontier/session_owner.h"
#include "stage3_queue_crawler/shared_frontier/shared_crawl.h"
#include "stage3_queue_crawler/shared_frontier/shared_rules.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stage3 {

class RedisFrontier final : private SessionOwner {
  public:
    using Item = LeasedItem;

    /// `loop` must outlive it; it must outlive its callers. Once open, it must be closed.
    RedisFrontier(EventLoop& loop, FrontierSettings settings, FrontierHelpers helpers,
                  SharedCrawl crawl);
    RedisFrontier(const RedisFrontier&) = delete;
    RedisFrontier& operator=(const RedisFrontier&) = delete;
    ~RedisFrontier() = default;

    // The concept's verbs: see frontier.h. A result for a URL that another process has by
    // now changes nothing. A record learns its depth; only Redis knows its parent, and
    // how many of its links were new.
    /// Throws CantTakePart.
    Coroutine<> open(std::vector<common::Url> roots);
    /// Throws std::invalid_argument if there are any: each process would have to read the
    /// sitemaps, and `--sitemap` is refused beside `--frontier`.
    static void add_listed(const std::vector<ListedUrl>& listed);
    Coroutine<Visit<RedisFrontier>> get();
    Coroutine<Visit<RedisFrontier>> get_foreign();
    void began(const Item& item);
    void done(const Item& item, Record& record, const Found& found);
    void put_off(const Item& item, EventLoop::Duration wait);
    void give_back(const Item& item);
    void answered(const Item& item);
    void refused(const Item& item, EventLoop::Duration wait);
    void busy(const Item& item, EventLoop::Duration wait);
    void end_host(const std::string& host, const std::string& reason);
    void hold(const std::string& host, EventLoop::Duration duration);
    void has_asked(const std::string& host);
    /// Its hosts' pauses are never shorter than they should be.
    bool was_hasty(const Item& /*item*/) const { return false; }
    Coroutine<> join(TimeLimit limit);
    /// Gives back what is held. If Redis is away, doesn't wait long for it.
    Coroutine<> close();
    FrontierCounts counts() const;
    /// None: only the process that reports knows what all have found.
    static std::vector<Record> missing_fragments() { return {}; }

    /// Only one of the processes may write the report: is it this one? After `join`.
    Coroutine<bool> may_report() const;
    /// The name by which the first server knows this process.
    const std::string& session_id() const { return sessions_.all().front()->id(); }
    /// What all servers say, added up.
    SharedState state() const { return sessions_.state(); }

  private:
    // A session asks, or tells: see session_owner.h.
    Wanted take_wanted(const FrontierSession& session, std::size_t soon) override;
    bool wants_some(const FrontierSession& session) const override;
    bool wants_some_foreign(const FrontierSession& session) const override;
    void on_items(FrontierSession& session, const Wanted& asked,
                  std::vector<Leased> items) override;
    void on_hold(const FrontierSession& session) override;
    void on_expired(const FrontierSession& session) override;
    void on_state() override;

    Wanted wanted(const FrontierSession& session, std::size_t soon = 0) const;
    void tell_refused(std::string how, const Item& item, EventLoop::Duration wait);

    EventLoop& loop_;
    const FrontierSettings settings_;
    const FrontierHelpers helpers_;
    const SharedCrawl crawl_;
    IdleWorkers waiting_; // workers, in `get`
    HeldItems held_;
    FrontierSessions sessions_;
    SharedRules rules_;
};
static_assert(Frontier<RedisFrontier>);

} // namespace stage3
