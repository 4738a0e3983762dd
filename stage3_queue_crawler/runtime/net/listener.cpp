#include "stage3_queue_crawler/runtime/net/listener.h"

#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <exception>
#include <system_error>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace stage3 {
namespace {

using namespace std::chrono_literals;

void check(int result, const char* what) {
    if (result != 0)
        throw std::system_error(errno, std::generic_category(), what);
}

/// True if the listener itself is broken, and will stay so. Everything else passes: the
/// client has gone again, a firewall objects, no descriptor or memory is left.
/// Source: man 2 accept.
bool is_our_fault(const std::error_code& error) {
    using std::errc;
    constexpr std::array<errc, 5> faults{errc::bad_file_descriptor, errc::bad_address,
                                         errc::invalid_argument, errc::not_a_socket,
                                         errc::operation_not_supported};
    return std::ranges::any_of(faults, [&](errc one) { return error == one; });
}

} // namespace

Listener::Listener(const common::Address& address, int backlog) {
    std::error_code error;
    socket_ = common::Socket::open(address.family(), error);
    if (error)
        throw std::system_error(error, "no socket to listen");
    const int on = 1; // or the port stays taken for a minute after a server ends
    ::setsockopt(socket_.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    check(::bind(socket_.fd(), reinterpret_cast<const sockaddr*>(&address.storage),
                 address.length),
          "the address to listen on");
    check(::listen(socket_.fd(), backlog), "listen");
}

std::uint16_t Listener::port() const {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    check(::getsockname(socket_.fd(), reinterpret_cast<sockaddr*>(&address), &length),
          "the listener's port");
    return ntohs(address.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                     : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// [accept]
Coroutine<common::Socket> Listener::accept() {
    for (;;) {
        std::error_code error;
        common::Socket client = take(error);
        if (client)
            co_return client;
        if (is_our_fault(error))
            throw std::system_error(error, "accept");
        if (error == std::errc::operation_would_block)
            co_await readable(socket_.fd());
        else if (error != std::errc::connection_aborted) // if so: on to the next one
            co_await sleep(100ms); // wait until things improve: it stays readable
    }
}
// [/accept]

common::Socket Listener::take(std::error_code& error) {
#ifdef __linux__ // all in one system call
    common::Socket client(
        ::accept4(socket_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    error = client ? std::error_code() : std::error_code(errno, std::generic_category());
#else
    common::Socket client(::accept(socket_.fd(), nullptr, nullptr));
    error = client ? common::make_nonblocking(client.fd())
                   : std::error_code(errno, std::generic_category());
#endif
    if (error)
        return {};
    // Answers are written in one piece: waiting for more would only delay them.
    const int on = 1;
    ::setsockopt(client.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#ifdef SO_NOSIGPIPE
    ::setsockopt(client.fd(), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on); // as in open
#endif
    return client;
}

namespace {

/// One client must not end the others: what its handler throws is reported.
void report_failure(const std::exception_ptr& exception) noexcept {
    const TaskBase& task = *current_task();
    std::vector<common::Place> way; // the innermost first
    try {
        const std::vector<common::Place> chain = task.chain();
        way = task.way();
        way.insert(way.end(), chain.rbegin(), chain.rend());
    } catch (const std::bad_alloc&) {
        way.clear();
    }
    running_loop().report("what handles a client has failed", exception, way);
}

// [client]
/// One client's task.
Coroutine<> talk(common::Socket socket, StreamLimits limits,
                 const std::function<Coroutine<>(Stream&)>& handle) {
    try {
        Stream stream(running_loop(), std::move(socket), limits);
        co_await handle(stream);
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        report_failure(std::current_exception());
    }
}
// [/client]

// [accept-all]
Coroutine<> accept_all(TaskGroup& clients, Listener& listener,
                       const std::function<Coroutine<>(Stream&)>& handle,
                       StreamLimits limits) {
    for (unsigned number = 0;; ++number) {
        common::Socket socket = co_await listener.accept();
        if (number % 64 == 63) // clients that are already here get their turn, too
            co_await next_turn();
        if (!running_loop().can_watch(socket.fd()))
            continue; // one too many for `select`: hang up
        try {
            clients.start(talk(std::move(socket), limits, handle), "client");
        } catch (const std::bad_alloc&) {
            report_failure(std::current_exception()); // and hang up
        }
    }
}

} // namespace

Coroutine<> serve(Listener listener, std::function<Coroutine<>(Stream&)> handle,
                  StreamLimits limits) {
    TaskGroup clients;
    co_await clients.run(accept_all(clients, listener, handle, limits));
}
// [/accept-all]

} // namespace stage3
