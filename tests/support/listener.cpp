#include "tests/support/listener.h"

#include "common/system/descriptors.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>

namespace tests {
namespace {

std::error_code last_error() noexcept { return {errno, std::generic_category()}; }

common::Address loopback(int family, std::uint16_t port) {
    common::Address address;
    if (family == AF_INET) {
        sockaddr_in ipv4{};
        ipv4.sin_family = AF_INET;
        ipv4.sin_port = htons(port);
        ipv4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.length = sizeof ipv4;
        std::memcpy(&address.storage, &ipv4, sizeof ipv4);
    } else if (family == AF_INET6) {
        sockaddr_in6 ipv6{};
        ipv6.sin6_family = AF_INET6;
        ipv6.sin6_port = htons(port);
        ipv6.sin6_addr = in6addr_loopback;
        address.length = sizeof ipv6;
        std::memcpy(&address.storage, &ipv6, sizeof ipv6);
    } else {
        throw std::invalid_argument(
            "listen_on_loopback: the family must be AF_INET or AF_INET6");
    }
    return address;
}

std::error_code make_blocking(int fd) noexcept {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
        return last_error();
    return {};
}

std::error_code set_mode(const common::Socket& socket, Mode mode) noexcept {
    // In this order, since make_nonblocking also sets FD_CLOEXEC.
    std::error_code error = common::make_nonblocking(socket.fd());
    if (!error && mode == Mode::blocking)
        error = make_blocking(socket.fd());
    return error;
}

bool set_option(const common::Socket& socket, int level, int option) noexcept {
    const int on = 1;
    return ::setsockopt(socket.fd(), level, option, &on, sizeof on) == 0;
}

std::error_code bind_and_listen(const common::Socket& socket,
                                const common::Address& address, int backlog) noexcept {
    // SO_REUSEADDR: a port whose last connections are still in TIME_WAIT can be taken
    // again. IPV6_V6ONLY: "::1" means just that.
    if (!set_option(socket, SOL_SOCKET, SO_REUSEADDR)
        || (address.family() == AF_INET6
            && !set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY))
        || ::bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address.storage),
                  address.length)
               < 0
        || ::listen(socket.fd(), backlog) < 0)
        return last_error();
    return {};
}

} // namespace

common::Socket listen_on_loopback(std::uint16_t port, int backlog, int family,
                                  Mode mode) {
    const common::Address address = loopback(family, port);
    std::error_code error;
    common::Socket socket = common::Socket::open(family, error);
    if (!error)
        error = bind_and_listen(socket, address, backlog);
    if (!error)
        error = set_mode(socket, mode);
    if (error)
        throw std::system_error(
            error, fmt::format("cannot listen on port {} of {} (is something else, "
                               "such as another ./learn site, there?)",
                               port, family == AF_INET ? "127.0.0.1" : "::1"));
    return socket;
}

std::uint16_t local_port(const common::Socket& socket) {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    if (::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&storage), &length) < 0)
        throw std::system_error(last_error(), "getsockname");
    // In both families the port is in the same place.
    sockaddr_in address{};
    std::memcpy(&address, &storage, sizeof address);
    return ntohs(address.sin_port);
}

common::Socket accept_connection(const common::Socket& listener, std::error_code& error,
                                 Mode mode) noexcept {
    for (;;) {
        common::Socket socket(::accept(listener.fd(), nullptr, nullptr));
        if (socket) {
            error = set_mode(socket, mode);
#ifdef SO_NOSIGPIPE
            set_option(socket, SOL_SOCKET, SO_NOSIGPIPE); // as in Socket::open
#endif
            return error ? common::Socket() : std::move(socket);
        }
        error = last_error();
        if (errno == EAGAIN)
            error = std::make_error_code(std::errc::operation_would_block);
        // EINTR is a signal. The others concern a single connection, whose client left
        // before it was accepted. Neither is the listener's fault; ask for the next one.
        constexpr std::array<int, 7> passing{
            EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH};
        if (std::ranges::find(passing, error.value()) == passing.end())
            return {};
    }
}

bool no_descriptor_left(const std::error_code& error) noexcept {
    return common::no_descriptor_left(error) || error == std::errc::no_buffer_space
           || error == std::errc::not_enough_memory;
}

} // namespace tests
