// One connection to Redis.
//
// Redis answers in the order in which it's asked, and an answer doesn't say to which
// question it belongs. So whoever gives up between the two leaves an answer behind that
// the next one would take for his. Here, such a connection is closed, and never used
// again.
//
// Why not hiredis, Redis's own library? As Debian 12 has it (0.14), its way into somebody
// else's loop has no timers, so that a connect may never end; and it looks names up with
// getaddrinfo, which holds up the loop. On a Stream, both come by themselves.
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

/// What was asked for so far.
struct Traffic {
    std::uint64_t calls = 0; ///< commands sent
    std::uint64_t bytes_out = 0, bytes_in = 0;
    std::uint64_t reconnects = 0; ///< connections after the first one
};

struct RedisTimeouts {
    EventLoop::Duration connect = std::chrono::seconds(5); ///< until it can be called
    EventLoop::Duration answer = std::chrono::seconds(10); ///< for each answer
};

/// In one loop; it must outlive the calls.
class RedisConnection {
  public:
    RedisConnection(EventLoop& loop, RedisUrl url, RedisTimeouts timeouts = {});
    RedisConnection(const RedisConnection&) = delete;
    RedisConnection& operator=(const RedisConnection&) = delete;
    ~RedisConnection() = default;

    bool is_open() const { return stream_ != nullptr; }
    /// Finds the address, connects, logs in, selects the database; nothing, if it's open.
    /// Throws Timeout, common::ResolveError, std::system_error, EndOfStream, NoRedis; and
    /// RedisError if it may not log in or there is no such database.
    Coroutine<> open();
    /// Who waits for an answer gets std::system_error.
    void close() { stream_.reset(); }

    // ---- Several tasks may call at the same time: they're served one after the other.
    // Each throws std::system_error (not_connected) if it isn't open; Timeout,
    // EndOfStream, NoRedis and std::system_error if it breaks, after which it's closed.
    // It's also closed by whoever is cancelled while he waits for his answer. ----

    /// Sends all commands at once, and returns the answers in their order. A command that
    /// Redis refuses has an answer with is_error: the others are done all the same.
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
    std::optional<Resolver> resolver_; // made when there is a name
    std::unique_ptr<Stream> stream_;
    bool was_open_ = false;
    Traffic traffic_;
};

} // namespace stage3
