#include "common/system/socket.h"

#include <fmt/core.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

namespace common {
namespace {

std::error_code last_error() noexcept { return {errno, std::generic_category()}; }

// "Would block" has two names, and POSIX lets them differ.
std::error_code last_transfer_error() noexcept {
    if (errno == EAGAIN)
        return std::make_error_code(std::errc::operation_would_block);
    return last_error();
}

#ifdef MSG_NOSIGNAL
// Without it, writing to a connection that the peer has closed ends the program
// (SIGPIPE).
constexpr int send_flags = MSG_NOSIGNAL;
#else
constexpr int send_flags = 0; // macOS: SO_NOSIGPIPE instead, set in open
#endif

} // namespace

Address Address::of_unix_socket(const std::string& path) {
    Address result;
    auto& there = reinterpret_cast<sockaddr_un&>(result.storage);
    if (path.empty() || path.size() >= sizeof there.sun_path)
        throw std::invalid_argument(fmt::format("the path of a socket has 1 to {} bytes",
                                                sizeof there.sun_path - 1));
    there.sun_family = AF_UNIX;
    path.copy(there.sun_path, path.size()); // everything else is already zero
    result.length = sizeof there;
    return result;
}

Address Address::with_port(std::uint16_t port) const {
    Address result = *this;
    if (family() == AF_INET6)
        reinterpret_cast<sockaddr_in6*>(&result.storage)->sin6_port = htons(port);
    else
        reinterpret_cast<sockaddr_in*>(&result.storage)->sin_port = htons(port);
    return result;
}

std::vector<Address> resolve(const std::string& host, std::uint16_t port) {
    std::string name = host;
    if (name.size() >= 2 && name.front() == '[' && name.back() == ']')
        name = name.substr(1, name.size() - 2); // an IPv6 address as written in a URL

    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failure =
        ::getaddrinfo(name.c_str(), std::to_string(port).c_str(), &hints, &found);
    const std::error_code system =
        failure == EAI_SYSTEM ? last_error() : std::error_code();
    if (failure != 0)
        throw ResolveError(
            fmt::format("cannot resolve '{}': {}", host,
                        system ? describe(system) : std::string(::gai_strerror(failure))),
            system);
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found,
                                                                     &::freeaddrinfo);
    std::vector<Address> addresses;
    for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
        Address address;
        std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
        address.length = entry->ai_addrlen;
        addresses.push_back(address);
    }
    return addresses;
}

std::error_code make_nonblocking(int fd) noexcept {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0
        || ::fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return last_error();
    return {};
}

Socket Socket::open(int family, std::error_code& error) noexcept {
#ifdef SOCK_NONBLOCK // all in one system call
    Socket socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    error = socket ? std::error_code() : last_error();
#else
    Socket socket(::socket(family, SOCK_STREAM, 0));
    error = socket ? make_nonblocking(socket.fd()) : last_error();
#endif
    if (error)
        return {};
#ifdef SO_NOSIGPIPE
    const int on = 1;
    ::setsockopt(socket.fd(), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    return socket;
}

void Socket::limit_silence(std::chrono::milliseconds limit) noexcept {
#ifdef TCP_USER_TIMEOUT
    const auto milliseconds = static_cast<unsigned>(limit.count());
    ::setsockopt(fd_, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
#else
    static_cast<void>(limit);
#endif
}

void Socket::close() noexcept {
    // Not repeated on EINTR: Linux has freed the number by then, and another socket may
    // have it already (man 2 close).
    if (fd_ >= 0)
        ::close(std::exchange(fd_, -1));
}

std::error_code Socket::connect(const Address& address) noexcept {
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address.storage),
                  address.length)
        == 0)
        return {};
    // Interrupted by a signal, a connect continues by itself, just as after EINPROGRESS
    // (man 2 connect); calling it again would be an error.
    if (errno == EINTR)
        return std::make_error_code(std::errc::operation_in_progress);
    return last_error();
}

std::error_code Socket::error() noexcept {
    int value = 0;
    socklen_t length = sizeof value;
    if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &value, &length) < 0)
        return last_error();
    return {value, std::generic_category()};
}

std::size_t Socket::send(std::string_view bytes, std::error_code& error) noexcept {
    ssize_t count = -1;
    do {
        count = ::send(fd_, bytes.data(), bytes.size(), send_flags);
    } while (count < 0 && errno == EINTR);
    error = count < 0 ? last_transfer_error() : std::error_code{};
    return count < 0 ? 0 : static_cast<std::size_t>(count);
}

std::size_t Socket::receive(std::span<char> buffer, std::error_code& error) noexcept {
    ssize_t count = -1;
    do {
        count = ::recv(fd_, buffer.data(), buffer.size(), 0);
    } while (count < 0 && errno == EINTR);
    error = count < 0 ? last_transfer_error() : std::error_code{};
    return count < 0 ? 0 : static_cast<std::size_t>(count);
}

std::string describe(const std::error_code& error) {
    std::string words = error.message();
    if (words.size() > 1 && std::islower(static_cast<unsigned char>(words[1])) != 0)
        words[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(words[0])));
    return words;
}

} // namespace common
