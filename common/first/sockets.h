// What a small fetch does with its socket: three steps that don't wait for the server,
// and that throw std::system_error when something goes wrong. Between them, you wait:
// with callbacks (stage1_callbacks/first) or with coroutines (stage2_coroutines/first).
// Told in book/02 (sockets that don't wait) and book/03 (an event loop with callbacks).
#pragma once

#include "common/system/socket.h"
#include "common/web/url.h"

#include <optional>
#include <string>

namespace first {

/// A socket that has begun to connect to the host of `url`. It is connected, or has
/// failed to, when it is writable. Blocks while it looks the host up, and throws
/// common::ResolveError if there is none.
common::Socket begin_to_connect(const common::Url& url);

/// Asks for the page; `socket` is writable. Throws if the connection wasn't made, or if
/// not all went out at once (so short a request does).
void send_request(common::Socket& socket, const common::Url& url);

/// What has come, up to 4 KiB; an empty string once the server has closed; nothing if
/// nothing has come yet.
std::optional<std::string> receive(common::Socket& socket);

} // namespace first
