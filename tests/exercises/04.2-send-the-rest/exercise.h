// Sends a request, piece by piece, as a callback.
#pragma once

#include "common/system/socket.h"

#include <cstdint>
#include <string>

/// What the loop has to do after a call.
enum class Next : std::uint8_t {
    call_again, ///< call again when the socket is writable again
    done,       ///< everything has been sent
    failed,     ///< the connection is broken
};

/// A request that is being sent.
struct Sending {
    std::string request;
    std::size_t sent = 0; ///< how many of its bytes the socket has taken
};

/// Called by the loop whenever the socket is writable. Sends as much as the socket takes,
/// and returns without waiting. Defined in yours.cpp.
Next on_writable(common::Socket& socket, Sending& sending);
