// What the small loops take for a page: pages 10 and 31. Compiled for each of them.
//
//     small_fetch_bench SELECTOR CONNECTIONS PAGES URL      with epoll, poll or select
//     ring_fetch_bench io_uring CONNECTIONS PAGES URL
//
// Fetches URL that many times with that many connections at once, and prints the seconds
// that passed, and those of the processor, in the program and in the kernel.
#include "common/web/url.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/fetch.h"
#include "stage3_queue_crawler/small/task.h"

#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <list>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sys/resource.h>

namespace {

using stage3::small::Coroutine;
using stage3::small::EventLoop;
using stage3::small::Task;

Coroutine<> fetch_some(EventLoop& loop, common::Url url, std::size_t& left) {
    while (left > 0) {
        --left;
        const common::HttpResponse response = co_await stage3::small::fetch(loop, url);
        if (!response.error.empty())
            throw std::runtime_error(response.error);
    }
}

void fetch_all(EventLoop& loop, const common::Url& url, std::size_t connections,
               std::size_t pages) {
    std::list<Task> tasks;
    for (std::size_t i = 0; i < connections; ++i)
        tasks.emplace_back(loop, fetch_some(loop, url, pages));
    for (Task& task : tasks)
        run_until_complete(loop, task);
}

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 5)
            throw std::invalid_argument("usage: LOOP CONNECTIONS PAGES URL");
#ifdef ON_IO_URING
        EventLoop loop;
#else
        EventLoop loop(argv[1]);
#endif
        const auto start = std::chrono::steady_clock::now();
        fetch_all(loop, *common::parse_url(argv[4]), std::stoul(argv[2]),
                  std::stoul(argv[3]));
        const std::chrono::duration<double> passed =
            std::chrono::steady_clock::now() - start;
        rusage used{};
        ::getrusage(RUSAGE_SELF, &used);
        fmt::print("{:.6f} {:.6f} {:.6f}\n", passed.count(), seconds(used.ru_utime),
                   seconds(used.ru_stime));
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
