// The other end of a connection: a socket that listens, and the connections it accepts.
//
// common/system/socket.h knows how to be a client; only tests are servers. They listen on
// loopback and nowhere else, so they can't be reached from outside this machine.
#pragma once

#include "common/system/socket.h"

#include <cstdint>
#include <limits>
#include <system_error>

#include <sys/socket.h>

namespace tests {

/// The longest queue of unaccepted connections that the system allows, because it reduces
/// a larger number to its own limit (net.core.somaxconn on Linux).
constexpr int longest_backlog = std::numeric_limits<int>::max();

/// Listens on 127.0.0.1 (AF_INET) or ::1 (AF_INET6). Port 0 takes any free one: ask
/// `local_port` which. Throws std::system_error.
common::Socket listen_on_loopback(std::uint16_t port, int backlog = longest_backlog,
                                  int family = AF_INET);

/// The port on this side of a socket. Throws std::system_error if it has none.
std::uint16_t local_port(const common::Socket& socket);

/// Waits for the next connection. Reads and writes on it wait, too. Those that died in
/// the queue are skipped. Without one, the result is empty and `error` says why.
common::Socket accept_connection(const common::Socket& listener,
                                 std::error_code& error) noexcept;

} // namespace tests
