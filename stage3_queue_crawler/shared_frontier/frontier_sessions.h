// All sessions of a process: one for each server of the crawl.
//
// They begin together, so that a process takes part everywhere or nowhere, and they end
// together. What one of them throws ends the crawl. Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/task.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "stage3_queue_crawler/shared_frontier/frontier_session.h"
#include "stage3_queue_crawler/shared_frontier/outboxes.h"
#include "stage3_queue_crawler/shared_frontier/session_owner.h"
#include "stage3_queue_crawler/shared_frontier/shared_crawl.h"

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace stage3 {

class FrontierSessions {
  public:
    /// `loop`, `crawl` and `owner` must outlive it. Once open, it must be closed.
    FrontierSessions(EventLoop& loop, const SharedCrawl& crawl, SessionOwner& owner)
        : loop_(loop), crawl_(crawl), owner_(owner) {}
    FrontierSessions(const FrontierSessions&) = delete;
    FrontierSessions& operator=(const FrontierSessions&) = delete;
    ~FrontierSessions();

    /// Begins them, and lets them run. `roots`: of each server, in chunks. Throws
    /// CantTakePart.
    Coroutine<> open(FrontierSession::Settings settings,
                     std::vector<std::vector<std::string>> roots);
    /// Runs this as a task, until `close`. If it throws, the crawl is over.
    void start(Coroutine<> part, const char* name);
    /// Throws Timeout.
    Coroutine<> wait_until_over(TimeLimit limit);
    /// Why the crawl is over, if it isn't done.
    std::exception_ptr failure() const { return failure_; }
    /// Asks for no items from here on. Before `close`.
    void ask_for_no_more();
    /// Gives back what is held. If Redis is away, doesn't wait long for it.
    Coroutine<> close();

    /// The session with the server that has that host.
    FrontierSession& of(const std::string& host) const;
    const Outboxes::Sessions& all() const { return sessions_; }
    /// What all servers say, added up.
    SharedState state() const;
    /// One of them may say something new.
    void note_state();
    /// A page has links to hosts of another server.
    void carry_soon();

  private:
    Coroutine<> open_all();
    Coroutine<> retry_given_up();
    Coroutine<> guard(Coroutine<> part);
    Coroutine<> say_goodbye();
    Coroutine<> leave(std::size_t server);
    void end_tasks();

    EventLoop& loop_;
    const SharedCrawl& crawl_;
    SessionOwner& owner_;
    Outboxes::Sessions sessions_;
    std::optional<Outboxes> outboxes_; // if there are several
    std::vector<Task<>> talks_;        // one for each session
    std::vector<Task<>> tasks_;        // others
    Event over_;
    std::exception_ptr failure_;
};

} // namespace stage3
