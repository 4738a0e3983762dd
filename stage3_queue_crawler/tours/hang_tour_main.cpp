// hang_tour: three small programs that hang.
//
//     hang_tour 1    workers, a queue, and a boss who waits until all is done
//     hang_tour 2    two tasks that fill each other's queue
//     hang_tour 3    a task that waits for itself
//
// Each hangs until you end it with Ctrl-C; Ctrl-\ shows where. With `once` after the
// number, the program sends itself that signal, and ends. Page 21 of the book.
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/sync/semaphore.h"
#include "stage3_queue_crawler/runtime/task/describe_tasks.h"
#include "stage3_queue_crawler/runtime/task/run.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::EventLoop;
using stage3::Permit;
using stage3::Queue;
using stage3::Semaphore;
using stage3::Task;

namespace {

// ---- 1. An item that is never finished ----

// [workers]
void print_label(int number) {
    if (number == 7)
        throw std::runtime_error("the printer is out of paper");
}

Coroutine<> work(Queue<int>& numbers) {
    while (true) {
        const int number = co_await numbers.get();
        co_await stage3::sleep(1ms); // this takes time
        print_label(number);
        numbers.task_done();
    }
}

Coroutine<> print_all() {
    Queue<int> numbers;
    for (int number = 1; number <= 100; ++number)
        numbers.put_nowait(number);
    std::vector<Task<>> workers;
    for (int i = 1; i <= 10; ++i)
        workers.push_back(create_task(work(numbers), fmt::format("worker {}", i)));
    co_await numbers.join();
    for (Task<>& worker : workers)
        worker.cancel();
}
// [/workers]

// ---- 2. Two tasks that wait for each other ----

// [each-other]
Coroutine<> pass_on(Queue<int>& from, Queue<int>& to) {
    while (true) {
        const int number = co_await from.get();
        for (int i = 0; i < 3; ++i)
            co_await to.put(number + i);
    }
}

Coroutine<> in_a_circle() {
    Queue<int> left(4);
    Queue<int> right(4);
    const Task<> a = create_task(pass_on(left, right), "left to right");
    const Task<> b = create_task(pass_on(right, left), "right to left");
    co_await left.put(1);
    co_await a;
    co_await b;
}
// [/each-other]

// ---- 3. A task that waits for itself ----

// [lock-twice]
Coroutine<> write_line(Semaphore& file, std::string line) {
    const Permit mine = co_await file.acquire();
    fmt::print("{}\n", line);
}

Coroutine<> write_report(Semaphore& file) {
    const Permit mine = co_await file.acquire();
    co_await write_line(file, "All is well.");
}

Coroutine<> report() {
    Semaphore file(1); // one at a time may write
    co_await write_report(file);
}
// [/lock-twice]

void hang(std::string_view which, bool once) {
    using Walk = Coroutine<> (*)();
    constexpr std::array<Walk, 3> walks{print_all, in_a_circle, report};
    EventLoop loop;
    loop.add_signal_handler(SIGQUIT, [&loop, once] {
        fmt::print(stderr, "{}", stage3::describe_tasks(loop));
        if (once)
            loop.stop();
    });
    if (once)
        loop.call_later(200ms, [] { ::raise(SIGQUIT); });
    const auto number = static_cast<std::size_t>(which.front() - '1');
    const Task<> task = create_task(loop, walks.at(number)(), "main");
    task.add_done_callback([&loop](const auto&) { loop.stop(); }); // once it's fixed
    loop.run_forever();
    stage3::cancel_all_tasks(loop);
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::string_view which = argc > 1 ? argv[1] : "";
        const std::string_view how = argc > 2 ? argv[2] : "";
        if (argc > 3 || which.size() != 1 || which < "1" || which > "3"
            || (argc > 2 && how != "once")) {
            fmt::print(stderr, "usage: hang_tour 1|2|3 [once]\n");
            return 2;
        }
        hang(which, how == "once");
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "hang_tour: {}\n", error.what());
        return 1;
    }
}
