// What a fetch does with its socket. A loop that learns when a socket is ready does it in
// one way (socket_io.cpp), and a loop that learns when it's done in another
// (ring_socket_io.cpp). All of it throws std::system_error when something goes wrong.
#pragma once

#include "common/system/socket.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/event_loop.h"

#include <string>

namespace stage3::small {

// [socket-io]
/// A socket that is connected to the host of `url`. Blocks while it looks up the host.
Coroutine<common::Socket> connect(EventLoop& loop, const common::Url& url);

/// Ends when the kernel has taken all of `bytes`.
Coroutine<> send(EventLoop& loop, common::Socket& socket, std::string bytes);

/// What has arrived, up to 4 KiB; an empty string once the server has closed.
Coroutine<std::string> receive(EventLoop& loop, common::Socket& socket);
// [/socket-io]

} // namespace stage3::small
