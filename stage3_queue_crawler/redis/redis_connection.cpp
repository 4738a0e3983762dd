#include "stage3_queue_crawler/redis/redis_connection.h"

#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <array>
#include <exception>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace stage3 {
namespace {

/// A numeric address, which needs no lookup.
bool is_numeric(const std::string& host) {
    std::array<char, sizeof(in6_addr)> address{};
    return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1
           || ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

/// What must be sent before anything else.
std::vector<RedisCommand> greeting(const RedisUrl& url) {
    std::vector<RedisCommand> commands;
    if (!url.user.empty())
        commands.push_back({"AUTH", url.user, url.password});
    else if (!url.password.empty())
        commands.push_back({"AUTH", url.password});
    if (url.database != 0)
        commands.push_back({"SELECT", std::to_string(url.database)});
    return commands;
}

} // namespace

RedisConnection::RedisConnection(EventLoop& loop, RedisUrl url, RedisTimeouts timeouts)
    : loop_(loop), url_(std::move(url)), timeouts_(timeouts) {}

Coroutine<> RedisConnection::open() {
    const Permit turn = co_await turns_.acquire();
    if (!is_open())
        co_await wait_for(connect_and_log_in(), timeouts_.connect);
}

Coroutine<> RedisConnection::connect_and_log_in() {
    std::vector<common::Address> addresses = co_await find_addresses();
    common::Socket socket = co_await connect_to_one_of(std::move(addresses));
    auto stream = std::make_unique<Stream>(loop_, std::move(socket));
    const std::vector<RedisCommand> commands = greeting(url_);
    const std::vector<RedisReply> replies = co_await exchange(*stream, commands);
    for (const RedisReply& reply : replies) {
        if (reply.is_error)
            throw RedisError(reply.text);
    }
    if (std::exchange(was_open_, true))
        ++traffic_.reconnects;
    stream_ = std::move(stream);
}

Coroutine<std::vector<common::Address>> RedisConnection::find_addresses() {
    std::vector<common::Address> addresses;
    if (!url_.path.empty()) {
        addresses.push_back(common::Address::of_unix_socket(url_.path));
    } else if (is_numeric(url_.host)) {
        addresses = common::resolve(url_.host, url_.port);
    } else {
        if (!resolver_)
            resolver_.emplace(
                loop_, [](const std::string& host) { return common::resolve(host, 0); });
        const Resolver::Answer found =
            co_await resolver_->resolve(url_.host, std::nullopt);
        for (const common::Address& address : *found)
            addresses.push_back(address.with_port(url_.port));
    }
    co_return addresses;
}

/// Tries one after the other: "localhost" is often ::1 first, where nothing may listen.
Coroutine<common::Socket>
RedisConnection::connect_to_one_of(std::vector<common::Address> addresses) {
    std::exception_ptr failure;
    for (const common::Address& address : addresses) {
        try {
            // One that doesn't answer must leave some of the time for the next.
            co_return co_await wait_for(stage3::connect(address),
                                        timeouts_.connect / addresses.size());
        } catch (const std::exception&) {
            failure = std::current_exception();
        }
    }
    std::rethrow_exception(failure);
}

Coroutine<std::vector<RedisReply>>
RedisConnection::call_all(std::vector<RedisCommand> commands) {
    const Permit turn = co_await turns_.acquire();
    if (!is_open())
        throw std::system_error(std::make_error_code(std::errc::not_connected), "Redis");
    bool is_complete = false;
    const AtExit close_if_not([this, &is_complete] {
        if (!is_complete)
            close(); // answers may be left that belong to no call
    });
    std::vector<RedisReply> replies = co_await exchange(*stream_, commands);
    is_complete = true;
    co_return replies;
}

/// Doesn't wait until all is sent (Stream::drain): the answers show that. Otherwise a
/// server that stops reading until we read would wait for us, and we for it.
Coroutine<std::vector<RedisReply>>
RedisConnection::exchange(Stream& stream, const std::vector<RedisCommand>& commands) {
    std::string out;
    for (const RedisCommand& command : commands)
        append_command(out, command);
    stream.write(out);
    traffic_.calls += commands.size();
    traffic_.bytes_out += out.size();
    ReplyReader reader(stream);
    const AtExit count([this, &reader] { traffic_.bytes_in += reader.bytes(); });
    std::vector<RedisReply> replies;
    while (replies.size() < commands.size()) {
        RedisReply reply = co_await wait_for(reader.read(), timeouts_.answer);
        replies.push_back(std::move(reply));
    }
    co_return replies;
}

Coroutine<RedisReply> RedisConnection::call(RedisCommand command) {
    std::vector<RedisCommand> commands;
    commands.push_back(std::move(command));
    std::vector<RedisReply> replies = co_await call_all(std::move(commands));
    if (replies.front().is_error)
        throw RedisError(replies.front().text);
    co_return std::move(replies.front());
}

} // namespace stage3
