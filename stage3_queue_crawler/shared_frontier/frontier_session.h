// One process's part in a crawl, on one server.
//
// The session is what has a lease: the process, not each URL. Every call renews it. All
// results go out with the next call, which also brings the next items; so only one call
// at a time is under way, and each has a number. If its answer is lost, the same call is
// made again, and the script recognizes the number.
//
// While a call is under way, the workers go on with items that came earlier: the faster
// they use them, the more are fetched ahead. So no worker waits for the network, however
// far away Redis is, and one call at a time is enough. Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/redis/redis_client.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/shared_frontier/event_rate.h"
#include "stage3_queue_crawler/shared_frontier/session_owner.h"
#include "stage3_queue_crawler/shared_frontier/shared_crawl.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// A time, as the script reads it.
std::string milliseconds(EventLoop::Duration time);

class FrontierSession {
  public:
    /// What the script must know about a crawl that it creates.
    struct Settings {
        std::chrono::microseconds delay{};
        std::chrono::microseconds foreign_delay{};
        std::size_t max_per_host = 0; ///< 0: no limit
        std::size_t max_pages = 0;    ///< the same
        std::chrono::seconds refused_timeout{};
        bool obey_robots = false;
        std::string order;              ///< fifo, lifo or priority
        std::vector<std::string> roots; ///< chunks
    };

    /// For use in the loop. `loop`, `crawl` and `owner` must outlive it.
    /// `number`: which of the crawl's servers it talks to.
    FrontierSession(EventLoop& loop, const SharedCrawl& crawl, std::size_t number,
                    Settings settings, SessionOwner& owner);

    /// Checks that it would be let in. Changes nothing. Throws CantTakePart.
    Coroutine<> look();
    /// Begins the session. Throws CantTakePart.
    Coroutine<> open();
    /// What was given up becomes work again. After `open`. Throws CantTakePart.
    Coroutine<> retry();
    /// Talks to the server until `close` is called.
    /// Throws RedisError, for instance if the crawl is gone.
    Coroutine<> run();
    /// Sends `result` with the next call, which is made soon: see
    /// frontier/5_results.lua.
    void tell(std::vector<std::string> result);
    /// The same; but if no worker waits for what this call brings, it may take a moment,
    /// so that it carries more.
    void tell_done(std::vector<std::string> result);
    /// A worker waits for an item, and none did until now.
    void ask_soon();
    /// What the owner wants has changed.
    void look_up() { news_.set(); }
    /// Does the server want to try a URL that may kill this process? It comes once this
    /// session holds nothing else; the process's other sessions shouldn't, either.
    bool is_on_trial() const { return is_on_trial_; }
    /// Is `time` more than a lease ago? Then others may by now have what was held.
    bool is_too_old(EventLoop::TimePoint time) const {
        return loop_.time() - time > crawl_.lease;
    }
    /// Makes `run` send the remaining results, and end.
    void close();
    /// Gives back what is held. After `run`.
    Coroutine<> leave();

    /// Runs one operation of the script.
    Coroutine<RedisReply> call(std::vector<std::string> arguments);
    RedisClient& client() { return client_; }
    const std::string& id() const { return id_; }
    const SharedState& state() const { return state_; }
    /// A key of this crawl.
    std::string key(std::string_view name) const;

  private:
    std::vector<std::string> open_arguments(std::string_view operation) const;
    void refuse(const RedisReply& reply) const;
    Coroutine<> wait_for_news();
    Coroutine<> step();
    std::vector<std::string> take_results();
    void forget_items();
    void take_answer(const RedisReply& reply, Wanted asked);
    void pace(std::int64_t wait, bool had_enough);
    bool is_time_to_tell() const;
    EventLoop::TimePoint next_call() const;
    std::size_t used_soon() const;

    EventLoop& loop_;
    const SharedCrawl& crawl_;
    const Settings settings_;
    SessionOwner& owner_;
    RedisClient client_;
    const std::string agreed_;
    std::string id_;
    std::uint64_t last_call_ = 0;                  // its number
    std::deque<std::vector<std::string>> results_; // to be sent
    EventLoop::TimePoint call_began_{};
    EventLoop::Duration call_time_{}; // that a call takes, about
    EventRate done_;                  // how fast the workers are
    EventLoop::TimePoint told_{};     // the first of the results
    bool is_urgent_ = false;          // a result is
    Event news_;
    EventLoop::TimePoint next_sign_{}; // of life
    EventLoop::TimePoint next_ask_{};  // for items, if there were none
    EventLoop::TimePoint next_ask_foreign_{};
    EventLoop::Duration pause_{};
    SharedState state_;
    bool is_on_trial_ = false;
    bool is_closing_ = false;
};

} // namespace stage3
