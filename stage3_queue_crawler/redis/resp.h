// The language that Redis speaks, RESP: how commands are written, and replies read.
//
// Each reply begins with a letter that says what it is, and texts and lists tell their
// length before they come. So nothing is ever searched for, and any byte may stand in a
// text. The letters: + a word, - an error, : a number, $ a text, * a list. (Source:
// https://redis.io/docs/latest/develop/reference/protocol-spec/, version 2.)
#pragma once

#include "stage3_queue_crawler/redis/redis_reply.h"
#include "stage3_queue_crawler/runtime/net/stream.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stage3 {

/// Its name, then what it's called with: {"SET", "key", "value"}.
using RedisCommand = std::vector<std::string>;

/// Writes the command behind `out`.
void append_command(std::string& out, const RedisCommand& command);

/// Reads replies, one after the other. The stream must outlive it.
class ReplyReader {
  public:
    // What a sound server stays far below; beyond it, somebody fills our memory.
    static constexpr std::size_t longest_text = std::size_t{512} * 1024 * 1024;
    static constexpr std::size_t most_items = 1'000'000; ///< of a reply, in all its lists
    static constexpr int deepest = 8;                    ///< list in a list in a list …

    explicit ReplyReader(Stream& stream) : stream_(stream) {}

    /// The next reply. Throws NoRedis, and what a Stream throws.
    Coroutine<RedisReply> read();
    /// Bytes that it has read.
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
