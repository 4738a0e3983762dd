// Five scenes. Read them; there is nothing to edit here.
#include "common/system/socket.h"
#include "questions.h"
#include "slow_web.h"
#include "tests/support/listener.h"

#include <array>
#include <cerrno>
#include <mutex>
#include <string_view>
#include <system_error>

#include <sys/socket.h>
#include <sys/time.h>

using common::Socket;
using slow_web::fetch;
using slow_web::Thread;

namespace {

/// Makes blocking calls on this socket give up after a while, with EAGAIN or EINPROGRESS.
/// A call that gives up has had to wait. `what` is SO_SNDTIMEO or SO_RCVTIMEO.
void set_time_limit(const Socket& socket, int what, timeval limit) {
    if (::setsockopt(socket.fd(), SOL_SOCKET, what, &limit, sizeof limit) != 0)
        throw std::system_error(errno, std::generic_category(), "setsockopt");
}

/// 1 if the call gave up, and 0 if it returned without that.
int waited(ssize_t result) {
    if (result < 0 && errno != EAGAIN && errno != EINPROGRESS)
        throw std::system_error(errno, std::generic_category());
    return result < 0 ? 1 : 0;
}

// The server's program is busy: it listens, but it has not called `accept` yet.
void the_server_is_busy(Answers& found) {
    const Socket listener = tests::listen_on_loopback(0);
    const auto address =
        common::resolve("127.0.0.1", tests::local_port(listener)).front();
    const Socket socket(::socket(address.family(), SOCK_STREAM, 0)); // a blocking one
    set_time_limit(socket, SO_SNDTIMEO, {.tv_sec = 5, .tv_usec = 0});
    set_time_limit(socket, SO_RCVTIMEO, {.tv_sec = 0, .tv_usec = 100'000});

    const auto* bare = reinterpret_cast<const sockaddr*>(&address.storage);
    found.connect_waits = waited(::connect(socket.fd(), bare, address.length));

    constexpr std::string_view request = "GET / HTTP/1.0\r\n\r\n";
    found.send_waits = waited(::send(socket.fd(), request.data(), request.size(), 0));

    std::array<char, 100> response{};
    found.recv_waits = waited(::recv(socket.fd(), response.data(), response.size(), 0));
}

// One after the other.
void one_after_the_other() {
    fetch("/a");
    fetch("/b");
    fetch("/c");
}

// A thread for each.
void a_thread_for_each() {
    Thread a([] { fetch("/a"); });
    Thread b([] { fetch("/b"); });
    Thread c([] { fetch("/c"); });
    a.join();
    b.join();
    c.join();
}

// With the mutex held.
void with_the_mutex_held() {
    slow_web::Mutex mutex;
    const auto fetch_locked = [&mutex](const char* page) {
        const std::scoped_lock lock(mutex);
        fetch(page);
    };
    Thread a([&] { fetch_locked("/a"); });
    Thread b([&] { fetch_locked("/b"); });
    Thread c([&] { fetch_locked("/c"); });
    a.join();
    b.join();
    c.join();
}

// Links on the way: "/" has links to "/a" and "/b".
void links_on_the_way() {
    Thread root([] {
        fetch("/");
        Thread a([] { fetch("/a"); });
        Thread b([] { fetch("/b"); });
        a.join();
        b.join();
    });
    root.join();
}

} // namespace

Answers run_program() {
    Answers found;
    the_server_is_busy(found);
    found.one_by_one_time = slow_web::play(one_after_the_other).milliseconds;
    const auto threads = slow_web::play(a_thread_for_each);
    found.threads_time = threads.milliseconds;
    found.threads_at_once = threads.most_threads;
    found.threads_asleep = threads.asleep_after_25;
    found.locked_time = slow_web::play(with_the_mutex_held).milliseconds;
    found.links_time = slow_web::play(links_on_the_way).milliseconds;
    return found;
}
