// What the reader's runtime costs, measured as tests/bench/runtime_bench.cpp measures
// ours.
//
// Prints a line for each measurement: its name, and the nanoseconds for one operation,
// the best of several rounds. tests/bench/runtime_bench.py runs this beside ours and
// asyncio (--yours), and prints the table. Names and work are the same as far as this
// interface allows; where it differs, a comment says how.
#include "tests/bench/bench.h"

#include "coroutine.h"
#include "event_loop.h"
#include "future.h"
#include "generator.h"
#include "loop.h"
#include "queue.h"
#include "task.h"

#include <coroutine>
#include <list>
#include <utility>

using yours::Coroutine;
using yours::Future;
using yours::Loop;
using yours::Task;

namespace {

using FutureAwaiter = decltype(operator co_await(std::declval<Future&>()));

/// Waits for a future that is resolved as soon as the task waits: so the task is made
/// ready at once, and resumes in the next turn. Ours has next_turn() for that, asyncio
/// sleep(0).
class NextTurn {
  public:
    explicit NextTurn(Loop& loop) : future_(loop), awaiter_(operator co_await(future_)) {}

    bool await_ready() const { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> frame) {
        awaiter_.await_suspend(frame);
        future_.set_result();
    }
    void await_resume() { awaiter_.await_resume(); }

  private:
    Future future_;
    FutureAwaiter awaiter_;
};

Coroutine<> switch_often(Loop& loop, int times) {
    for (int i = 0; i < times; ++i)
        co_await NextTurn(loop);
}

/// Resolves a future when it runs. Ours and asyncio give call_soon a function, which they
/// allocate. Here there is only a Runnable, which lies in a frame.
class Resolver final : public yours::Runnable {
  public:
    explicit Resolver(Future& future) : future_(future) {}
    void run() override { future_.set_result(); }

  private:
    Future& future_;
};

Coroutine<> await_futures(Loop& loop, int times) {
    for (int i = 0; i < times; ++i) {
        Future future(loop);
        Resolver resolver(future);
        loop.make_ready(resolver);
        co_await future;
    }
}

/// This many tasks that do `one(loop, times)`.
template <class One>
void among(int tasks, int times, One one) {
    Loop loop;
    std::list<Task> all;
    for (int i = 0; i < tasks; ++i)
        all.emplace_back(loop, one(loop, times));
    for (Task& task : all)
        run_until_complete(loop, task);
}

Coroutine<int> child(int value) { co_return value + 1; }

Coroutine<> await_children(Loop& /*loop*/, int times) {
    int value = 0;
    for (int i = 0; i < times; ++i)
        value = co_await child(value);
}

/// A task returns nothing here, so its coroutine counts through a reference.
Coroutine<> count_up(int& value) {
    ++value;
    co_return;
}

Coroutine<> await_tasks(Loop& loop, int times) {
    int value = 0;
    for (int i = 0; i < times; ++i) {
        Task task(loop, count_up(value));
        co_await task;
    }
}

/// Here, put is a plain function: a queue without a maximum is never full.
Coroutine<> put_many(yours::Queue<int>& queue, int times) {
    for (int i = 0; i < times; ++i)
        queue.put(i);
    co_return;
}

Coroutine<> get_many(yours::Queue<int>& queue, int times) {
    for (int i = 0; i < times; ++i)
        co_await queue.get();
}

void pass_through(int times) {
    Loop loop;
    yours::Queue<int> queue(loop);
    Task putting(loop, put_many(queue, times));
    Task getting(loop, get_many(queue, times));
    run_until_complete(loop, putting);
    run_until_complete(loop, getting);
}

yours::Generator<int, int, int> count() {
    for (int i = 0;; ++i)
        co_yield i;
    co_return 0;
}

/// Not inlined, because clang would see that the values are never used, and leave
/// everything out.
[[gnu::noinline]] void resume(yours::Generator<int, int, int>& generator, int times) {
    for (int i = 0; i < times; ++i)
        generator.next();
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): it would end with a message
int main() {
    constexpr int many = 1'000'000;
    bench::print("switch, 1 task", many, [] { among(1, many, switch_often); });
    bench::print("switch, 1000 tasks", many,
                 [] { among(1000, many / 1000, switch_often); });
    bench::print("future, 1 task", many, [] { among(1, many, await_futures); });
    bench::print("future, 1000 tasks", many,
                 [] { among(1000, many / 1000, await_futures); });
    bench::print("create and await a task", many, [] { among(1, many, await_tasks); });
    bench::print("await a child", many, [] { among(1, many, await_children); });
    bench::print("queue, per item", many, [] { pass_through(many); });
    bench::print("generator, resume", many, [] {
        auto generator = count();
        resume(generator, many);
    });
    return 0;
}
