// A frontier that is kept in Redis, for as many processes as want to share it.
//
// It promises what the one in memory does, and keeps nothing itself but what it holds
// (held_items.h): URLs handed out to this process, until it reports what became of them.
// If Redis goes away, all workers wait for it. If this process does, others get what it
// held. Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/frontier.h"
#include "stage3_queue_crawler/crawler/frontier_settings.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/visit.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/task.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "stage3_queue_crawler/shared_frontier/chunks.h"
#include "stage3_queue_crawler/shared_frontier/frontier_session.h"
#include "stage3_queue_crawler/shared_frontier/held_items.h"
#include "stage3_queue_crawler/shared_frontier/outboxes.h"
#include "stage3_queue_crawler/shared_frontier/session_owner.h"
#include "stage3_queue_crawler/shared_frontier/shared_crawl.h"
#include "stage3_queue_crawler/shared_frontier/shared_rules.h"

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace stage3 {

class RedisFrontier : private SessionOwner {
  public:
    using Item = LeasedItem;

    /// `loop` must outlive it; it must outlive its callers. Once open, it must be closed.
    RedisFrontier(EventLoop& loop, FrontierSettings settings, SharedCrawl crawl);
    RedisFrontier(const RedisFrontier&) = delete;
    RedisFrontier& operator=(const RedisFrontier&) = delete;
    ~RedisFrontier();

    // The concept's verbs: see frontier.h. A result for a URL that another process has by
    // now changes nothing. A record learns its depth; only Redis knows its parent, and
    // how many of its links were new.
    /// Throws CantTakePart.
    Coroutine<> open(std::vector<common::Url> roots);
    Coroutine<Visit<RedisFrontier>> get();
    /// The same, for what is to be checked on foreign servers.
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
    void set_delay(const std::string& host, EventLoop::Duration delay);
    void has_asked(const std::string& host);
    Coroutine<> join(TimeLimit limit);
    /// Gives back what is held. If Redis is away, doesn't wait long for it.
    Coroutine<> close();
    FrontierCounts counts() const;

    /// Only one of the processes may write the report: is it this one? After `join`.
    Coroutine<bool> may_report() const;
    /// The name by which the first server knows this process.
    const std::string& session_id() const { return sessions_.front()->id(); }
    /// What all servers say, added up.
    SharedState state() const;

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

    FrontierSession& session_of(const std::string& host);
    void add_sessions(const std::vector<common::Url>& roots);
    Coroutine<> open_all();
    Coroutine<> guard(Coroutine<> part);
    Coroutine<> say_goodbye();
    Coroutine<> leave(std::size_t server);
    void end_tasks();
    Wanted wanted(const FrontierSession& from, std::size_t soon = 0) const;
    Coroutine<> retry_given_up();
    void take_in(FrontierSession& session, std::vector<Leased> items);
    void let_in(Ticket ticket, std::shared_ptr<const Refusal> refusal);
    void note_ended(const std::string& host, const std::string& reason);
    void tell_refused(std::string how, const Item& item, EventLoop::Duration wait);
    Coroutine<Visit<RedisFrontier>> get_from(Queue<Item>& ready);
    std::vector<Chunk> chunks_of(const Item& item, common::LinkRole role,
                                 const Found& found) const;
    void send_done(const HeldItem& item, const Record& record, std::string places,
                   std::vector<Chunk> chunks);

    EventLoop& loop_;
    const FrontierSettings settings_;
    const SharedCrawl crawl_;
    std::vector<std::unique_ptr<FrontierSession>> sessions_; // one for each server
    std::optional<Outboxes> outboxes_;                       // if there are several
    std::vector<Task<>> talks_;                              // one for each session
    std::vector<Task<>> tasks_;                              // others
    HeldItems held_;
    SharedRules rules_;
    /// Hosts that are asked nothing more, as far as this process knows.
    std::unordered_map<std::string, std::shared_ptr<const Refusal>> ended_;
    Queue<Item> ready_; // of what is held: for the next `get`
    Queue<Item> ready_foreign_;
    std::size_t waiting_ = 0; // in `get`
    std::size_t waiting_foreign_ = 0;
    Event over_;
    std::exception_ptr failure_;
};
static_assert(Frontier<RedisFrontier>);

} // namespace stage3
