// Two workers, two hosts, and one host wants a pause between requests: what waits for it?
//
//     gate_tour
//
// Draws what each worker does: once with workers that wait for the host themselves, and
// once with a gate before their queue. No page is really fetched, and the clock jumps
// whenever all tasks wait. Page 25 of the book.
#include "stage3_queue_crawler/crawler/gate.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "tests/stage3/runtime/virtual_loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::EventLoop;
using stage3::Gate;
using stage3::Queue;
using stage3::TaskGroup;

namespace {

constexpr auto answer = 100ms; // what each page takes; a letter in the drawing
constexpr auto pause = 300ms;  // what host a wants between two requests
constexpr std::string_view pages = "aaaabbbbbb";

using Page = std::string; // only its host

/// What both ways share: a queue, and what each worker has done so far.
struct Crawl {
    explicit Crawl(EventLoop& event_loop)
        : loop(event_loop),
          gate(event_loop, {}, {}, [this](Page page, stage3::Passage /*passage*/) {
              queue.put_nowait(std::move(page));
          }) {
        gate.treat_gently("a", pause);
    }

    /// Draws, until `until`, what the worker has been doing.
    void draw(std::size_t worker, char what, EventLoop::TimePoint until) {
        std::string& line = lines.at(worker);
        line.append(static_cast<std::size_t>((until - begin) / answer) - line.size(),
                    what);
    }
    Coroutine<> sleep_until(std::size_t worker, EventLoop::TimePoint time) {
        draw(worker, ' ', loop.time());
        co_await stage3::sleep(time - loop.time());
        draw(worker, '.', time);
    }
    Coroutine<> fetch(std::size_t worker, Page page) {
        draw(worker, ' ', loop.time());
        co_await stage3::sleep(answer);
        draw(worker, page.front(), loop.time());
        if (++fetched == pages.size())
            all_fetched.set();
    }

    EventLoop& loop;
    Queue<Page> queue;
    Gate<Page> gate;
    EventLoop::TimePoint begin = loop.time();
    EventLoop::TimePoint next_start_of_a = begin;
    std::size_t fetched = 0;
    stage3::Event all_fetched;
    std::array<std::string, 2> lines;
};

// [waits-itself]
Coroutine<> work_and_wait(Crawl& crawl, std::size_t worker) {
    while (true) {
        const Page page = co_await crawl.queue.get();
        if (page == "a") {
            const auto start = std::max(crawl.next_start_of_a, crawl.loop.time());
            crawl.next_start_of_a = start + pause;
            co_await crawl.sleep_until(worker, start);
        }
        co_await crawl.fetch(worker, page);
    }
}
// [/waits-itself]

// [behind-the-gate]
Coroutine<> work(Crawl& crawl, std::size_t worker) {
    while (true) {
        const Page page = co_await crawl.queue.get();
        crawl.gate.begin(page);
        co_await crawl.fetch(worker, page);
        crawl.gate.leave(page, true); // true: its request had begun
    }
}
// [/behind-the-gate]

using Work = Coroutine<>(Crawl& crawl, std::size_t worker);
using Bring = std::function<void(Crawl& crawl, Page page)>;

Coroutine<> fetch_all(TaskGroup& group, Crawl& crawl, const Bring& bring, Work& work_on) {
    for (const char host : pages)
        bring(crawl, Page(1, host));
    for (std::size_t i = 0; i < crawl.lines.size(); ++i)
        group.start(work_on(crawl, i));
    co_await crawl.all_fetched.wait();
    group.cancel(); // the workers wait for more
}

Coroutine<> tour(std::string_view title, const Bring& bring, Work& work_on) {
    Crawl crawl(stage3::running_loop());
    TaskGroup group;
    co_await group.run(fetch_all(group, crawl, bring, work_on));
    fmt::print("{}\n", title);
    for (std::size_t i = 0; i < crawl.lines.size(); ++i)
        fmt::print("  worker {}  {}\n", i + 1, crawl.lines.at(i));
}

} // namespace

int main() {
    try {
        const Bring to_the_queue = [](Crawl& crawl, Page page) {
            crawl.queue.put_nowait(std::move(page));
        };
        const Bring to_the_gate = [](Crawl& crawl, Page page) {
            const std::string host = page;
            crawl.gate.enter(host, std::move(page));
        };
        tests::VirtualTime time;
        stage3::run(
            tour("Each waits for the host of its page:", to_the_queue, work_and_wait),
            time.options());
        stage3::run(tour("The pages wait at their host's gate:", to_the_gate, work),
                    time.options());
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "gate_tour: {}\n", error.what());
        return 1;
    }
}
