// One connection to Redis.
//
// Redis answers in the order in which it's asked, and an answer doesn't say which
// question it belongs to. So a caller that gives up between the two leaves an answer
// behind that the next caller would take for its own. Here, such a connection is closed,
// and never used again.
//
// Why not hiredis, Redis's own library? In Debian 12's version (0.14), its adapters for
// other event loops have no timers, so a connect may never end; and it looks names up
// with getaddrinfo, which holds up the loop. With a Stream, neither is a problem.
#pragma once

#include "stage3_queue_crawler/redis/redis_reply.h"
#include "stage3_queue_crawler/redis/redis_url.h"
#include "stage3_queue_crawler/redis/resp.h"
#include "stage3_queue_crawler/runtime/net/resolver.h"
#include "stage3_queue_crawler/runtime/net/stream.h"
#include "stage3_queue_crawler/runtime/sync/semaphore.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stage3 {

/// What has gone over the wire so far.
struct Traffic {
    std::uint64_t calls = 0; ///< commands sent
    std::uint64_t bytes_out = 0, bytes_in = 0;
    std::uint64_t reconnects = 0; ///< connections after the first one
};

struct RedisTimeouts {
    EventLoop::Duration connect = std::chrono::seconds(5); ///< until calls can be made
    EventLoop::Duration answer = std::chrono::seconds(10); ///< for each answer
};

/// For use in one loop; it must outlive its calls.
class RedisConnection {
  public:
    RedisConnection(EventLoop& loop, RedisUrl url, RedisTimeouts timeouts = {});
    RedisConnection(const RedisConnection&) = delete;
    RedisConnection& operator=(const RedisConnection&) = delete;
    ~RedisConnection() = default;

    bool is_open() const { return stream_ != nullptr; }
    /// Finds the address, connects, logs in, selects the database. If open, does nothing.
    /// Throws Timeout, common::ResolveError, std::system_error, EndOfStream, NoRedis; and
    /// RedisError if it may not log in or there is no such database.
    Coroutine<> open();
    /// A call that is waiting for an answer throws std::system_error.
    void close() { stream_.reset(); }

    // ---- Several tasks may call at the same time: they're served one after the other.
    // Each throws std::system_error (not_connected) if it isn't open; Timeout,
    // EndOfStream, NoRedis and std::system_error if it breaks, after which it's closed.
    // A call that is cancelled while it waits for its answer closes it, too. ----

    /// Sends all commands at once, and returns the answers in order. If Redis refuses a
    /// command, its answer has is_error; the others are executed all the same.
    Coroutine<std::vector<RedisReply>> call_all(std::vector<RedisCommand> commands);
    /// Throws RedisError if Redis refuses.
    Coroutine<RedisReply> call(RedisCommand command);

    const Traffic& traffic() const { return traffic_; }

  private:
    Coroutine<> connect_and_log_in();
    Coroutine<std::vector<common::Address>> find_addresses();
    Coroutine<common::Socket> connect_to_one_of(std::vector<common::Address> addresses);
    Coroutine<std::vector<RedisReply>>
    exchange(Stream& stream, const std::vector<RedisCommand>& commands);

    EventLoop& loop_;
    const RedisUrl url_;
    const RedisTimeouts timeouts_;
    Semaphore turns_{1};
    std::optional<Resolver> resolver_; // made when there is a name to look up
    std::unique_ptr<Stream> stream_;
    bool was_open_ = false;
    Traffic traffic_;
};

} // namespace stage3
