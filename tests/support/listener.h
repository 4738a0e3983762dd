// The other end of a connection: a socket that listens, and the connections it accepts.
//
// common/system/socket.h knows how to be a client; only tests are servers. Both of ours,
// the practice site (one thread, never waits) and the scripted server (a thread for each
// connection, waits as it likes), begin here. They listen on loopback and nowhere else,
// so they can't be reached from outside this machine.
#pragma once

#include "common/system/socket.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>

#include <sys/socket.h>

namespace tests {

/// What a call on a socket does when there is nothing to do yet: return or wait.
enum class Mode : std::uint8_t { nonblocking, blocking };

/// The longest queue of unaccepted connections that the system allows, because it reduces
/// a larger number to its own limit (net.core.somaxconn on Linux).
constexpr int longest_backlog = std::numeric_limits<int>::max();

/// Listens on 127.0.0.1 (AF_INET) or ::1 (AF_INET6). Port 0 takes any free one: ask
/// `local_port` which. `mode` is that of `accept_connection` on this listener.
/// Throws std::system_error, naming address and port, if the port is taken or forbidden.
common::Socket listen_on_loopback(std::uint16_t port, int backlog = longest_backlog,
                                  int family = AF_INET, Mode mode = Mode::nonblocking);

/// The port on this side of a socket. Throws std::system_error if it has none.
std::uint16_t local_port(const common::Socket& socket);

/// Takes the next connection from the listener's queue; `mode` says whether reads and
/// writes on it wait. Connections that died in the queue are skipped.
///
/// Without one, the result is empty and `error` says why. operation_would_block: the
/// queue is empty. `no_descriptor_left(error)`: the queue is not empty, but can't be
/// served now. Any other: the listener itself is broken, or was shut down.
common::Socket accept_connection(const common::Socket& listener, std::error_code& error,
                                 Mode mode = Mode::nonblocking) noexcept;

/// True if accepting failed because this process or the machine has run out of
/// descriptors or memory. The connection stays in the queue and the listener stays
/// ready, so a loop that goes on asking spins: stop watching the listener until some
/// connection has closed.
bool no_descriptor_left(const std::error_code& error) noexcept;

} // namespace tests
