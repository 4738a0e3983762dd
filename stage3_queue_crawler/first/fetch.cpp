#include "stage3_queue_crawler/first/fetch.h"

#include "common/first/sockets.h"
#include "common/system/socket.h"
#include "stage3_queue_crawler/first/future.h"
#include "stage3_queue_crawler/first/task.h"

#include <exception>
#include <optional>
#include <string>

namespace stage3::first {
namespace {

using common::Events;

// [ready]
/// Watches a socket for as long as this lives, and resolves `future` when it's ready.
class Watch {
  public:
    Watch(EventLoop& loop, int fd, Events events, Future& future) : loop_(loop), fd_(fd) {
        loop.watch(fd, events, [&future] { future.set_result(); });
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { loop_.unwatch(fd_); }

  private:
    EventLoop& loop_;
    int fd_;
};

Coroutine<> ready(EventLoop& loop, const common::Socket& socket, Events events) {
    Future future(loop);
    const Watch watch(loop, socket.fd(), events, future);
    co_await future;
}
// [/ready]

Coroutine<std::string> fetch_bytes(EventLoop& loop, const common::Url& url) {
    common::Socket socket = ::first::begin_to_connect(url);
    co_await ready(loop, socket, Events::write);
    ::first::send_request(socket, url);
    std::string response;
    while (true) {
        co_await ready(loop, socket, Events::read);
        const auto chunk = ::first::receive(socket);
        if (chunk && chunk->empty()) // the server has closed: that's all
            co_return response;
        response += chunk.value_or("");
    }
}

} // namespace

Coroutine<common::HttpResponse> fetch(EventLoop& loop, common::Url url) {
    common::HttpResponse response;
    try {
        const std::string bytes = co_await fetch_bytes(loop, url);
        response = common::split_http_response(bytes);
    } catch (const std::exception& error) {
        response.error = error.what();
    }
    co_return response;
}

} // namespace stage3::first
