// busy_fetch: one page over a non-blocking socket, by asking again and again.
//
// A non-blocking call that can't be done says so and returns. The simplest thing to do
// then is to call it again at once. That works, and it burns a whole processor on asking:
// this program counts how often it asked, and what that cost. Page 02 of the book.
#include "common/command_line/command_line.h"
#include "common/system/socket.h"
#include "common/web/http_response.h"
#include "common/web/url.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

namespace {

/// How often each call was made before it had done its job.
struct Calls {
    std::size_t connect = 0;
    std::size_t send = 0;
    std::size_t receive = 0;
};

void check(const std::error_code& error, const char* what) {
    if (error)
        throw std::system_error(error, what);
}

// [connect]
common::Socket connect_to(const common::Url& url, Calls& calls) {
    const auto address = common::resolve(std::string(url.host()), url.port()).front();
    std::error_code error;
    common::Socket socket = common::Socket::open(address.family(), error);
    check(error, "socket");
    do { // until it succeeds, or says that it is connected already
        ++calls.connect;
        error = socket.connect(address);
    } while (error == std::errc::operation_in_progress
             || error == std::errc::connection_already_in_progress);
    if (error != std::errc::already_connected)
        check(error, "connect");
    return socket;
}
// [/connect]

void send_all(common::Socket& socket, std::string_view rest, Calls& calls) {
    while (!rest.empty()) {
        ++calls.send;
        std::error_code error;
        rest.remove_prefix(socket.send(rest, error));
        if (error != std::errc::operation_would_block)
            check(error, "send");
    }
}

// [receive]
std::string receive(common::Socket& socket, Calls& calls) {
    std::array<char, 4096> chunk;
    std::error_code error;
    std::size_t count = 0;
    do { // until something has arrived
        ++calls.receive;
        count = socket.receive(chunk, error);
    } while (error == std::errc::operation_would_block);
    check(error, "receive");
    return {chunk.data(), count};
}
// [/receive]

common::HttpResponse busy_fetch(const common::Url& url, Calls& calls) {
    common::Socket socket = connect_to(url, calls);
    send_all(socket, common::http_get_request(url.authority(), url.target()), calls);
    std::string response;
    while (true) {
        const std::string chunk = receive(socket, calls);
        if (chunk.empty()) // the server has closed
            return common::split_http_response(response);
        response += chunk;
    }
}

int fetch(const std::string& text) {
    const auto url = common::parse_root_url(text);
    if (!url || url->scheme() != "http") {
        fmt::print(stderr,
                   "busy_fetch: '{}' is not an http URL: give one such as "
                   "http://localhost:8000/\n",
                   text);
        return 2;
    }
    Calls calls;
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    const common::HttpResponse response = busy_fetch(*url, calls);
    const std::chrono::duration<double, std::milli> wall =
        std::chrono::steady_clock::now() - start;
    const double cpu =
        1000.0 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    if (!response.error.empty()) {
        fmt::print(stderr, "busy_fetch: {}: {}\n", url->href(), response.error);
        return 1;
    }
    fmt::print("status {}, {} bytes\n", response.status, response.body.size());
    fmt::print("connect was called {} times, send {}, receive {}\n", calls.connect,
               calls.send, calls.receive);
    fmt::print("{:.1f} ms passed, and the processor was busy for {:.1f} ms of them\n",
               wall.count(), cpu);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        std::string url;
        common::CommandLine line(
            "busy_fetch", "Fetches a page by retrying each call until it succeeds.");
        line.add_argument("URL", "what to fetch (http only)", url);
        if (const auto help = line.parse(argc, argv)) {
            fmt::print("{}", *help);
            return 0;
        }
        return fetch(url);
    } catch (const common::UsageError& error) {
        fmt::print(stderr, "busy_fetch: {} (see --help)\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "busy_fetch: {}\n", error.what());
        return 1;
    }
}
