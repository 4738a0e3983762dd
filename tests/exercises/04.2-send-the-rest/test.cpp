#include "exercise.h"
#include "tests/support/faults.h"
#include "tests/support/prelude.h"
#include "tests/support/socket_pair.h"

namespace {

const std::string request = "GET / HTTP/1.0\r\nHost: example.com\r\n\r\n!";

/// Two ends of a connection: `near` is ours, and `far` is the server's.
struct Connection : tests::SocketPair {
    /// Everything that has arrived at the server's end.
    std::string arrived() {
        std::array<char, 1024> buffer{};
        std::error_code error;
        const std::size_t count = far.receive(buffer, error);
        return {buffer.data(), count};
    }
};

/// Plays the loop: calls back until it is told not to, but not without end.
Next play(Connection& connection, Sending& sending) {
    Next next = Next::call_again;
    for (int turn = 0; turn < 100 && next == Next::call_again; ++turn)
        next = on_writable(connection.near, sending);
    return next;
}

} // namespace

TEST_CASE("a socket takes the whole request at once") {
    Connection connection;
    Sending sending{request};
    CHECK(play(connection, sending) == Next::done);
    CHECK(connection.arrived() == request);
}

TEST_CASE("a socket that takes a little at a time gets the whole request") {
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

TEST_CASE("a socket without room is neither a failure nor tried again at once") {
    Connection connection;
    Sending sending{request};
    tests::Fault fault;
    fault.send_at_most = 5;
    fault.send_blocks_every_second_time = true;
    const Next first = on_writable(connection.near, sending);
    CHECK_MESSAGE(first != Next::failed,
                  "No room is not a failure: operation_would_block means \"not now\".");
    CHECK_MESSAGE(fault.sends <= 2,
                  "After \"would block\", send was called again at once, instead of "
                  "letting the loop wait. In one callback, it was called "
                      << fault.sends << " times.");
    CHECK(play(connection, sending) == Next::done);
    CHECK(connection.arrived() == request);
}

TEST_CASE("a server that has hung up is a failure") {
    Connection connection;
    connection.far.close();
    Sending sending{request};
    CHECK(play(connection, sending) == Next::failed);
}
