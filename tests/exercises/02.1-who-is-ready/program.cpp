// Five scenes with a selector. Read them; there is nothing to edit here.
//
// `select(0ms)` asks without waiting. `select(1s)` waits for at most a second, for the
// scenes in which the kernel may need a moment.
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "questions.h"
#include "tests/support/listener.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <sys/socket.h>

using common::Events;
using common::Ready;
using common::Socket;
using namespace std::chrono_literals;

namespace {

constexpr Events both = Events::read | Events::write;

/// Two connected sockets, each the other's peer.
struct Pair {
    Pair() {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
            throw std::system_error(errno, std::generic_category(), "socketpair");
        near = Socket(ends[0]);
        far = Socket(ends[1]);
        common::make_nonblocking(near.fd());
        common::make_nonblocking(far.fd());
    }
    Socket near;
    Socket far;
};

/// How many bytes `receive` returns if there is room for `most`.
int receive(Socket& socket, std::size_t most) {
    std::vector<char> buffer(most);
    std::error_code error;
    return static_cast<int>(socket.receive(buffer, error));
}

int how_many(std::span<const Ready> ready) { return static_cast<int>(ready.size()); }

/// The events of the one descriptor that is watched: 0 nothing, 1 read, 2 write, 3 both.
int which_events(std::span<const Ready> ready) {
    return ready.empty() ? 0 : static_cast<int>(ready.front().events);
}

void bytes_that_stay_unread(Answers& found) {
    Pair pair;
    const auto selector = common::make_selector();
    selector->register_fd(pair.near.fd(), Events::read, 0);

    std::error_code error;
    pair.far.send("abc", error);

    found.unread_turn_1 = how_many(selector->select(0ms));
    receive(pair.near, 1);
    found.unread_turn_2 = how_many(selector->select(0ms));
    receive(pair.near, 2);
    found.unread_turn_3 = how_many(selector->select(0ms));
}

void room_to_write(Answers& found) {
    Pair pair;
    const auto selector = common::make_selector();
    selector->register_fd(pair.near.fd(), both, 0);

    found.room_at_first = which_events(selector->select(0ms));

    const std::string block(1024, 'x');
    std::error_code error;
    while (error != std::errc::operation_would_block)
        pair.near.send(block, error); // and the far end reads nothing

    found.room_after_full = which_events(selector->select(0ms));
}

void the_peer_has_gone(Answers& found) {
    Pair pair;
    const auto selector = common::make_selector();
    selector->register_fd(pair.near.fd(), Events::read, 0);

    std::error_code error;
    pair.far.send("bye", error);
    pair.far.close();

    found.gone_first_receive = receive(pair.near, 100);
    found.gone_ready = how_many(selector->select(0ms));
    found.gone_second_receive = receive(pair.near, 100);
    found.gone_ready_again = how_many(selector->select(0ms));
}

void a_connection_that_is_made(Answers& found) {
    const Socket listener = tests::listen_on_loopback(0);
    const auto address =
        common::resolve("127.0.0.1", tests::local_port(listener)).front();
    std::error_code error;
    Socket socket = Socket::open(address.family(), error);

    found.made_connect_error = socket.connect(address) ? 1 : 0;

    const auto selector = common::make_selector();
    selector->register_fd(socket.fd(), both, 0);
    found.made_ready = which_events(selector->select(1s));
    found.made_pending_error = socket.error() ? 1 : 0;
}

void a_connection_that_is_refused(Answers& found) {
    const auto address =
        common::resolve("127.0.0.1", 1).front(); // no server listens there
    std::error_code error;
    Socket socket = Socket::open(address.family(), error);

    socket.connect(address);

    const auto selector = common::make_selector();
    selector->register_fd(socket.fd(), both, 0);
    found.refused_ready = which_events(selector->select(1s));
    found.refused_pending_error = socket.error() ? 1 : 0;
}

} // namespace

Answers run_program() {
    Answers found;
    bytes_that_stay_unread(found);
    room_to_write(found);
    the_peer_has_gone(found);
    a_connection_that_is_made(found);
    a_connection_that_is_refused(found);
    return found;
}
