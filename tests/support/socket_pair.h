// Two sockets that are connected with each other, without a network.
#pragma once

#include "common/system/socket.h"

#include <array>
#include <cerrno>
#include <system_error>

#include <sys/socket.h>

namespace tests {

/// Each is the other's peer. They don't block, and both can be written at once.
/// Throws std::system_error if there are no descriptors left.
struct SocketPair {
    SocketPair() {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) < 0)
            throw std::system_error(errno, std::generic_category(), "socketpair");
        near = common::Socket(ends[0]);
        far = common::Socket(ends[1]);
        for (const int end : ends)
            if (const auto error = common::make_nonblocking(end))
                throw std::system_error(error, "O_NONBLOCK");
    }

    common::Socket near;
    common::Socket far;
};

} // namespace tests
