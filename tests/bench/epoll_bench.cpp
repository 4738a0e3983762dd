// epoll_bench: fetches a list of URLs of one server with sockets and epoll, and nothing
// else.
//
//     epoll_bench 100 < urls
//
// It keeps this many connections open at once, and uses each for one URL after the
// other. It knows the list beforehand, trusts Content-Length, reads no page and keeps
// nothing: what is left is what the kernel does. No program that uses sockets can be
// much faster, so this is the floor that crawl_bench shows below all others.
#include "common/system/descriptors.h"
#include "common/system/socket.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/epoll.h>

namespace {

struct List {
    std::string host; ///< "127.0.0.1:8000", the same for all
    std::vector<std::string> paths;
    std::size_t next = 0;
};

struct Connection {
    common::Socket socket;
    bool has_asked = false;
    std::string head;     ///< of a response, until it's whole
    std::size_t body = 0; ///< bytes that are still to come, once the head is whole
};

List read_list(std::istream& input) {
    List list;
    for (std::string line; std::getline(input, line);) {
        const auto path =
            line.starts_with("http://") ? line.find('/', 7) : std::string::npos;
        if (path == std::string::npos)
            throw std::runtime_error("not a URL like http://127.0.0.1:8000/: " + line);
        list.host = line.substr(7, path - 7);
        list.paths.push_back(line.substr(path));
    }
    return list;
}

/// Requests the next URL, or hangs up if there is none left.
void ask(Connection& connection, List& list) {
    connection.has_asked = true;
    if (list.next == list.paths.size()) {
        connection.socket.close();
        return;
    }
    const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n",
                                            list.paths[list.next++], list.host);
    std::error_code error;
    if (connection.socket.send(request, error) < request.size())
        throw std::runtime_error("can't send: " + common::describe(error));
}

/// Takes what has come. Returns true if that completes the response, and nothing if
/// nothing has come.
std::optional<bool> receive(Connection& connection) {
    static std::array<char, 65536>
        buffer; // shared by all connections: nothing stays in it
    std::error_code error;
    const std::size_t size = connection.socket.receive(buffer, error);
    if (error == std::errc::operation_would_block)
        return std::nullopt;
    if (error || size == 0)
        throw std::runtime_error("the server hung up");
    if (connection.body > 0) {
        connection.body -= std::min(size, connection.body);
        return connection.body == 0;
    }
    connection.head.append(buffer.data(), size);
    const auto end = connection.head.find("\r\n\r\n");
    if (end == std::string::npos)
        return false;
    const auto length = connection.head.find("Content-Length: ");
    if (length > end) // or not found
        throw std::runtime_error("a response without Content-Length");
    connection.body = std::stoul(connection.head.substr(length + 16, 20));
    connection.body -= std::min(connection.body, connection.head.size() - end - 4);
    connection.head.clear();
    return connection.body == 0;
}

void fetch_all(List& list, const common::Address& address, std::size_t at_once) {
    const common::Socket epoll(::epoll_create1(EPOLL_CLOEXEC)); // it's a descriptor, too
    std::vector<Connection> connections(std::min(at_once, list.paths.size()));
    for (Connection& connection : connections) {
        std::error_code error;
        connection.socket = common::Socket::open(address.family(), error);
        connection.socket.limit_silence();
        if (!error)
            error = connection.socket.connect(address);
        if (error && error != std::errc::operation_in_progress)
            throw std::runtime_error("can't connect: " + common::describe(error));
        // It reports changes only (EPOLLET), so it never has to be told again what to
        // watch.
        epoll_event event{EPOLLIN | EPOLLOUT | EPOLLET, {.ptr = &connection}};
        if (::epoll_ctl(epoll.fd(), EPOLL_CTL_ADD, connection.socket.fd(), &event) != 0)
            throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }
    std::array<epoll_event, 256> events{};
    for (std::size_t fetched = 0; fetched < list.paths.size();) {
        const int ready = ::epoll_wait(epoll.fd(), events.data(), 256, -1);
        if (ready < 0 && errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "epoll_wait");
        for (std::size_t i = 0; std::cmp_less(i, ready); ++i) {
            auto& connection = *static_cast<Connection*>(events[i].data.ptr);
            if (!connection.has_asked)
                ask(connection, list);
            // Reads everything that is there, because epoll wouldn't report the rest
            // again.
            while (connection.socket) {
                const auto whole = receive(connection);
                if (!whole)
                    break;
                if (*whole) {
                    ++fetched;
                    ask(connection, list);
                }
            }
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        common::allow_descriptors();
        List list = read_list(std::cin);
        const auto colon = list.host.find(':');
        if (argc != 2 || colon == std::string::npos || std::stoul(argv[1]) == 0)
            throw std::runtime_error(
                "usage: epoll_bench CONNECTIONS < URLS (with a port)");
        const auto port =
            static_cast<std::uint16_t>(std::stoul(list.host.substr(colon + 1)));
        fetch_all(list, common::resolve(list.host.substr(0, colon), port).front(),
                  std::stoul(argv[1]));
        fmt::print("{} fetched\n", list.paths.size());
        return 0;
    } catch (const std::exception& problem) {
        fmt::print(stderr, "epoll_bench: {}\n", problem.what());
        return 1;
    }
}
