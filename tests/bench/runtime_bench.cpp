// How long do a task switch, a future, a task, a child and a generator's resumption take?
//
// Prints a line for each: its name and nanoseconds for one, the best of several rounds.
// runtime_bench.py runs this beside asyncio and Asio, and prints the table.
#include "stage2_coroutines/generator.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/bench/bench.h"

#include <vector>

using stage3::Coroutine;
using stage3::Future;
using stage3::Task;

namespace {

Coroutine<> switch_often(int times) {
    for (int i = 0; i < times; ++i)
        co_await stage3::next_turn();
}

Coroutine<> switch_among(int tasks, int times) {
    std::vector<Task<>> all;
    for (int i = 0; i < tasks; ++i)
        all.push_back(stage3::create_task(switch_often(times)));
    co_await stage3::wait(all);
}

Coroutine<> await_futures(int times) {
    stage3::EventLoop& loop = stage3::running_loop();
    for (int i = 0; i < times; ++i) {
        const Future<> future;
        loop.call_soon([future] { future.set_result(); });
        co_await future;
    }
}

Coroutine<> await_futures_among(int tasks, int times) {
    std::vector<Task<>> all;
    for (int i = 0; i < tasks; ++i)
        all.push_back(stage3::create_task(await_futures(times)));
    co_await stage3::wait(all);
}

Coroutine<int> child(int value) { co_return value + 1; }

Coroutine<int> await_children(int times) {
    int value = 0;
    for (int i = 0; i < times; ++i)
        value = co_await child(value);
    co_return value;
}

Coroutine<int> await_tasks(int times) {
    int value = 0;
    for (int i = 0; i < times; ++i)
        value = co_await stage3::create_task(child(value));
    co_return value;
}

Coroutine<> put_many(stage3::Queue<int>& queue, int times) {
    for (int i = 0; i < times; ++i)
        co_await queue.put(i);
}

Coroutine<> get_many(stage3::Queue<int>& queue, int times) {
    for (int i = 0; i < times; ++i)
        co_await queue.get();
}

/// One task puts, and one gets; with a maximum of 1, they keep waiting for each other.
Coroutine<> pass_through(std::size_t max_size, int times) {
    stage3::Queue<int> queue(max_size);
    const std::vector<Task<>> both{stage3::create_task(put_many(queue, times)),
                                   stage3::create_task(get_many(queue, times))};
    co_await stage3::wait(both);
}

stage2::Generator<int> count() {
    for (int i = 0;; ++i)
        co_yield i;
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): then it ends, and says so
int main() {
    constexpr int many = 1'000'000;
    bench::print("switch, 1 task", many, [] { stage3::run(switch_among(1, many)); });
    bench::print("switch, 1000 tasks", many,
                 [] { stage3::run(switch_among(1000, many / 1000)); });
    bench::print("future, 1 task", many, [] { stage3::run(await_futures(many)); });
    bench::print("future, 1000 tasks", many,
                 [] { stage3::run(await_futures_among(1000, many / 1000)); });
    bench::print("create and await a task", many, [] { stage3::run(await_tasks(many)); });
    bench::print("await a child", many, [] { stage3::run(await_children(many)); });
    bench::print("queue of 1, per item", many,
                 [] { stage3::run(pass_through(1, many)); });
    bench::print("queue, per item", many, [] { stage3::run(pass_through(0, many)); });
    bench::print("generator, resume", many, [] {
        auto generator = count();
        for (int i = 0; i < many; ++i)
            generator.next();
    });
    return 0;
}
