// A socket that never makes its caller wait.
//
// Two types: `Address`, where to connect to, and `Socket`, which owns a non-blocking
// descriptor and closes it at the end. Each call does what it can do now and says what
// happened: "would block" is an answer here, not a fault. Network errors are values of
// std::error_code; compare them with std::errc. Page 02 of the book.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/socket.h>

namespace common {

/// An IPv4 or IPv6 address with its port, or a path, as the kernel takes it.
struct Address {
    sockaddr_storage storage{};
    socklen_t length = 0;

    /// The address of a socket in the file system, for programs on one machine: see man 7
    /// unix. Throws std::invalid_argument if the path is empty, or longer than the kernel
    /// allows, which is about a hundred bytes.
    static Address of_unix_socket(const std::string& path);

    int family() const { return storage.ss_family; }
    /// The same address at another port.
    Address with_port(std::uint16_t port) const;
};

/// Thrown by `resolve`; the message names the host and says what failed.
struct ResolveError : std::runtime_error {
    explicit ResolveError(const std::string& what, std::error_code why = {})
        : std::runtime_error(what), code(why) {}

    std::error_code code; ///< if the system failed, not the search: no descriptor left …
};

/// Finds the addresses of a host, in the order in which the system would try them.
/// `host` is a name, or a numeric address ("127.0.0.1", "::1", also "[::1]").
/// This *blocks* until the name server answers: see man 3 getaddrinfo.
/// Throws ResolveError if there are none.
std::vector<Address> resolve(const std::string& host, std::uint16_t port);

/// Owns a descriptor: movable, not copyable, closed by the destructor.
class Socket {
  public:
    Socket() noexcept = default;
    /// Takes ownership of `fd`; a negative one means "none".
    explicit Socket(int fd) noexcept : fd_(fd) {}
    Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Socket& operator=(Socket&& other) noexcept {
        if (this != &other) {
            close();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() { close(); }

    /// Opens a non-blocking socket for `family`: AF_INET or AF_INET6 for TCP, AF_UNIX.
    /// On failure the result is empty and `error` says why: too_many_files_open when this
    /// process has no descriptor left, too_many_files_open_in_system when the machine has
    /// none.
    static Socket open(int family, std::error_code& error) noexcept;

    /// For a client that sends one short request, over TCP: if that isn't acknowledged
    /// within `limit`, the connection is broken (timed_out), where the system can do
    /// that. A server's *kernel* acknowledges, however busy the server is. So nothing
    /// holds the other end: perhaps the server's queue of new connections was full, and
    /// ours fell off it, while our side believes that it is connected (man 2 listen).
    ///
    /// Not for a client that sends much. If the server lives and reads nothing for a
    /// while, its kernel acknowledges what it has, but has no room for more. That may
    /// last as long as it likes, but this limit ends it, too (man 7 tcp,
    /// TCP_USER_TIMEOUT: "zero window"; in Linux, tcp_probe_timer).
    void
    limit_silence(std::chrono::milliseconds limit = std::chrono::seconds(5)) noexcept;

    explicit operator bool() const noexcept { return fd_ >= 0; }
    int fd() const noexcept { return fd_; }
    void close() noexcept;

    /// Starts to connect and returns at once. The usual result is operation_in_progress,
    /// which is no failure: the socket becomes writable when there is news, and `error()`
    /// then says which. No error at all means already connected.
    std::error_code connect(const Address& address) noexcept;

    /// Takes the error that is pending on the socket (SO_ERROR): the outcome of
    /// `connect`.
    std::error_code error() noexcept;

    /// Hands over as many of `bytes` as there is room for, perhaps not all of them, and
    /// returns how many. operation_would_block: none now; wait until the socket is
    /// writable.
    std::size_t send(std::string_view bytes, std::error_code& error) noexcept;

    /// Takes what has arrived, at most `buffer.size()` bytes, and returns how many.
    /// 0 without an error: the peer has finished. operation_would_block: nothing yet.
    std::size_t receive(std::span<char> buffer, std::error_code& error) noexcept;

  private:
    int fd_ = -1;
};

/// Makes `fd` return instead of waiting, and closes it in programs that this one starts.
std::error_code make_nonblocking(int fd) noexcept;

/// An error in words for a person, such as "connection refused".
std::string describe(const std::error_code& error);

} // namespace common
