// A page, fetched over a socket.
#pragma once

#include "common/small/sockets.h"
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "common/web/http_response.h"
#include "common/web/url.h"
#include "coroutine.h"
#include "future.h"
#include "loop.h"
#include "wait_for.h"

#include <exception>
#include <string>

namespace yours {

/// Has a descriptor watched for as long as this lives, and resolves `future` when it's
/// ready.
class Watch {
  public:
    Watch(Loop& loop, int fd, common::Events events, Future& future)
        : loop_(loop), fd_(fd) {
        loop.watch(fd, events, [&future] { future.set_result(); });
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { loop_.unwatch(fd_); }

  private:
    Loop& loop_;
    int fd_;
};

/// Waits until `socket` is ready for `events`.
inline Coroutine<> ready(Loop& loop, const common::Socket& socket,
                         common::Events events) {
    Future future(loop);
    const Watch watch(loop, socket.fd(), events, future);
    co_await future;
}

/// Everything that the server sends, up to the end of the connection.
inline Coroutine<std::string> fetch_bytes(Loop& loop, common::Url url) {
    common::Socket socket = small::begin_to_connect(url);
    co_await ready(loop, socket, common::Events::write);
    small::send_request(socket, url);
    std::string response;
    while (true) {
        co_await ready(loop, socket, common::Events::read);
        const auto chunk = small::receive(socket);
        if (chunk && chunk->empty()) // the server has closed: that's everything
            co_return response;
        response += chunk.value_or("");
    }
}

/// What the server answers to a request for `url`. If the page can't be fetched within
/// `limit`, the response's `error` gives the reason.
inline Coroutine<common::HttpResponse> fetch(Loop& loop, common::Url url,
                                             Milliseconds limit) {
    common::HttpResponse response;
    try {
        const std::string bytes = co_await wait_for(loop, fetch_bytes(loop, url), limit);
        response = common::split_http_response(bytes);
    } catch (const std::exception& error) {
        response.error = error.what();
    }
    co_return response;
}

} // namespace yours
