// hold: what does it cost to wait?
//
// Holds N threads, each blocked in a read that nothing answers, or N sockets, all watched
// by one selector, and then asks the kernel how much memory they take. Page 01 of the
// book.
#include "common/command_line/command_line.h"
#include "common/system/memory_use.h"
#include "common/system/selector.h"
#include "common/system/socket.h"

#include <fmt/core.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

void print_memory(const common::MemoryUse& before, std::size_t count) {
    const common::MemoryUse after;
    const auto print = [&](const char* what, auto member) {
        fmt::print("{}\n",
                   common::describe_growth(what, before.*member, after.*member, count));
    };
    print("addresses reserved (virtual)", &common::MemoryUse::virtual_);
    print("memory in use (resident)", &common::MemoryUse::resident);
    print("the kernel's stacks for them", &common::MemoryUse::kernel_stacks);
    print("the kernel's other records", &common::MemoryUse::kernel_objects);
}

void hold_threads(std::size_t wanted) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) < 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    const common::Socket read_end(ends[0]);
    common::Socket write_end(ends[1]);

    const common::MemoryUse before;
    std::vector<std::thread> threads;
    std::atomic<std::size_t> waiting = 0;
    try {
        while (threads.size() < wanted)
            threads.emplace_back([&] {
                ++waiting;
                char byte = 0;
                // Blocks until the other end is closed, as if the server were slow.
                static_cast<void>(!::read(read_end.fd(), &byte, 1));
            });
    } catch (const std::system_error& error) {
        fmt::print("thread {} could not be made: {}\n", threads.size() + 1,
                   common::describe(error.code()));
    }
    while (waiting < threads.size())
        std::this_thread::yield();
    fmt::print("{} threads wait\n", threads.size());
    print_memory(before, threads.size());
    write_end.close();
    for (std::thread& thread : threads)
        thread.join();
}

/// Allows as many descriptors as the system permits; if it refuses, as many as before.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void hold_sockets(std::size_t wanted) {
    raise_descriptor_limit();
    const common::MemoryUse before;
    const auto selector = common::make_selector();
    std::vector<common::Socket> sockets;
    while (sockets.size() < wanted) {
        std::error_code error;
        common::Socket socket = common::Socket::open(AF_INET, error);
        if (error) {
            fmt::print("socket {} could not be made: {}\n", sockets.size() + 1,
                       common::describe(error));
            fmt::print("(8 are closed again, because measuring the others takes some)\n");
            for (std::size_t i = 0; i < 8 && !sockets.empty(); ++i) {
                selector->unregister_fd(sockets.back().fd());
                sockets.pop_back();
            }
            break;
        }
        // Each waits for a connection that never comes. A socket that neither listens
        // nor is connected would be ready at once, with an error.
        if (::listen(socket.fd(), 1) < 0)
            throw std::system_error(errno, std::generic_category(), "listen");
        selector->register_fd(socket.fd(), common::Events::read, sockets.size());
        sockets.push_back(std::move(socket));
    }
    const std::size_t ready = selector->select(std::chrono::milliseconds(0)).size();
    fmt::print("{} sockets wait, in one thread\n", sockets.size() - ready);
    print_memory(before, sockets.size());
}

} // namespace

int main(int argc, char** argv) {
    try {
        std::size_t threads = 0;
        std::size_t sockets = 0;
        common::CommandLine line(
            "hold", "Holds threads or sockets that wait, and prints what they cost.");
        line.add("--threads", "N", "number of threads, each blocked in a read",
                 common::number_into(threads, 1, 1'000'000'000));
        line.add("--sockets", "N", "number of sockets, watched by one selector",
                 common::number_into(sockets, 1, 1'000'000'000));
        if (const auto help = line.parse(argc, argv)) {
            fmt::print("{}", *help);
            return 0;
        }
        if (line.has("--threads") == line.has("--sockets"))
            throw common::UsageError("give either --threads or --sockets");
        if (threads != 0)
            hold_threads(threads);
        else
            hold_sockets(sockets);
        return 0;
    } catch (const common::UsageError& error) {
        fmt::print(stderr, "hold: {} (see --help)\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "hold: {}\n", error.what());
        return 1;
    }
}
