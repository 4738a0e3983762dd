// hold: what does it cost to wait?
//
// Holds N threads, each blocked in a read that nobody answers, or N sockets, all watched
// by one selector; then reads from /proc what that takes. Told in book/01 (a thread per
// page).
#include "common/selector.h"
#include "common/socket.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

/// The number of kilobytes that a line like "VmRSS:   123 kB" of a file in /proc tells.
std::optional<double> kilobytes(const char* path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key + ":"))
            continue;
        std::istringstream words(line.substr(key.size() + 1));
        double value = 0;
        if (words >> value)
            return value;
    }
    return std::nullopt;
}

struct Memory {
    std::optional<double> virtual_ = kilobytes("/proc/self/status", "VmSize");
    std::optional<double> resident = kilobytes("/proc/self/status", "VmRSS");
    // These two are the whole machine's; other programs blur them a little.
    std::optional<double> kernel_stacks = kilobytes("/proc/meminfo", "KernelStack");
    std::optional<double> kernel_objects = kilobytes("/proc/meminfo", "Slab");
};

void print_difference(const char* what, std::optional<double> before,
                      std::optional<double> after, std::size_t count) {
    if (!before || !after || count == 0) {
        fmt::print("  {:<32} not known on this system\n", what);
        return;
    }
    const double difference = *after - *before;
    // What is less than a page (4 kB) is noise, and "-0.0" would only puzzle.
    const double grown = std::abs(difference) < 4 ? 0 : difference;
    fmt::print("  {:<32} {:>9.1f} MB {:>9.2f} kB each\n", what, grown / 1024,
               grown / static_cast<double>(count));
}

void print_memory(const Memory& before, std::size_t count) {
    const Memory after;
    print_difference("addresses reserved (virtual)", before.virtual_, after.virtual_,
                     count);
    print_difference("memory in use (resident)", before.resident, after.resident, count);
    print_difference("the kernel's stacks for them", before.kernel_stacks,
                     after.kernel_stacks, count);
    print_difference("the kernel's other records", before.kernel_objects,
                     after.kernel_objects, count);
}

void hold_threads(std::size_t wanted) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) < 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    const common::Socket read_end(ends[0]);
    common::Socket write_end(ends[1]);

    const Memory before;
    std::vector<std::thread> threads;
    std::atomic<std::size_t> waiting = 0;
    try {
        while (threads.size() < wanted)
            threads.emplace_back([&] {
                ++waiting;
                char byte = 0;
                // Blocks until the other end is closed, like a read from a slow server.
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

/// As many descriptors as the system lets us have.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void hold_sockets(std::size_t wanted) {
    raise_descriptor_limit();
    const Memory before;
    const auto selector = common::make_selector();
    std::vector<common::Socket> sockets;
    while (sockets.size() < wanted) {
        std::error_code error;
        common::Socket socket = common::Socket::open_tcp(AF_INET, error);
        if (error) {
            fmt::print("socket {} could not be made: {}\n", sockets.size() + 1,
                       common::describe(error));
            break;
        }
        selector->register_fd(socket.fd(), common::Events::read, sockets.size());
        sockets.push_back(std::move(socket));
    }
    fmt::print("{} sockets wait, in one thread\n", sockets.size());
    print_memory(before, sockets.size());
}

} // namespace

int main(int argc, char** argv) {
    try {
        std::size_t threads = 0;
        std::size_t sockets = 0;
        CLI::App app("Holds threads or sockets that wait, and says what that costs.",
                     "hold");
        auto* group = app.add_option_group("what to hold");
        group->add_option("--threads", threads,
                          "so many threads, each blocked in a read");
        group->add_option("--sockets", sockets,
                          "so many sockets, watched by one selector");
        group->require_option(1);
        try {
            app.parse(argc, argv);
        } catch (const CLI::CallForHelp&) {
            fmt::print("{}", app.help());
            return 0;
        } catch (const CLI::ParseError& error) {
            fmt::print(stderr, "hold: {} (see --help)\n", error.what());
            return 2;
        }
        if (threads != 0)
            hold_threads(threads);
        else
            hold_sockets(sockets);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "hold: {}\n", error.what());
        return 1;
    }
}
