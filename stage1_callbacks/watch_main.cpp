// watch: four sockets, and one selector that finds those with something to read.
//
// The smallest use of common/system/selector.h. Run it under strace, once with select and
// once with epoll, to see what each asks of the kernel. Page 02 of the book.
#include "common/command_line/command_line.h"
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "common/text/join.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <sys/socket.h>

namespace {

using common::Events;
using common::Ready;

void check(const std::error_code& error) {
    if (error)
        throw std::system_error(error);
}

/// Two sockets, connected to each other. We hold both ends.
struct Pair {
    Pair() {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) < 0)
            throw std::system_error(errno, std::generic_category(), "socketpair");
        near = common::Socket(ends[0]);
        far = common::Socket(ends[1]);
        check(common::make_nonblocking(near.fd()));
        check(common::make_nonblocking(far.fd()));
    }

    common::Socket near;
    common::Socket far;
};

/// What has arrived at a socket.
std::string read(common::Socket& socket) {
    std::array<char, 100> buffer;
    std::error_code error;
    const std::size_t count = socket.receive(buffer, error);
    check(error);
    return {buffer.data(), count};
}

void write(common::Socket& socket, std::string_view words) {
    std::error_code error;
    socket.send(words, error);
    check(error);
}

// [watch]
void watch(common::Selector& selector) {
    std::array<Pair, 4> pairs;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        selector.register_fd(pairs[i].near.fd(), Events::read, i);

    const std::vector<std::vector<std::size_t>> rounds{{2}, {0, 3}, {2}};
    for (const auto& speakers : rounds) {
        for (const std::size_t speaker : speakers)
            write(pairs[speaker].far, "hello");
        fmt::print("woken by");
        for (const Ready& ready : selector.select(std::nullopt))
            fmt::print(" {} ({})", ready.data, read(pairs[ready.data].near));
        fmt::print("\n");
    }
}
// [/watch]

} // namespace

int main(int argc, char** argv) {
    try {
        std::string name;
        common::CommandLine line("watch", "Watches four sockets with one selector.");
        line.add(
            "--selector", "NAME",
            fmt::format("how to wait: {}", common::join(common::selector_names(), ", ")),
            common::selector_into(name));
        if (const auto help = line.parse(argc, argv)) {
            fmt::print("{}", *help);
            return 0;
        }
        watch(*common::make_selector(name));
        return 0;
    } catch (const common::UsageError& error) {
        fmt::print(stderr, "watch: {} (see --help)\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "watch: {}\n", error.what());
        return 1;
    }
}
