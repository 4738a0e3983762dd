#include "common/system/socket.h"
#include "stage3_queue_crawler/small/ring_completion.h"
#include "stage3_queue_crawler/small/socket_io.h"
#include "stage3_queue_crawler/small/task.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace stage3::small {

Coroutine<common::Socket> connect(EventLoop& loop, const common::Url& url) {
    const auto address = common::resolve(std::string(url.host()), url.port()).front();
    // It blocks. If it didn't, some kernels would say "would block", and not wait.
    common::Socket socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket)
        throw std::system_error(errno, std::generic_category(), "socket");
    Completion connected(
        loop, {.address = address}, [&](io_uring_sqe& request, Operation& one) {
            const auto* const to = reinterpret_cast<sockaddr*>(&one.address.storage);
            io_uring_prep_connect(&request, socket.fd(), to, one.address.length);
        });
    co_await connected;
    connected.result("connect");
    co_return socket;
}

Coroutine<> send(EventLoop& loop, common::Socket& socket, std::string bytes) {
    while (!bytes.empty()) {
        Completion sent(loop, {.bytes = std::move(bytes)},
                        [&](io_uring_sqe& request, Operation& one) {
                            io_uring_prep_send(&request, socket.fd(), one.bytes.data(),
                                               one.bytes.size(), MSG_NOSIGNAL);
                        });
        co_await sent;
        const std::size_t count = sent.result("send");
        bytes = std::move(sent.operation().bytes).substr(count);
    }
}

// [receive]
Coroutine<std::string> receive(EventLoop& loop, common::Socket& socket) {
    Completion received(loop, {.bytes = std::string(4096, '\0')},
                        [&](io_uring_sqe& request, Operation& one) {
                            io_uring_prep_recv(&request, socket.fd(), one.bytes.data(),
                                               one.bytes.size(), 0);
                        });
    co_await received;
    received.operation().bytes.resize(received.result("receive"));
    co_return std::move(received.operation().bytes);
}
// [/receive]

} // namespace stage3::small
