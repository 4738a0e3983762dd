#include "common/system/selector.h"
#include "common/system/socket.h"
#include "tests/support/faults.h"
#include "tests/support/listener.h"
#include "tests/support/prelude.h"

#include <thread>
#include <type_traits>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace common;

namespace {

/// Waits until something can be done with a socket (or it has failed), as a loop would.
void wait_for(const Socket& socket, Events events) {
    const auto selector = common::make_selector();
    selector->register_fd(socket.fd(), events, 0);
    REQUIRE(selector->select(5s).size() == 1);
}
void wait_until_writable(const Socket& socket) { wait_for(socket, Events::write); }

Socket open(int family = AF_INET) {
    std::error_code error;
    Socket socket = Socket::open(family, error);
    REQUIRE_FALSE(error);
    return socket;
}

Address address_of(const Socket& listener) {
    return common::resolve("127.0.0.1", tests::local_port(listener)).front();
}

/// A connection over loopback: our end, non-blocking, and the server's, blocking.
struct Connection {
    Connection() {
        const Socket listener = tests::listen_on_loopback(0);
        std::error_code error = client.connect(address_of(listener));
        REQUIRE((!error || error == std::errc::operation_in_progress));
        wait_until_writable(client);
        REQUIRE_FALSE(client.error());
        server = tests::accept_connection(listener, error);
        REQUIRE_FALSE(error);
    }

    Socket client = open();
    Socket server;
};

} // namespace

TEST_CASE("a socket owns its descriptor") {
    static_assert(!std::is_copy_constructible_v<Socket>);
    Socket first = open();
    const int fd = first.fd();
    CHECK((::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    Socket second = std::move(first);
    CHECK(second.fd() == fd);
    CHECK_FALSE(first); // NOLINT(bugprone-use-after-move): that is what is tested
    second = Socket();
    CHECK(::fcntl(fd, F_GETFD) == -1); // closed
}

// [einprogress]
TEST_CASE("a non-blocking connect reports that it is in progress") {
    const Socket listener = tests::listen_on_loopback(0);
    std::error_code error;
    Socket socket = Socket::open(AF_INET, error);
    REQUIRE_FALSE(error);
    CHECK((::fcntl(socket.fd(), F_GETFL) & O_NONBLOCK) != 0);
    error =
        socket.connect(common::resolve("127.0.0.1", tests::local_port(listener)).front());
    // EINPROGRESS looks like an error, but it means that all is well so far.
    CHECK(error.value() == EINPROGRESS);
    wait_until_writable(socket);
    CHECK_FALSE(socket.error());
}
// [/einprogress]

TEST_CASE("a refused connection reports its error once it is writable") {
    Socket socket = open();
    std::error_code error = socket.connect(common::resolve("127.0.0.1", 1).front());
    if (error == std::errc::operation_in_progress) {
        wait_until_writable(socket);
        error = socket.error();
    }
    CHECK(error == std::errc::connection_refused);
    CHECK(common::describe(error) == "connection refused");
}

TEST_CASE("receive distinguishes no data yet, bytes, the end and a reset") {
    Connection connection;
    std::array<char, 8> buffer{};
    std::error_code error;
    CHECK(connection.client.receive(buffer, error) == 0);
    CHECK(error == std::errc::operation_would_block);

    CHECK(connection.server.send("abc", error) == 3);
    wait_for(connection.client, Events::read);
    CHECK(connection.client.receive(buffer, error) == 3);
    CHECK_FALSE(error);

    linger none{};
    none.l_onoff = 1;
    ::setsockopt(connection.server.fd(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    connection.server.close();
    wait_for(connection.client, Events::read);
    CHECK(connection.client.receive(buffer, error) == 0);
    CHECK(error == std::errc::connection_reset);

    Connection other;
    other.server.close();
    wait_for(other.client, Events::read);
    CHECK(other.client.receive(buffer, error) == 0);
    CHECK_FALSE(error);
}

TEST_CASE("send takes what there is room for and then reports that it would block") {
    Connection connection; // its server reads nothing
    const std::string megabyte(1024 * 1024, 'x');
    std::error_code error;
    std::size_t sent = 0;
    while (!error && sent < 1024 * megabyte.size())
        sent += connection.client.send(megabyte, error);
    CHECK(error == std::errc::operation_would_block);
    CHECK(sent > 0);
}

TEST_CASE("sending to a peer that is gone is an error but does not end the program") {
    Connection connection;
    connection.server.close();
    std::error_code error;
    for (int i = 0; i < 1000 && (!error || error == std::errc::operation_would_block);
         ++i) {
        connection.client.send("x", error);
        std::this_thread::sleep_for(1ms); // until the peer's answer has come
    }
    CHECK((error == std::errc::broken_pipe || error == std::errc::connection_reset));
}

#ifdef TCP_USER_TIMEOUT
TEST_CASE("only a client that asks for it limits the peer's silence") {
    const auto limit_of = [](const Socket& socket) {
        unsigned milliseconds = 1;
        socklen_t length = sizeof milliseconds;
        CHECK(::getsockopt(socket.fd(), IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds,
                           &length)
              == 0);
        return milliseconds;
    };
    Socket socket = open();
    CHECK(limit_of(socket) == 0);
    socket.limit_silence(1500ms);
    CHECK(limit_of(socket) == 1500);
}
#endif

TEST_CASE("interrupted calls are repeated") {
    Connection connection;
    std::error_code error;
    tests::Fault fault;
    fault.interruptions = 3;
    CHECK(connection.client.send("abc", error) == 3);
    CHECK_FALSE(error);
    CHECK(fault.interrupted == 3);

    std::array<char, 8> buffer{};
    fault.interruptions = 3;
    CHECK(connection.server.receive(buffer, error) == 3);
    CHECK_FALSE(error);
    CHECK(fault.interrupted == 6);
}

TEST_CASE("running out of descriptors has its own error code") {
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    rlimit none = before;
    none.rlim_cur = 0;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    std::error_code error;
    const Socket socket = Socket::open(AF_INET, error);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK_FALSE(socket);
    CHECK(error == std::errc::too_many_files_open);
}

TEST_CASE("numeric hosts resolve to one address of their family") {
    const auto v4 = common::resolve("127.0.0.1", 8000);
    REQUIRE(v4.size() == 1);
    CHECK(v4[0].family() == AF_INET);
    const auto v6 = common::resolve("[::1]", 8000);
    REQUIRE(v6.size() == 1);
    CHECK(v6[0].family() == AF_INET6);
    CHECK(common::resolve("::1", 8000).size() == 1);
}

TEST_CASE("an address can be given another port") {
    const Socket listener = tests::listen_on_loopback(0);
    const Address address =
        common::resolve("127.0.0.1", 0).front().with_port(tests::local_port(listener));
    Socket socket = open();
    const std::error_code error = socket.connect(address);
    CHECK((!error || error == std::errc::operation_in_progress));
    wait_until_writable(socket);
    CHECK_FALSE(socket.error());
}

TEST_CASE("a host that does not resolve is an error that names it") {
    // Too long for a name, so that no name server is asked.
    const std::string host(300, 'x');
    CHECK_THROWS_WITH_AS(common::resolve(host, 80), doctest::Contains(host.c_str()),
                         common::ResolveError);
}

TEST_CASE("a client connects to a socket in the file system") {
    std::array<char, 32> folder{"/tmp/socket_test_XXXXXX"};
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const std::string path = std::string(folder.data()) + "/s";
    const Address address = Address::of_unix_socket(path);
    CHECK(address.family() == AF_UNIX);
    std::error_code error;
    Socket client = open(AF_UNIX);
    CHECK((::fcntl(client.fd(), F_GETFL) & O_NONBLOCK) != 0);
    CHECK(client.connect(address) == std::errc::no_such_file_or_directory);

    const Socket listener = open(AF_UNIX);
    const auto* const there = reinterpret_cast<const sockaddr*>(&address.storage);
    REQUIRE(::bind(listener.fd(), there, address.length) == 0);
    REQUIRE(::listen(listener.fd(), 1) == 0);
    CHECK_FALSE(client.connect(address));
    CHECK(client.send("hello", error) == 5);
    ::unlink(path.c_str());
    ::rmdir(folder.data());
}

TEST_CASE("a socket path that is empty or too long is refused") {
    CHECK_NOTHROW(Address::of_unix_socket(std::string(100, 'x')));
    CHECK_THROWS_AS(Address::of_unix_socket(std::string(200, 'x')),
                    std::invalid_argument);
    CHECK_THROWS_AS(Address::of_unix_socket(""), std::invalid_argument);
}
