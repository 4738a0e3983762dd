// Where a Redis is, as people write it.
//
// It may contain a password. So nothing here ever repeats the text: neither `shown`,
// which is for messages, nor an exception, which may end up in a log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stage3 {

struct RedisUrl {
    std::string host; ///< a name or a numeric address, IPv6 without its brackets
    std::uint16_t port = 6379;
    std::string path; ///< of a socket in the file system; else empty
    std::string user, password;
    int database = 0;

    /// The same without user and password: "redis://localhost:6379/1".
    std::string shown() const;

    friend bool operator==(const RedisUrl&, const RedisUrl&) = default;
};

/// Reads redis://[[user]:password@]host[:port][/db] or unix:/path[?db=N]. (With a
/// password, the latter is unix://[user]:password@/path.) In user and password, %40 means
/// @, and so on. Throws std::invalid_argument: one line that says what is wrong, and what
/// is allowed.
RedisUrl parse_redis_url(std::string_view text);

} // namespace stage3
