// Links between servers, and the end of all.
//
// Each server has some of the hosts. A page's links to hosts of others wait in an outbox,
// and somebody must carry them over: any process may, at any time, and several at once do
// no harm. Page 29 of the book.
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

    /// Must be outlived by the sessions, one for each server.
    explicit Outboxes(const Sessions& sessions) : sessions_(sessions) {}

    /// Carries, and notices when nothing is left anywhere. Ends only when cancelled, or
    /// with what FrontierSession::call throws.
    Coroutine<> carry();
    /// There is something, for certain.
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
