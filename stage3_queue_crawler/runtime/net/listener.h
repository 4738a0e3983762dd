// The server's side of a connection.
//
// A listener has a port, and hands out a socket for each client that has connected.
// `serve` gives each of them its own task. (Tornado calls this TCPServer, asyncio has
// start_server.) Page 28 of the book.
#pragma once

#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/net/stream.h"

#include <cstdint>
#include <functional>
#include <system_error>

namespace stage3 {

/// Must outlive the coroutine that waits in `accept`.
class Listener {
  public:
    /// Listens at once: clients may connect, and wait in line until they are accepted.
    /// `address`: see common::resolve; port 0 is any that is free. `backlog`: how many
    /// may wait in line; the system may allow fewer.
    /// Throws std::system_error, for example if the port is taken.
    explicit Listener(const common::Address& address, int backlog = 4096);
    std::uint16_t port() const;
    /// Its descriptor, for EventLoop::can_watch.
    int fd() const { return socket_.fd(); }

    /// The next client. If no descriptor is left for it, waits until there is one. For
    /// one task at a time: a second one that has to wait gets std::logic_error. Throws
    /// std::system_error if the listener itself is broken.
    Coroutine<common::Socket> accept();

  private:
    common::Socket take(std::error_code& error);

    common::Socket socket_;
};

/// Accepts clients forever, and calls `handle` for each, in its own task. When `handle`
/// ends, the connection is closed, whatever is unsent. If cancelled, it asks all of these
/// tasks to end, and waits until they have. `handle` must catch what can happen to a
/// connection; what it throws is reported. Throws what Listener::accept throws.
Coroutine<> serve(Listener listener, std::function<Coroutine<>(Stream&)> handle,
                  StreamLimits limits = {});

} // namespace stage3
