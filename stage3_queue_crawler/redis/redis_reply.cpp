#include "stage3_queue_crawler/redis/redis_reply.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace stage3 {
namespace {

/// Bytes from outside never reach a terminal as they are: they might be commands for it.
std::string printable(std::string_view bytes) {
    std::string text(bytes.substr(0, 40));
    std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '.');
    return text;
}

} // namespace

long long RedisReply::number() const {
    long long result = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, result);
    if (error != std::errc() || stopped != end)
        throw std::invalid_argument("a number was expected of Redis, not '"
                                    + printable(text) + "'");
    return result;
}

NoRedis::NoRedis(std::string_view answer)
    : std::runtime_error("what answers is no Redis: '" + printable(answer) + "'") {}

} // namespace stage3
