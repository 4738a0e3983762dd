// start fails in: a socket that takes a little at a time
// start fails with: The server got only the first 5 of 38 bytes
#include "common/system/socket.h"
#include "exercise.h"
#include "tests/support/faults.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <system_error>

#include <sys/socket.h>

namespace {

const std::string request = "GET / HTTP/1.0\r\nHost: example.com\r\n\r\n!";

/// Two ends of a connection.
struct Connection {
    Connection() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        ours = common::Socket(ends[0]);
        theirs = common::Socket(ends[1]);
        REQUIRE_FALSE(common::make_nonblocking(ours.fd()));
        REQUIRE_FALSE(common::make_nonblocking(theirs.fd()));
    }

    /// All that has arrived at the server's end.
    std::string arrived() {
        std::array<char, 1024> buffer{};
        std::error_code error;
        const std::size_t count = theirs.receive(buffer, error);
        return {buffer.data(), count};
    }

    common::Socket ours;
    common::Socket theirs;
};

/// Plays the loop: calls back until it is told not to, but not for ever.
Next play(Connection& connection, Sending& sending) {
    Next next = Next::call_again;
    for (int turn = 0; turn < 100 && next == Next::call_again; ++turn)
        next = on_writable(connection.ours, sending);
    return next;
}

} // namespace

TEST_CASE("a socket that takes everything") {
    Connection connection;
    Sending sending{request};
    CHECK(play(connection, sending) == Next::done);
    CHECK(connection.arrived() == request);
}

TEST_CASE("a socket that takes a little at a time") {
    Connection connection;
    Sending sending{request};
    tests::Fault fault;
    fault.send_at_most = 5;
    const Next next = play(connection, sending);
    const std::string arrived = connection.arrived();
    CHECK_MESSAGE((arrived.size() >= request.size() || !request.starts_with(arrived)),
                  "The server got only the first " << arrived.size() << " of "
                                                   << request.size() << " bytes.");
    CHECK_MESSAGE(
        arrived.starts_with(request.substr(0, std::min<std::size_t>(10, arrived.size()))),
        "The server got the beginning more than once: \""
            << arrived.substr(0, 10) << "\". Send from where the last call stopped.");
    CHECK(arrived == request);
    CHECK(next == Next::done);
}

TEST_CASE("a socket that has no room now") {
    Connection connection;
    Sending sending{request};
    tests::Fault fault;
    fault.send_at_most = 5;
    fault.send_blocks_every_second_time = true;
    const Next first = on_writable(connection.ours, sending);
    CHECK_MESSAGE(first != Next::failed,
                  "No room is no failure: operation_would_block means \"not now\".");
    CHECK_MESSAGE(fault.sends <= 2,
                  "After \"would block\", send was asked again at once, "
                  "instead of letting the loop wait: it was called "
                      << fault.sends << " times in one callback.");
    CHECK(play(connection, sending) == Next::done);
    CHECK(connection.arrived() == request);
}

TEST_CASE("a server that has hung up") {
    Connection connection;
    connection.theirs.close();
    Sending sending{request};
    CHECK(play(connection, sending) == Next::failed);
}
