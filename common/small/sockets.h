// What a small fetch does with its socket, in three steps that don't wait for the server
// and that throw std::system_error when something goes wrong. The caller waits between
// them, with callbacks (stage1_callbacks/small) or coroutines (stage2_coroutines/small).
// Pages 02 and 03 of the book.
#pragma once

#include "common/system/socket.h"
#include "common/web/url.h"

#include <optional>
#include <string>

namespace small {

/// A socket that has begun to connect to the host of `url`. When it becomes writable, the
/// attempt has succeeded or failed. Blocks while it looks up the host, and throws
/// common::ResolveError if there is no such host.
common::Socket begin_to_connect(const common::Url& url);

/// Asks for the page; `socket` must be writable. Throws if the connection failed, or if
/// the request didn't go out in one piece (one so short always does).
void send_request(common::Socket& socket, const common::Url& url);

/// What has arrived, up to 4 KiB; an empty string once the server has closed; nullopt if
/// nothing has arrived yet.
std::optional<std::string> receive(common::Socket& socket);

} // namespace small
