// The language that Redis speaks, RESP: how commands are written, and replies read.
//
// Each reply begins with a character that says what it is, and texts and lists give their
// length first. So nothing ever has to be searched for, and a text may contain any byte.
// The characters: + a word, - an error, : a number, $ a text, * a list. (Source:
// https://redis.io/docs/latest/develop/reference/protocol-spec/, version 2.)
#pragma once

#include "stage3_queue_crawler/redis/redis_reply.h"
#include "stage3_queue_crawler/runtime/net/stream.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stage3 {

/// Its name, then its arguments: {"SET", "key", "value"}.
using RedisCommand = std::vector<std::string>;

/// Appends the command to `out`.
void append_command(std::string& out, const RedisCommand& command);

/// Reads replies, one after the other. The stream must outlive it.
class ReplyReader {
  public:
    // A sane server stays far below these; anything larger would only fill our memory.
    static constexpr std::size_t longest_text = std::size_t{512} * 1024 * 1024;
    static constexpr std::size_t most_items = 1'000'000; ///< of a reply, in all its lists
    static constexpr int deepest = 8;                    ///< list in a list in a list …

    explicit ReplyReader(Stream& stream) : stream_(stream) {}

    /// The next reply. Throws NoRedis, and what a Stream throws.
    Coroutine<RedisReply> read();
    /// Bytes read so far.
    std::size_t bytes() const { return bytes_; }

  private:
    Coroutine<RedisReply> read_at(int level);
    Coroutine<std::string> read_line();
    Coroutine<std::string> read_text(std::size_t length);
    long long length_in(const std::string& line, int level);

    Stream& stream_;
    std::size_t bytes_ = 0;
    std::size_t items_left_ = 0;
};

} // namespace stage3
