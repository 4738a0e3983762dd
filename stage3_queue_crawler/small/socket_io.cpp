#include "stage3_queue_crawler/small/socket_io.h"

#include "common/small/sockets.h"
#include "common/system/selector.h"
#include "stage3_queue_crawler/small/future.h"
#include "stage3_queue_crawler/small/task.h"

#include <string_view>
#include <system_error>
#include <utility>

namespace stage3::small {
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

void check(const std::error_code& error, const char* what) {
    if (error)
        throw std::system_error(error, what);
}

} // namespace

Coroutine<common::Socket> connect(EventLoop& loop, const common::Url& url) {
    common::Socket socket = ::small::begin_to_connect(url);
    co_await ready(loop, socket, Events::write);
    check(socket.error(), "connect");
    co_return socket;
}

Coroutine<> send(EventLoop& loop, common::Socket& socket, std::string bytes) {
    std::string_view rest = bytes;
    while (!rest.empty()) {
        std::error_code error;
        rest.remove_prefix(socket.send(rest, error));
        if (error == std::errc::operation_would_block)
            co_await ready(loop, socket, Events::write);
        else
            check(error, "send");
    }
}

// [receive]
Coroutine<std::string> receive(EventLoop& loop, common::Socket& socket) {
    while (true) {
        co_await ready(loop, socket, Events::read);
        if (auto chunk = ::small::receive(socket)) // else it was a false alarm
            co_return *std::move(chunk);
    }
}
// [/receive]

} // namespace stage3::small
