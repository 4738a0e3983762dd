// Clients connect, are served, and leave.
#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/net/listener.h"
#include "stage3_queue_crawler/runtime/net/stream.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/runtime/awaited.h"
#include "tests/support/faults.h"
#include "tests/support/prelude.h"
#include "tests/support/waits.h"

#include <cerrno>
#include <list>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

using namespace stage3;
using namespace tests;

namespace {

common::Address any_port() { return common::resolve("127.0.0.1", 0).front(); }

common::Address address_of(const Listener& listener) {
    return common::resolve("127.0.0.1", listener.port()).front();
}

/// Sends each line back, until the client has sent its last one.
Coroutine<> echo(Stream& stream) {
    try {
        for (;;) {
            const std::string line = co_await stream.read_until("\n");
            stream.write(line);
            co_await stream.drain();
        }
    } catch (const stage3::EndOfStream&) {
        stream.finish_writing();
    } catch (const std::system_error&) {
        stream.close(); // the client has broken the connection
        co_return;
    }
    co_await stream.flush(); // or unsent data would be lost
}

Coroutine<> count(std::shared_ptr<std::size_t> number) {
    ++*number;
    co_return;
}

/// A client that sends some lines, and counts those that come back unchanged.
Coroutine<std::size_t> talk_to(common::Address server, int lines) {
    common::Socket socket = co_await stage3::connect(server);
    Stream stream(stage3::running_loop(), std::move(socket));
    std::size_t right = 0;
    for (int i = 0; i < lines; ++i) {
        const std::string line = "line " + std::to_string(i) + '\n';
        stream.write(line);
        co_await stream.flush();
        const std::string answer = co_await stream.read_until("\n");
        if (answer == line)
            ++right;
    }
    co_return right;
}

} // namespace

TEST_CASE("each of many clients is served by its own task") {
    stage3::run([]() -> Coroutine<> {
        Listener listener(any_port());
        const common::Address server = address_of(listener);
        auto serving = stage3::create_task(stage3::serve(std::move(listener), echo));
        std::vector<Task<std::size_t>> clients;
        for (int i = 0; i < 100; ++i)
            clients.push_back(stage3::create_task(talk_to(server, 20)));
        co_await stage3::wait(clients);
        for (const auto& client : clients)
            CHECK(client.result() == 20);
        co_await end(serving);
        CHECK(serving.cancelled());
    }());
}

TEST_CASE("however many clients connect, those already accepted get their turn") {
    stage3::run([]() -> Coroutine<> {
        Listener listener(any_port());
        const common::Address server = address_of(listener);
        std::vector<common::Socket> crowd; // all in the backlog before one is accepted
        for (int i = 0; i < 100; ++i) {
            common::Socket socket = co_await stage3::connect(server);
            crowd.push_back(std::move(socket));
        }
        const auto in = std::make_shared<std::size_t>(0);
        auto serving = stage3::create_task(
            stage3::serve(std::move(listener), [in](Stream&) { return count(in); }));
        bool some_are_in = false; // while others are still in the backlog
        while (*in < crowd.size()) {
            co_await stage3::next_turn();
            some_are_in = some_are_in || (*in > 0 && *in < crowd.size());
        }
        CHECK(some_are_in);
        co_await end(serving);
    }());
}

namespace {

/// Doesn't end as soon as it is asked to.
Coroutine<> end_late(std::shared_ptr<std::size_t> ended) {
    try {
        co_await stage3::sleep(10s);
    } catch (const stage3::Cancelled&) { // NOLINT(bugprone-empty-catch): continue
    }
    co_await stage3::sleep(20ms);
    ++*ended;
}

} // namespace

TEST_CASE("a server that is cancelled ends only after its clients have ended") {
    stage3::run([]() -> Coroutine<> {
        Listener listener(any_port());
        const common::Address server = address_of(listener);
        const auto ended = std::make_shared<std::size_t>(0);
        auto serving = stage3::create_task(stage3::serve(
            std::move(listener), [ended](Stream&) { return end_late(ended); }));
        std::list<Stream> clients;
        for (int i = 0; i < 3; ++i) {
            common::Socket socket = co_await stage3::connect(server);
            clients.emplace_back(stage3::running_loop(), std::move(socket));
        }
        co_await stage3::sleep(5ms);
        serving.cancel();
        co_await stage3::sleep(5ms);
        CHECK_FALSE(serving.done());
        co_await end(serving); // again, while it waits for the clients
        CHECK(*ended == 3);
        CHECK(serving.cancelled());
        for (Stream& client : clients)
            co_await expect(client.read_some(10), ""); // closed
    }());
}

TEST_CASE("an exception from a handler ends its connection and is reported") {
    std::vector<std::string> reports;
    stage3::run([](std::vector<std::string>& all) -> Coroutine<> {
        stage3::running_loop().set_exception_handler([&](const stage3::Report& report) {
            try {
                std::rethrow_exception(report.exception);
            } catch (const std::exception& error) {
                all.emplace_back(error.what());
            }
        });
        Listener listener(any_port());
        const common::Address server = address_of(listener);
        auto serving = stage3::create_task(
            stage3::serve(std::move(listener), [](Stream& stream) -> Coroutine<> {
                co_await stream.read_some(1);
                throw std::runtime_error("a mistake");
            }));
        common::Socket socket = co_await stage3::connect(server);
        Stream client(stage3::running_loop(), std::move(socket));
        client.write("x");
        co_await expect(client.read_some(10), "");
        co_await stage3::sleep(5ms);
        CHECK_FALSE(serving.done()); // the other connections are not affected
        co_await end(serving);
    }(reports));
    CHECK(reports == std::vector<std::string>{"a mistake"});
}

TEST_CASE("of several tasks that wait for clients, all but one get an error") {
    stage3::run([]() -> Coroutine<> {
        Listener listener(any_port());
        const common::Address server = address_of(listener);
        std::vector<std::size_t> accepted(3);
        std::size_t refused = 0;
        const auto accept_all = [](Listener& from, std::size_t& count,
                                   std::size_t& errors) -> Coroutine<> {
            try {
                for (; count < 6; ++count)
                    co_await from.accept();
            } catch (const std::logic_error&) {
                ++errors;
            }
        };
        std::vector<Task<>> tasks;
        for (std::size_t& count : accepted)
            tasks.push_back(stage3::create_task(accept_all(listener, count, refused)));
        co_await stage3::next_turn();
        for (int i = 0; i < 6; ++i)
            co_await stage3::connect(server);
        const bool all = co_await stage3::wait(tasks, 10s);
        CHECK(all);
        CHECK(accepted == std::vector<std::size_t>{6, 0, 0});
        CHECK(refused == 2);
    }());
}

#ifdef TCP_USER_TIMEOUT
TEST_CASE("connect: a peer may be silent, or read nothing, for as long as it likes") {
    stage3::run([]() -> Coroutine<> {
        const Listener listener(any_port());
        const common::Socket client = co_await stage3::connect(address_of(listener));
        unsigned limit = 1;
        socklen_t length = sizeof limit;
        CHECK(::getsockopt(client.fd(), IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, &length)
              == 0);
        CHECK(limit == 0);
    }());
}
#endif

TEST_CASE("an accepted client doesn't block, and isn't passed on to other programs") {
    stage3::run([]() -> Coroutine<> {
        Listener listener(any_port());
        const common::Socket client = co_await stage3::connect(address_of(listener));
        const common::Socket accepted = co_await listener.accept();
        for (const int fd : {listener.fd(), accepted.fd()}) {
            CHECK((::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
            CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
        }
    }());
}

TEST_CASE("connect: a missing server is an error, and so is a lack of descriptors") {
    stage3::run([]() -> Coroutine<> {
        std::optional<Listener> listener(any_port());
        const common::Address server = address_of(*listener);
        {
            tests::Fault fault;
            fault.no_descriptor_for_socket = 1;
            co_await expect(error_of(stage3::connect(server)),
                            std::errc::too_many_files_open);
        }
        listener.reset();
        co_await expect(error_of(stage3::connect(server)), std::errc::connection_refused);
    }());
}

TEST_CASE("connect: waiting for it can be cancelled") {
    stage3::run([]() -> Coroutine<> {
        const Listener listener(any_port(), 1); // its backlog is soon full
        const common::Address address = address_of(listener);
        std::vector<common::Socket> others;
        bool timed_out = false;
        while (!timed_out && others.size() < 100) {
            try {
                common::Socket socket =
                    co_await stage3::wait_for(stage3::connect(address), 50ms);
                others.push_back(std::move(socket));
            } catch (const stage3::Timeout&) {
                timed_out = true;
            }
        }
        CHECK(timed_out);
        CHECK(stage3::running_loop().timers() <= 1); // nothing is left of the attempt
        // The descriptor's number is free again, and the loop no longer watches it.
        Listener elsewhere(any_port());
        const common::Socket another = co_await stage3::connect(address_of(elsewhere));
        CHECK(another);
    }());
}

TEST_CASE("listening on a port that is taken is an error") {
    stage3::run([]() -> Coroutine<> {
        const Listener listener(any_port());
        const auto listen = [](common::Address address) -> Coroutine<> {
            const Listener other(address);
            co_return;
        };
        co_await expect(error_of(listen(address_of(listener))),
                        std::errc::address_in_use);
    }());
}

TEST_CASE("the failure of one client doesn't end the listener") {
    tests::may_wait(1100ms, "after each of 11 errors, the listener waits for 100 ms");
    for (const int error : {ECONNABORTED, EINTR, EPERM, EPROTO, ENETDOWN, ENOPROTOOPT,
                            EHOSTUNREACH, ETIMEDOUT, ENOMEM, ENOBUFS, ENFILE}) {
        CAPTURE(error);
        stage3::run([](int code) -> Coroutine<> {
            Listener listener(any_port());
            const common::Address server = address_of(listener);
            const common::Socket client = co_await stage3::connect(server);
            tests::Fault fault;
            fault.no_descriptor_for_accept = 1;
            fault.accept_error = code;
            const common::Socket accepted =
                co_await stage3::wait_for(listener.accept(), 10s);
            CHECK(accepted);
            CHECK(fault.no_descriptor_for_accept == 0);
        }(error));
    }
}

TEST_CASE("a broken listener reports its error") {
    stage3::run([]() -> Coroutine<> {
        Listener listener(any_port());
        tests::Fault fault;
        fault.no_descriptor_for_accept = 1;
        fault.accept_error = EINVAL;
        co_await expect(error_of(listener.accept()), std::errc::invalid_argument);
    }());
}

TEST_CASE("without a free descriptor, clients wait until there is one") {
    stage3::run([]() -> Coroutine<> {
        Listener listener(any_port());
        const common::Address server = address_of(listener);
        const common::Socket client = co_await stage3::connect(server);
        tests::Fault fault;
        fault.no_descriptor_for_accept = 2;
        auto accepting = stage3::create_task(listener.accept());
        co_await stage3::sleep(50ms);
        CHECK_FALSE(accepting.done());
        CHECK(fault.no_descriptor_for_accept == 1); // it doesn't ask again and again
        const std::vector<Task<common::Socket>> one{accepting};
        const bool done = co_await stage3::wait(one, 10s);
        REQUIRE(done);
        CHECK(accepting.result());
    }());
}
