#include "stage3_queue_crawler/redis/redis_url.h"

#include "common/system/socket.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <stdexcept>

namespace stage3 {
namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw std::invalid_argument(why
                                + ": write redis://[[user]:password@]host[:port][/db] "
                                  "or unix:/path[?db=N]");
}

/// Takes `beginning` off if the text begins with it.
bool take(std::string_view& text, std::string_view beginning) {
    if (!text.starts_with(beginning))
        return false;
    text.remove_prefix(beginning.size());
    return true;
}

/// All of the text as a number.
template <class Number>
std::optional<Number> number_in(std::string_view text, int base = 10) {
    Number number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc() || stopped != end)
        return {};
    return number;
}

/// "p%40ss" → "p@ss".
std::string decode(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        const auto byte = number_in<unsigned char>(text.substr(i + 1, 2), 16);
        if (!byte || i + 2 >= text.size())
            refuse("a % in a user or password isn't followed by two hex digits (% itself "
                   "is %25)");
        result += static_cast<char>(*byte);
        i += 2;
    }
    return result;
}

/// Takes "user:password@" off if it's there. A password may contain an @, although it
/// shouldn't, so the last one counts.
void take_user(std::string_view& authority, RedisUrl& url) {
    const auto end = authority.rfind('@');
    if (end == std::string_view::npos)
        return;
    const std::string_view both = authority.substr(0, end);
    const auto colon = both.find(':');
    if (colon == std::string_view::npos)
        refuse("there is no colon between user and password");
    url.user = decode(both.substr(0, colon));
    url.password = decode(both.substr(colon + 1));
    authority.remove_prefix(end + 1);
}

/// Takes "host" or "[::1]" off; returns it without brackets.
std::string take_host(std::string_view& text) {
    const bool in_brackets = take(text, "[");
    const auto end = text.find(in_brackets ? ']' : ':');
    if (in_brackets && end == std::string_view::npos)
        refuse("a [ has no ]");
    const std::string host(text.substr(0, end));
    if (host.empty() || host.find_first_of("[]?#% ") != std::string::npos)
        refuse("there is no host, or none that could be one");
    text.remove_prefix(host.size() + (in_brackets ? 1 : 0));
    return host;
}

int database_in(std::string_view text) {
    const auto number = number_in<int>(text);
    if (!number || *number < 0)
        refuse("the database is no number");
    return *number;
}

/// What comes after redis://.
RedisUrl parse_tcp(std::string_view text) {
    RedisUrl url;
    const auto slash = text.find('/');
    std::string_view authority = text.substr(0, slash);
    text.remove_prefix(authority.size());
    if (text.find('@') != std::string_view::npos)
        refuse("a / in a password is written %2F");
    take_user(authority, url);
    url.host = take_host(authority);
    if (take(authority, ":")) {
        const auto port = number_in<std::uint16_t>(authority);
        if (!port || *port == 0)
            refuse(
                "the port is no number from 1 to 65535 (an IPv6 address stands in [])");
        url.port = *port;
    } else if (!authority.empty()) {
        refuse("something stands between the host and its port");
    }
    if (text.size() > 1)
        url.database = database_in(text.substr(1));
    return url;
}

/// What comes after unix:.
RedisUrl parse_unix(std::string_view text) {
    RedisUrl url;
    if (take(text, "//")) {
        std::string_view authority = text.substr(0, text.find('/'));
        text.remove_prefix(authority.size());
        take_user(authority, url);
        if (!authority.empty())
            refuse("a socket in the file system has no host, and its path begins with /");
    }
    const auto question = text.find('?');
    url.path = text.substr(0, question);
    if (!url.path.starts_with('/'))
        refuse("the path of a socket begins with /");
    try {
        common::Address::of_unix_socket(url.path);
    } catch (const std::invalid_argument& error) {
        refuse(error.what());
    }
    if (question != std::string_view::npos) {
        text.remove_prefix(question + 1);
        if (!take(text, "db="))
            refuse("only db=N may stand behind the ?");
        url.database = database_in(text);
    }
    return url;
}

} // namespace

std::string RedisUrl::shown() const {
    if (!path.empty())
        return database == 0 ? "unix:" + path
                             : fmt::format("unix:{}?db={}", path, database);
    const bool is_ipv6 = host.find(':') != std::string::npos;
    std::string text = is_ipv6 ? fmt::format("redis://[{}]:{}", host, port)
                               : fmt::format("redis://{}:{}", host, port);
    if (database != 0)
        text += fmt::format("/{}", database);
    return text;
}

RedisUrl parse_redis_url(std::string_view text) {
    if (take(text, "redis://"))
        return parse_tcp(text);
    if (take(text, "unix:"))
        return parse_unix(text);
    if (take(text, "rediss://"))
        refuse("TLS (rediss://) isn't spoken here; a tunnel, such as stunnel's or ssh's, "
               "has an end on this machine that needs none");
    refuse("a Redis URL begins with redis:// or unix:");
}

} // namespace stage3
