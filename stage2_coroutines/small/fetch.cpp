#include "stage2_coroutines/small/fetch.h"

#include "common/small/sockets.h"
#include "common/system/socket.h"

#include <optional>
#include <system_error>

namespace small {

using common::Events;

// [yielding]
Waiting fetch_by_yielding(EventLoop& loop, common::Url url) {
    common::Socket socket = begin_to_connect(url);
    co_yield ready(loop, socket, Events::write);
    send_request(socket, url);
    std::string response;
    while (true) {
        co_yield ready(loop, socket, Events::read);
        const auto chunk = receive(socket);
        if (chunk && chunk->empty()) // the server has closed: that's all
            co_return response;
        response += chunk.value_or("");
    }
}
// [/yielding]

namespace {

// [parts]
Coroutine<common::Socket> connect(EventLoop& loop, const common::Url& url) {
    common::Socket socket = begin_to_connect(url);
    co_await ready(loop, socket, Events::write);
    if (const std::error_code error = socket.error())
        throw std::system_error(error, "connect");
    co_return socket;
}

/// The next bytes, or an empty string once the server has closed.
Coroutine<std::string> read(EventLoop& loop, common::Socket& socket) {
    std::optional<std::string> chunk;
    while (!chunk) {
        co_await ready(loop, socket, Events::read);
        chunk = receive(socket);
    }
    co_return *chunk;
}
// [/parts]

} // namespace

// [fetch]
Coroutine<std::string> fetch(EventLoop& loop, common::Url url) {
    common::Socket socket = co_await connect(loop, url);
    send_request(socket, url);
    std::string response;
    while (true) {
        const std::string chunk = co_await read(loop, socket);
        if (chunk.empty()) // the server has closed: that's all
            co_return response;
        response += chunk;
    }
}
// [/fetch]

} // namespace small
