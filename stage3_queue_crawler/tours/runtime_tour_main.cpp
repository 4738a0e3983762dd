// runtime_tour: three short walks through the runtime.
//
//     runtime_tour 1    what runs when, turn by turn
//     runtime_tour 2    a cancellation on its way
//     runtime_tour 3    a queue with tasks that wait at both ends
//
// With a file name after the number, the walk's events are written there. The scenes of
// pages 10, 11 and 12 of the book are such runs.
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/run.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using stage3::Cancelled;
using stage3::Coroutine;
using stage3::EventLoop;
using stage3::Future;
using stage3::Queue;
using stage3::Task;

namespace {

void say(const std::string& text) { fmt::print("{}\n", text); }

// ---- 1. What runs when ----

Coroutine<> wait_and_say(Future<int> future, std::string name) {
    say(name + " begins to wait");
    const int value = co_await future;
    say(fmt::format("{} has {}", name, value));
}

void what_runs_when(EventLoop& loop) {
    // Announces each turn: it runs first in its turn, and queues itself for the next.
    int turn = 0;
    std::function<void()> announce = [&] {
        say(fmt::format("-- turn {}", ++turn));
        if (turn == 3)
            loop.stop();
        loop.call_soon(announce);
    };
    loop.call_soon(announce);

    const Future<int> future(loop);
    const auto a = create_task(loop, wait_and_say(future, "a"));
    const auto b = create_task(loop, wait_and_say(future, "b"));
    loop.call_soon([&] {
        say("set_result begins");
        future.set_result(7);
        say("set_result ends");
    });
    loop.call_later(0s, [] { say("a timer, due at once"); });
    say("nothing has run");
    loop.run_forever();
}

// ---- 2. A cancellation ----

/// Something that must be given back.
class Lent {
  public:
    Lent() { say("  inner: borrows something"); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { say("  inner: gives it back"); }
};

Coroutine<> inner() {
    const Lent lent;
    say("  inner: waits");
    co_await stage3::sleep(1h);
    say("  inner: goes on"); // not today
}

Coroutine<int> polite() {
    co_await inner();
    co_return 1;
}

Coroutine<int> stubborn() {
    try {
        co_await inner();
    } catch (const Cancelled& request) {
        say("  stubborn: no, thanks (" + request.message + ")");
    }
    co_return 2;
}

Coroutine<> cancel_one(Coroutine<int> coroutine) {
    Task<int> task = create_task(std::move(coroutine));
    co_await stage3::next_turn(); // the task makes its first step
    say("cancel it");
    task.cancel("enough");
    say(task.done() ? "it is done" : "it is not done yet");
    const std::vector<Task<int>> tasks(1, task);
    co_await stage3::wait(tasks);
    say(task.cancelled() ? "it was cancelled"
                         : fmt::format("it has returned {}", task.result()));
}

Coroutine<> cancellations() {
    co_await cancel_one(polite());
    say("");
    co_await cancel_one(stubborn());
}

// ---- 3. A queue ----

Coroutine<> bring(Queue<int>& queue, int item) {
    co_await queue.put(item);
    say(fmt::format("  {} is in", item));
}

Coroutine<> fetch(Queue<int>& queue, std::string name) {
    const int item = co_await queue.get();
    say(fmt::format("  {} has {}", name, item));
    queue.task_done();
}

Coroutine<> at_both_ends() {
    Queue<int> queue(1); // room for one
    std::vector<Task<>> tasks;
    for (const int item : {1, 2, 3})
        tasks.push_back(create_task(bring(queue, item)));
    co_await stage3::next_turn();
    say("three have come to put:    " + queue.describe());
    tasks.push_back(create_task(fetch(queue, "anna")));
    co_await stage3::next_turn();
    co_await stage3::next_turn();
    say("one has come to get:       " + queue.describe());
    for (const char* name : {"bob", "cleo", "dora", "emil"})
        tasks.push_back(create_task(fetch(queue, name)));
    co_await stage3::next_turn();
    co_await stage3::next_turn();
    say("four more:                 " + queue.describe());

    queue.put_nowait(4);
    say("4 is put, and is dora's:   " + queue.describe());
    tasks[6].cancel();
    say("but dora is cancelled ...");
    co_await stage3::next_turn();
    co_await stage3::next_turn();
    say("... so emil has it:        " + queue.describe());
    co_await queue.join();
}

void walk(std::string_view which, common::Tracer& tracer) {
    stage3::LoopOptions options;
    options.tracer = &tracer;
    if (which == "1") {
        EventLoop loop(std::move(options));
        what_runs_when(loop);
    } else {
        using Walk = Coroutine<> (*)();
        constexpr std::array<Walk, 2> walks{cancellations, at_both_ends};
        const auto number = static_cast<std::size_t>(which.front() - '2');
        stage3::run(walks.at(number)(), std::move(options));
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::string_view which = argc > 1 ? argv[1] : "";
        if (argc > 3 || which.size() != 1 || which < "1" || which > "3") {
            fmt::print(stderr, "usage: runtime_tour 1|2|3 [TRACE_FILE]\n");
            return 2;
        }
        common::Tracer tracer =
            argc > 2 ? common::Tracer(argv[2], "runtime_tour") : common::Tracer();
        walk(which, tracer);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "runtime_tour: {}\n", error.what());
        return 1;
    }
}
