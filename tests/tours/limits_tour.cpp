// How many pages per second do a given number of workers fetch?
//
//     limits_tour
//
// A crawl without a network: an answer takes 50 ms, and each page costs the only thread a
// tenth of a millisecond. The clock jumps while all tasks wait and is advanced wherever
// something is computed, so the numbers are exact. Page 18 of the book.
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "tests/stage3/runtime/virtual_loop.h"

#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::TaskGroup;
using Seconds = std::chrono::duration<double>;

namespace {

constexpr auto answer = 50ms;
constexpr auto computing = 100us;

struct Crawl {
    tests::VirtualTime clock;
    double pages = 0;
    Seconds on_pages{0}; // of all workers together
};

// [work]
Coroutine<> work(Crawl& crawl) {
    while (true) {
        const auto begin = crawl.clock.now;
        co_await stage3::sleep(answer); // other workers sleep at the same time
        crawl.clock.now += computing;   // no other worker does anything
        crawl.pages += 1;
        crawl.on_pages += crawl.clock.now - begin;
    }
}
// [/work]

/// Counts for ten seconds, after five for the workers to get going.
Coroutine<> measure(TaskGroup& group, Crawl& crawl, std::size_t workers) {
    for (std::size_t i = 0; i < workers; ++i)
        group.start(work(crawl));
    co_await stage3::sleep(5s);
    crawl.pages = 0;
    crawl.on_pages = {};
    const auto begin = crawl.clock.now;
    co_await stage3::sleep(10s);
    const Seconds taken = crawl.clock.now - begin;
    fmt::print("{:7} {:8.0f} {:8.0f} {:8.0f} ms\n", workers,
               static_cast<double>(workers) / Seconds(answer).count(),
               crawl.pages / taken.count(), 1e3 * crawl.on_pages.count() / crawl.pages);
    group.cancel();
}

Coroutine<> tour(Crawl& crawl, std::size_t workers) {
    TaskGroup group;
    co_await group.run(measure(group, crawl, workers));
}

} // namespace

int main() {
    try {
        fmt::print("workers workers/  pages a   a page\n"
                   "         50 ms   second    takes\n");
        for (const std::size_t workers : {1U, 10U, 100U, 1000U, 10'000U}) {
            Crawl crawl;
            stage3::run(tour(crawl, workers), crawl.clock.options());
        }
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "limits_tour: {}\n", error.what());
        return 1;
    }
}
