#include "stage3_queue_crawler/redis/redis_fitness.h"

#include "common/system/socket.h"
#include "common/text/ascii.h"
#include "stage3_queue_crawler/runtime/loop/errors.h"
#include "stage3_queue_crawler/runtime/net/stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace stage3 {
namespace {

/// What follows "name:" in INFO; empty if it isn't there.
std::string_view field(std::string_view info, const std::string& name) {
    const std::string line = "\n" + name + ":"; // the first line is a heading
    const auto begin = info.find(line);
    if (begin == std::string_view::npos)
        return {};
    info.remove_prefix(begin + line.size());
    return common::trim(info.substr(0, info.find('\n')));
}

bool is_older_than_6_2(std::string_view version) {
    int major = 0;
    int minor = 0;
    const char* const end = version.data() + version.size();
    const char* const dot =
        std::from_chars(version.data(), version.data() + version.size(), major).ptr;
    if (dot != end)
        std::from_chars(dot + 1, end, minor);
    return major < 6 || (major == 6 && minor < 2);
}

/// Why Redis refuses, and what to do.
std::string explain_refusal(const RedisError& error, const RedisUrl& url) {
    const std::string_view code = error.code();
    const std::string_view text = error.what();
    if (code == "NOAUTH")
        return "it wants a password: put it into the URL, as in redis://:PASSWORD@host "
               "or unix://:PASSWORD@/path";
    if (code == "WRONGPASS")
        return "wrong user or password: mend those in the URL";
    if (text.starts_with("ERR AUTH") || text.starts_with("ERR Client sent AUTH"))
        return "it has no password: leave it out of the URL";
    if (text.starts_with("ERR wrong number of arguments for 'auth'"))
        return "it is too old to know users: 6.2 is the first that will do";
    if (text.find("DB index") != std::string_view::npos)
        return fmt::format(
            "it has no database {}: take a lower number, or raise its setting "
            "'databases'",
            url.database);
    if (code == "NOPERM" || code == "DENIED")
        return fmt::format("it gives no permission: {}", text);
    return fmt::format("it refuses: {}", text);
}

} // namespace

bool may_pass(const RedisError& error) {
    static constexpr std::array<std::string_view, 10> codes{
        "LOADING",    "BUSY",     "NOSCRIPT",    "OOM",      "MISCONF",
        "MASTERDOWN", "READONLY", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS"};
    const std::string_view text = error.what();
    // It says this to any client that connects, and closes the connection.
    if (text.starts_with("ERR max number of clients reached"))
        return true;
    // Before 7.0, why a call in a script was refused comes after its place in the script:
    // "ERR Error running script (…): @user_script:1: @user_script: 1: -OOM command …".
    return std::ranges::any_of(codes, [&](std::string_view code) {
        return error.code() == code
               || (text.starts_with("ERR Error running script")
                   && text.find(fmt::format(": -{} ", code)) != std::string_view::npos);
    });
}

bool may_come_yet(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const RedisError& error) {
        return may_pass(error);
    } catch (const Timeout&) {
        return true;
    } catch (const std::system_error&) {
        return true;
    } catch (const common::ResolveError&) {
        return true; // of a machine that is being started, perhaps
    } catch (const std::exception&) {
        return false;
    }
}

std::string fault_in(std::string_view info) {
    const std::string_view version = field(info, "redis_version");
    if (version.empty())
        return "it doesn't say which version of Redis it is";
    if (is_older_than_6_2(version))
        return fmt::format("Redis {} is too old: 6.2 is the first that will do", version);
    if (field(info, "role") == "slave") {
        const std::string_view master = field(info, "master_host");
        return fmt::format(
            "it is a replica, and can't be written to: take its master{}",
            master.empty() ? ""
                           : fmt::format(", {}:{}", master, field(info, "master_port")));
    }
    const std::string_view policy = field(info, "maxmemory_policy");
    const std::string_view limit = field(info, "maxmemory");
    if (!limit.empty() && limit != "0" && policy != "noeviction")
        return fmt::format(
            "it throws keys away when its memory is full (maxmemory-policy is "
            "{}): set that to noeviction",
            policy);
    return {};
}

std::string explain(const std::exception_ptr& failure, const RedisUrl& url,
                    double seconds) {
    try {
        std::rethrow_exception(failure);
    } catch (const RedisError& error) {
        return explain_refusal(error, url);
    } catch (const Timeout&) {
        return fmt::format("no answer within {:g} s", seconds);
    } catch (const EndOfStream&) {
        return "it hangs up without an answer: that may be no Redis, or one that wants "
               "TLS";
    } catch (const std::system_error& error) {
        const bool is_alone = error.code() == std::errc::connection_refused
                              || error.code() == std::errc::no_such_file_or_directory;
        return (is_alone ? "nothing listens there: " : "can't be reached: ")
               + common::describe(error.code());
    } catch (const std::exception& error) {
        return error.what();
    }
}

} // namespace stage3
