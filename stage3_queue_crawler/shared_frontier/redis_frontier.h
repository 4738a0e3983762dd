// A frontier that is kept in Redis, for as many processes as like to share it.
//
// It promises what the one in memory does, and keeps nothing itself but what it holds: a
// URL that was handed out to this process, until it's told what came of it. If Redis goes
// away, everybody waits for it. If this process does, others get what it held. Told in
// book/19.
#pragma once

#include "stage3_queue_crawler/crawler/frontier.h"
#include "stage3_queue_crawler/crawler/frontier_settings.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/crawler/visit.h"
#include "stage3_queue_crawler/crawler/work.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/task.h"
#include "stage3_queue_crawler/shared_frontier/chunks.h"
#include "stage3_queue_crawler/shared_frontier/frontier_session.h"
#include "stage3_queue_crawler/shared_frontier/outboxes.h"
#include "stage3_queue_crawler/shared_frontier/shared_crawl.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace stage3 {

/// Work, and by what its frontier knows it again.
struct LeasedWork : Work {
    using Work::Work;

    std::uint64_t ticket = 0;
};

class RedisFrontier {
  public:
    using Work = LeasedWork;

    /// `loop` must outlive it, and it those who wait. Once it's open, it must be closed.
    RedisFrontier(EventLoop& loop, FrontierSettings settings, SharedCrawl crawl);
    RedisFrontier(const RedisFrontier&) = delete;
    RedisFrontier& operator=(const RedisFrontier&) = delete;
    ~RedisFrontier();

    // The concept's verbs: see frontier.h. What came of a URL that somebody else has by
    // now, changes nothing. A record learns its depth; its parent, and how many of its
    // links were new, are known to Redis alone.
    /// Throws CantTakePart.
    Coroutine<> open(std::vector<common::Url> roots);
    Coroutine<Visit<RedisFrontier>> get();
    void began(const Work& work);
    void done(const Work& work, Record& record, const Found& found);
    void put_off(const Work& work, EventLoop::Duration wait);
    void give_back(const Work& work);
    void hold(const std::string& host, EventLoop::Duration duration);
    void set_delay(const std::string& host, EventLoop::Duration delay);
    void has_asked(const std::string& host);
    Coroutine<> join(TimeLimit limit);
    /// Gives back what is held. If Redis is away, it doesn't wait for it for long.
    Coroutine<> close();
    FrontierCounts counts() const;

    /// Of all processes, one may write the report: is it this one? After `join`.
    Coroutine<bool> may_report() const;
    /// By which the first server knows this process.
    const std::string& session_id() const { return sessions_.front()->id(); }
    /// What all servers say, together.
    SharedState state() const;

  private:
    /// What this process holds.
    struct Held {
        FrontierSession* session;
        common::Url url;
        Leased item;
        EventLoop::TimePoint since;
        bool is_out = false;     // somebody visits it
        bool is_scouted = false; // its host's robots.txt is being asked for
        std::unique_ptr<CancelAtExit> answer = {}; // is waited for
    };
    using Ticket = std::uint64_t;

    FrontierSession::Settings session_settings(std::vector<std::string> roots) const;
    FrontierSession::Owner owner_of(std::size_t server);
    FrontierSession& session_of(const std::string& host);
    void add_sessions(const std::vector<common::Url>& roots);
    Coroutine<> open_all();
    Coroutine<> check_that_servers_differ();
    Coroutine<> guard(Coroutine<> part);
    Coroutine<> say_goodbye();
    Coroutine<> leave(std::size_t server);
    void end_tasks();
    void note_state();
    std::size_t wanted() const;
    std::size_t on_the_way() const;
    void take_in(FrontierSession& session, std::vector<Leased> items);
    void scout(Ticket ticket, const common::Url& url);
    void take_answer(Ticket ticket, const Future<RobotsCache::Answer>& answer);
    Coroutine<> find_rules(Ticket ticket);
    void judge(Ticket ticket);
    void let_in(Ticket ticket, std::shared_ptr<const Refusal> refusal);
    void forget(const FrontierSession& session);
    void drop(Ticket ticket);
    void keep_rules(const std::string& host, RobotsCache::Answer answer);
    static void tell(const Held& held, std::vector<std::string> result);
    void send_done(const Held& held, const Record& record, std::vector<Chunk> chunks);

    EventLoop& loop_;
    const FrontierSettings settings_;
    const SharedCrawl crawl_;
    std::vector<std::unique_ptr<FrontierSession>> sessions_; // one for each server
    std::optional<Outboxes> outboxes_;                       // if there are several
    std::vector<Task<>> talks_;                              // one for each session
    std::vector<Task<>> tasks_;                              // others
    std::unordered_map<Ticket, Held> held_;
    Ticket last_ticket_ = 0;
    std::size_t out_ = 0;     // of these: visited
    std::size_t scouted_ = 0; // the same: wait for robots.txt
    Queue<Work> ready_;       // the same: for the next who gets
    std::size_t waiting_ = 0; // in `get`
    std::size_t asked_ = 0;   // for so many, and the answer isn't there
    std::unordered_map<std::string, RobotsCache::Answer> rules_; // of hosts
    std::size_t rules_bytes_ = 0;
    Event over_;
    std::exception_ptr failure_;
    bool is_closed_ = false;
};
static_assert(Frontier<RedisFrontier>);

} // namespace stage3
