#include "stage3_queue_crawler/redis/resp.h"

#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace stage3 {

void append_command(std::string& out, const RedisCommand& command) {
    out += '*' + std::to_string(command.size()) + "\r\n";
    for (const std::string& word : command)
        out += '$' + std::to_string(word.size()) + "\r\n" + word + "\r\n";
}

Coroutine<RedisReply> ReplyReader::read() {
    items_left_ = most_items;
    return read_at(0);
}

Coroutine<RedisReply> ReplyReader::read_at(int level) {
    const std::string line = co_await read_line(); // "+OK", ":42", "$5", "*3"
    RedisReply reply;
    if (line[0] == '+' || line[0] == ':' || line[0] == '-') {
        reply.text = line.substr(1);
        reply.is_error = line[0] == '-';
        co_return reply;
    }
    const long long length = length_in(line, level);
    reply.is_null = length < 0;
    if (line[0] == '$' && length >= 0)
        reply.text = co_await read_text(static_cast<std::size_t>(length));
    for (long long i = 0; line[0] == '*' && i < length; ++i) {
        RedisReply item = co_await read_at(level + 1);
        reply.items.push_back(std::move(item));
    }
    co_return reply;
}

/// A line without its line end; never empty.
Coroutine<std::string> ReplyReader::read_line() {
    std::string line;
    bool has_end = true;
    try {
        // Up to \n alone: what isn't Redis may not send \r before it.
        line = co_await stream_.read_until("\n");
    } catch (const LimitExceeded&) {
        has_end = false;
    }
    if (!has_end)
        line = co_await stream_.read_some(40); // for the message
    bytes_ += line.size();
    if (!has_end || line.size() < 3 || !line.ends_with("\r\n"))
        throw NoRedis(line);
    line.resize(line.size() - 2);
    co_return line;
}

Coroutine<std::string> ReplyReader::read_text(std::size_t length) {
    std::string text = co_await stream_.read_exactly(length + 2);
    bytes_ += text.size();
    if (!text.ends_with("\r\n"))
        throw NoRedis(text);
    text.resize(length);
    co_return text;
}

/// Of a text or a list; -1: there is none. Throws NoRedis if it's none, or too large.
long long ReplyReader::length_in(const std::string& line, int level) {
    long long length = 0;
    const char* const end = line.data() + line.size();
    const auto [stopped, error] = std::from_chars(line.data() + 1, end, length);
    const bool is_list = line[0] == '*';
    if ((line[0] != '$' && !is_list) || error != std::errc() || stopped != end)
        throw NoRedis(line);
    const std::size_t most = is_list ? items_left_ : longest_text;
    if (length < -1 || (length > 0 && static_cast<std::size_t>(length) > most)
        || (is_list && level == deepest))
        throw NoRedis(line);
    if (is_list && length > 0)
        items_left_ -= static_cast<std::size_t>(length);
    return length;
}

} // namespace stage3
