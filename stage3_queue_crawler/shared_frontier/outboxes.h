// Links between servers, and the end of the crawl.
//
// Each server has some of the hosts. A page's links to hosts of other servers wait in an
// outbox until a process carries them over: any process may, at any time, and several at
// once do no harm. Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/shared_frontier/frontier_session.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace stage3 {

class Outboxes {
  public:
    using Sessions = std::vector<std::unique_ptr<FrontierSession>>;

    /// `sessions`, one for each server, must outlive it.
    explicit Outboxes(const Sessions& sessions) : sessions_(sessions) {}

    /// Carries links, and notices when nothing is left anywhere. Ends only if cancelled,
    /// if FrontierSession::call throws, or with std::runtime_error if links were lost.
    Coroutine<> carry();
    /// There is certainly something to carry.
    void carry_soon() { news_.set(); }

  private:
    Coroutine<bool> carry_all();
    Coroutine<bool> carry_from(std::size_t source);
    Coroutine<> carry_over(std::size_t source, std::size_t target, RedisReply entries);
    Coroutine<std::string> what_has_arrived(std::size_t source, std::size_t target);
    Coroutine<> check_that_none_is_lost();
    bool all_idle() const;
    Coroutine<> end_if_nothing_is_left();
    Coroutine<std::string> read_all();

    const Sessions& sessions_;
    Event news_;
};

} // namespace stage3
