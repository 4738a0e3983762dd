// How long is the loop held up while a large page is read, in the loop and in a thread?
//
//     held_up
//
// One task asks for a turn every millisecond, and notes the longest time it went without
// one. Meanwhile another reads a page of 15 MB, as the crawler does. Page 26 of the
// book.
#include "stage3_queue_crawler/crawler/page_reader.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::PageReader;
using stage3::PageReaderSettings;
using stage3::Task;
using Clock = std::chrono::steady_clock;

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

std::string large_page() {
    std::string page;
    for (int i = 0; page.size() < 15'000'000; ++i)
        page += fmt::format("<p>Some words, and <a href='/p/{}'>a link</a> to elsewhere, "
                            "that one may follow or not.</p>\n",
                            i % 10'000);
    return page;
}

// [watch]
/// Asks for a turn every millisecond, and notes the longest time it went without one.
Coroutine<> watch(Clock::duration& longest) {
    auto last = Clock::now();
    while (true) {
        co_await stage3::sleep(1ms);
        const auto now = Clock::now();
        longest = std::max(longest, now - last);
        last = now;
    }
}
// [/watch]

Coroutine<> read_page(bool in_thread) {
    const auto url = common::parse_url("http://example.test/");
    if (!url)
        throw std::logic_error("http://example.test/ is a URL");
    const auto scope = std::make_shared<const stage3::Scope>(
        stage3::Reach::host, std::vector<common::Url>(1, *url));
    const auto reader = std::make_unique<PageReader>(
        stage3::running_loop(), scope, PageReaderSettings{.in_threads = in_thread});
    std::string page = large_page();
    Clock::duration longest{};
    Task<> watcher = stage3::create_task(watch(longest));
    co_await stage3::sleep(10ms);
    const auto begin = Clock::now();
    const common::Links links =
        co_await reader->read(*url, "text/html; charset=utf-8", std::move(page));
    const Milliseconds whole = Clock::now() - begin;
    co_await stage3::sleep(10ms);
    watcher.cancel();
    co_await stage3::wait(std::vector<Task<>>(1, watcher)); // it uses our `longest`
    fmt::print("{}  {:4.0f} ms until the links are there, {:4.0f} ms without a turn\n",
               in_thread ? "another thread:" : "the loop:      ", whole.count(),
               Milliseconds(longest).count());
}

} // namespace

int main() {
    try {
        stage3::run(read_page(false));
        stage3::run(read_page(true));
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "held_up: {}\n", error.what());
        return 1;
    }
}
