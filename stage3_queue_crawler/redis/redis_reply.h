// What Redis answers, and how it says no.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// One of: a text, a number (as text, as it came), a list, nothing at all, an error.
struct RedisReply {
    std::string text;
    std::vector<RedisReply> items; ///< of a list
    bool is_null = false;
    bool is_error = false; ///< `text` says why

    /// Throws std::invalid_argument if it isn't one.
    long long number() const;
};

/// Redis has understood, but refuses: "WRONGPASS invalid username-password pair …".
struct RedisError : std::runtime_error {
    using std::runtime_error::runtime_error;
    /// The first word, which programs can go by.
    std::string_view code() const {
        const std::string_view text = what();
        return text.substr(0, text.find(' '));
    }
};

/// What answers there is something else, such as a web server, or doesn't keep to the
/// protocol.
struct NoRedis : std::runtime_error {
    /// `answer`: what it says. The first 40 bytes are shown.
    explicit NoRedis(std::string_view answer);
};

} // namespace stage3
