#include "tests/support/listener.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <netinet/in.h>

namespace tests {
namespace {

std::error_code last_error() noexcept { return {errno, std::generic_category()}; }

void check(int result, const char* call) {
    if (result < 0)
        throw std::system_error(last_error(), call);
}

} // namespace

common::Socket listen_on_loopback(std::uint16_t port, int backlog, int family) {
    const common::Address address =
        common::resolve(family == AF_INET6 ? "::1" : "127.0.0.1", port).front();
    common::Socket socket(::socket(family, SOCK_STREAM, 0)); // one that waits
    check(socket.fd(), "socket");
    check(::fcntl(socket.fd(), F_SETFD, FD_CLOEXEC), "fcntl");
    check(::bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address.storage),
                 address.length),
          "bind");
    check(::listen(socket.fd(), backlog), "listen");
    return socket;
}

std::uint16_t local_port(const common::Socket& socket) {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    check(::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&storage), &length),
          "getsockname");
    // In both families the port is in the same place.
    sockaddr_in address{};
    std::memcpy(&address, &storage, sizeof address);
    return ntohs(address.sin_port);
}

common::Socket accept_connection(const common::Socket& listener,
                                 std::error_code& error) noexcept {
    for (;;) {
        common::Socket socket(::accept(listener.fd(), nullptr, nullptr));
        error = socket ? std::error_code() : last_error();
        if (socket) {
            ::fcntl(socket.fd(), F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
            const int on = 1; // as in Socket::open
            ::setsockopt(socket.fd(), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
        }
        // A signal, or a client that left before it was accepted: ask for the next one.
        if (error.value() != EINTR && error.value() != ECONNABORTED)
            return socket;
    }
}

} // namespace tests
