// server_tour: two short walks on the other side of the socket.
//
//     server_tour 1    bytes that come in pieces, and lines
//     server_tour 2    a client that doesn't read
//
// With a file name after the number, the walk's events are written there.
//
// Server and clients run on the same loop, on 127.0.0.1. Page 28 of the book.
#include "common/trace/trace.h"
#include "stage3_queue_crawler/runtime/net/listener.h"
#include "stage3_queue_crawler/runtime/net/stream.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::Listener;
using stage3::Stream;
using stage3::Task;

namespace {

using Handler = std::function<Coroutine<>(Stream&)>;

void say(std::string_view text) { fmt::print("{}\n", text); }

/// As it would appear in source code.
std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text)
        c == '\n' ? result += "\\n" : result += c;
    return result + '"';
}

common::Address loopback(std::uint16_t port) {
    return common::resolve("127.0.0.1", port).front();
}

// ---- 1. Bytes that come in pieces, and lines ----

// [take-what-comes]
Coroutine<> take_what_comes(Stream& stream) {
    for (;;) {
        const std::string bytes = co_await stream.read_some(1000);
        if (bytes.empty())
            co_return; // the client has finished
        say("is this a line? " + in_quotes(bytes));
    }
}
// [/take-what-comes]

// [take-lines]
Coroutine<> take_lines(Stream& stream) {
    try {
        for (;;) {
            const std::string line = co_await stream.read_until("\n");
            say("this is a line: " + in_quotes(line));
        }
    } catch (const stage3::EndOfStream&) {
        say("no more lines from this one");
    }
}
// [/take-lines]

/// A client that sends these pieces, with pauses between them.
Coroutine<> send_pieces(common::Address address, std::vector<std::string> pieces) {
    common::Socket socket = co_await stage3::connect(address);
    Stream stream(stage3::running_loop(), std::move(socket));
    for (const std::string& piece : pieces) {
        stream.write(piece);
        co_await stage3::sleep(30ms);
    }
    stream.finish_writing();
    co_await stream.read_some(1); // until the server has finished, too
}

// [two-clients]
Coroutine<> serve_two_clients(Handler handler) {
    Listener listener(loopback(0)); // on any free port
    const common::Address address = loopback(listener.port());
    auto server =
        stage3::create_task(stage3::serve(std::move(listener), std::move(handler)));

    const std::vector<std::string> slowly{"hel", "lo\nwor", "ld\n"};
    const std::vector<std::string> at_once{"one\ntwo\nthree\n"};
    std::vector<Task<>> clients;
    clients.push_back(stage3::create_task(send_pieces(address, slowly)));
    clients.push_back(stage3::create_task(send_pieces(address, at_once)));
    co_await stage3::wait(clients);
    server.cancel();
}
// [/two-clients]

Coroutine<> pieces_and_lines() {
    say("-- a server that takes what comes");
    co_await serve_two_clients(take_what_comes);
    say("-- a server that takes lines");
    co_await serve_two_clients(take_lines);
}

// ---- 2. A client that doesn't read ----

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// How much the kernel buffers differs from system to system, so this is only rough.
std::string roughly(std::size_t bytes) {
    if (bytes > 40 * mib)
        return "more than 40 MiB";
    if (bytes < 200 * kib)
        return "less than 200 KiB";
    return fmt::format("{} bytes", bytes);
}

// [pour]
/// Sends 64 MiB.
Coroutine<> pour(Stream& stream, bool with_drain) {
    const std::string piece(64 * kib, 'x');
    for (std::size_t sent = 0; sent < 64 * mib; sent += piece.size()) {
        stream.write(piece);
        if (with_drain)
            co_await stream.drain();
    }
}
// [/pour]

// [pour-and-look]
Coroutine<> pour_and_look(Stream& stream, bool with_drain) {
    say(with_drain ? "-- with drain" : "-- without drain");
    try {
        co_await stage3::wait_for(pour(stream, with_drain), 100ms);
        say("all is written");
    } catch (const stage3::Timeout&) {
        say("it still waits");
    }
    say(roughly(stream.unsent()) + " lie in the server's memory");
}
// [/pour-and-look]

Coroutine<> who_does_not_read() {
    for (const bool with_drain : {false, true}) {
        Listener listener(loopback(0));
        const common::Socket client = co_await stage3::connect(loopback(listener.port()));
        common::Socket accepted = co_await listener.accept();
        Stream stream(stage3::running_loop(), std::move(accepted));
        co_await pour_and_look(stream, with_drain);
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::string_view which = argc > 1 ? argv[1] : "";
        if (argc > 3 || (which != "1" && which != "2")) {
            fmt::print(stderr, "usage: server_tour 1|2 [TRACE_FILE]\n");
            return 2;
        }
        common::Tracer tracer =
            argc > 2 ? common::Tracer(argv[2], "server_tour") : common::Tracer();
        stage3::LoopOptions options;
        options.tracer = &tracer;
        stage3::run(which == "1" ? pieces_and_lines() : who_does_not_read(),
                    std::move(options));
        return 0;
    } catch (const std::exception& problem) {
        fmt::print(stderr, "server_tour: {}\n", problem.what());
        return 1;
    }
}
