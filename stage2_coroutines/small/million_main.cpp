// million: measures what a waiting coroutine costs.
//
// Makes a million waiting generators, or as many as you say, and asks the system how much
// memory they take; then the same for coroutines that wait for a future in a coroutine
// inside them (page 08), and for threads. See page 05 of the book (functions that pause).
#include "common/command_line/command_line.h"
#include "common/system/memory_use.h"
#include "common/system/socket.h"
#include "stage2_coroutines/small/coroutine.h"
#include "stage2_coroutines/small/future.h"
#include "stage2_coroutines/small/generator.h"

#include <fmt/core.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace {

using small::Coroutine;
using small::Future;
using small::FuturePtr;

// [generators]
using Numbers = small::Generator<int, int, int>;

Numbers count(int from) {
    for (int i = from;; ++i)
        co_yield i;
}

/// Makes `number` generators and runs each to its first yield, where they all wait.
std::vector<Numbers> waiting_generators(std::size_t number) {
    std::vector<Numbers> generators;
    generators.reserve(number);
    for (std::size_t i = 0; i < number; ++i) {
        generators.push_back(count(static_cast<int>(i)));
        generators.back().next();
    }
    return generators;
}
// [/generators]

/// Like a fetch: one coroutine awaits another, and that one a future.
Coroutine<std::string> read_one(FuturePtr future) {
    std::string word = co_await future;
    co_return word;
}
Coroutine<std::string> wait_in_read(FuturePtr future) {
    std::string word = co_await read_one(future);
    co_return word; // never reached: nothing resolves the future
}

/// Returns freed memory to the system, so that the next objects made can't hide in it.
void give_back() {
#if defined(__GLIBC__)
    ::malloc_trim(0);
#endif
}

void print_cost(std::size_t number, const char* what, const common::MemoryUse& before,
                bool with_kernel = false) {
    const common::MemoryUse after;
    fmt::print("{} {}\n{}\n", number, what,
               common::describe_growth("memory in use (resident)", before.resident,
                                       after.resident, number));
    if (with_kernel)
        fmt::print("{}\n", common::describe_growth("the kernel's stacks for them",
                                                   before.kernel_stacks,
                                                   after.kernel_stacks, number));
}

void hold_generators(std::size_t number) {
    const common::MemoryUse before;
    auto generators = waiting_generators(number);
    print_cost(number, "generators wait", before);
    // They really are waiting and can be resumed: each of them has its own number.
    const auto start = std::chrono::steady_clock::now();
    std::size_t right = 0;
    for (std::size_t i = 0; i < number; ++i)
        right += generators[i].next() == static_cast<int>(i) + 1 ? 1 : 0;
    const std::chrono::duration<double, std::nano> taken =
        std::chrono::steady_clock::now() - start;
    fmt::print("  {} of them resumed with their own number, in {:.0f} ns each\n", right,
               taken.count() / static_cast<double>(number));
}

void hold_coroutines(std::size_t number) {
    const auto never = std::make_shared<Future>();
    const common::MemoryUse before;
    std::vector<Coroutine<std::string>> coroutines;
    coroutines.reserve(number);
    while (coroutines.size() < number) {
        coroutines.push_back(wait_in_read(never));
        coroutines.back().start();
    }
    print_cost(number, "coroutines wait, each for another one inside it", before);
}

void hold_threads(std::size_t number) {
    const common::MemoryUse before;
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t waiting = 0;
    bool over = false;
    std::vector<std::thread> threads;
    try {
        while (threads.size() < number)
            threads.emplace_back([&] {
                std::unique_lock lock(mutex);
                ++waiting;
                changed.notify_all();
                changed.wait(lock, [&] { return over; });
            });
    } catch (const std::system_error& error) {
        fmt::print("thread {} could not be made: {}\n", threads.size() + 1,
                   common::describe(error.code()));
    }
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return waiting == threads.size(); });
    }
    print_cost(threads.size(), "threads wait", before, true);
    {
        const std::scoped_lock lock(mutex);
        over = true;
    }
    changed.notify_all();
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace

int main(int argc, char** argv) {
    try {
        std::size_t generators = 1'000'000;
        std::size_t coroutines = 100'000;
        std::size_t threads = 1'000;
        common::CommandLine line(
            "million", "Makes coroutines and threads wait, and prints what they cost.");
        constexpr std::int64_t most = 1'000'000'000;
        line.add("--generators", "N", "number of generators (1000000)",
                 common::number_into(generators, 0, most));
        line.add("--coroutines", "N", "number of coroutines that await another (100000)",
                 common::number_into(coroutines, 0, most));
        line.add("--threads", "N", "number of threads (1000)",
                 common::number_into(threads, 0, most));
        if (const auto help = line.parse(argc, argv)) {
            fmt::print("{}", *help);
            return 0;
        }
        hold_threads(threads);
        give_back();
        hold_coroutines(coroutines);
        give_back();
        hold_generators(generators);
        return 0;
    } catch (const common::UsageError& error) {
        fmt::print(stderr, "million: {} (see --help)\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "million: {}\n", error.what());
        return 1;
    }
}
