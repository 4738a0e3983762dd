// small_tour: four short walks through the smallest runtime.
//
//     small_tour 1    what runs when, turn by turn
//     small_tour 2    a cancellation on its way
//     small_tour 3    a queue, and an item that isn't lost
//     small_tour 4    two tasks, alone and in a group
//
// Pages 10, 11, 12 and 14 of the book.
#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/future.h"
#include "stage3_queue_crawler/small/group.h"
#include "stage3_queue_crawler/small/loop.h"
#include "stage3_queue_crawler/small/queue.h"
#include "stage3_queue_crawler/small/run_queue.h"
#include "stage3_queue_crawler/small/task.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

using namespace std::chrono_literals;
using stage3::small::Cancelled;
using stage3::small::Coroutine;
using stage3::small::EventLoop;
using stage3::small::Future;
using stage3::small::Group;
using stage3::small::Loop;
using stage3::small::Queue;
using stage3::small::Runnable;
using stage3::small::Task;

namespace {

// ---- 1. What runs when ----

// [waiter]
/// Says so when it runs.
class Waiter : public Runnable {
  public:
    explicit Waiter(std::string name) : name_(std::move(name)) {}
    void run() override { fmt::print("{} runs\n", name_); }

  private:
    std::string name_;
};
// [/waiter]

// [resolver]
/// Resolves a future when it runs.
class Resolver : public Runnable {
  public:
    explicit Resolver(Future& future) : future_(future) {}
    void run() override {
        fmt::print("set_result begins\n");
        future_.set_result();
        fmt::print("set_result ends\n");
    }

  private:
    Future& future_;
};
// [/resolver]

// [turns]
void what_runs_when() {
    EventLoop loop;
    Future future(loop);
    Waiter a("a");
    Waiter b("b");
    future.add_waiter(a);
    future.add_waiter(b);
    Resolver resolver(future);
    loop.make_ready(resolver);
    for (int turn = 1; turn <= 2; ++turn) {
        fmt::print("-- turn {}\n", turn);
        loop.turn(0ms);
    }
}
// [/turns]

// ---- 2. A cancellation ----

/// Something that must be given back.
class Lent {
  public:
    Lent() { fmt::print("  inner: borrows something\n"); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { fmt::print("  inner: gives it back\n"); }
};

// [cancelled]
Coroutine<> inner(EventLoop& loop) {
    const Lent lent;
    Future never(loop); // nobody resolves it
    fmt::print("  inner: waits\n");
    co_await never;
    fmt::print("  inner: goes on\n"); // not today
}

Coroutine<> polite(EventLoop& loop) { co_await inner(loop); }

Coroutine<> stubborn(EventLoop& loop) {
    try {
        co_await inner(loop);
    } catch (const Cancelled&) {
        fmt::print("  stubborn: no, thanks\n");
    }
}

void cancel_one(EventLoop& loop, Coroutine<> coroutine) {
    Task task(loop, std::move(coroutine));
    loop.turn(); // the task makes its first step
    fmt::print("cancel it\n");
    task.cancel();
    fmt::print("{}\n", task.done() ? "it is done" : "it is not done yet");
    try {
        run_until_complete(loop, task);
        fmt::print("it has returned\n");
    } catch (const Cancelled&) {
        fmt::print("it was cancelled\n");
    }
}

void cancellations() {
    EventLoop loop;
    cancel_one(loop, polite(loop));
    fmt::print("\n");
    cancel_one(loop, stubborn(loop));
}
// [/cancelled]

// ---- 3. A queue ----

// [fetch]
Coroutine<> fetch(Queue<int>& queue, std::string name) {
    const int item = co_await queue.get();
    fmt::print("  {} has {}\n", name, item);
    queue.task_done();
}
// [/fetch]

// [lost-item]
void an_item_changes_hands() {
    EventLoop loop;
    Queue<int> queue(loop);
    const Task anna(loop, fetch(queue, "anna"));
    const Task bob(loop, fetch(queue, "bob"));
    Task dora(loop, fetch(queue, "dora"));
    const Task emil(loop, fetch(queue, "emil"));
    loop.turn();
    fmt::print("all four wait\n");
    queue.put(1);
    queue.put(2);
    fmt::print("1 and 2 are put\n");
    loop.turn();

    queue.put(3);
    fmt::print("3 is put, and is dora's\n");
    dora.cancel();
    fmt::print("but dora is cancelled ...\n");
    loop.turn();
    fmt::print("... so it is emil's\n");
    loop.turn();
    if (queue.join().done())
        fmt::print("nothing is left to do\n");
}
// [/lost-item]

// ---- 4. A group ----

/// Says so when it is destroyed.
class Goodbye {
  public:
    Goodbye() = default;
    Goodbye(const Goodbye&) = delete;
    Goodbye& operator=(const Goodbye&) = delete;
    ~Goodbye() { fmt::print("  a ends\n"); }
};

// [alone]
Coroutine<> work(Loop& loop) {
    const Goodbye end; // prints "a ends" when it's destroyed
    for (int i = 0; i < 3; ++i) {
        co_await sleep(loop, 0ms);
        fmt::print("  a works\n");
    }
}

Coroutine<> fail(Loop& loop) {
    co_await sleep(loop, 0ms);
    fmt::print("  b fails\n");
    throw std::runtime_error("b can't be done");
}

Coroutine<> end_of_both(Task& a, Task& b) {
    co_await b;
    co_await a;
}
// [/alone]

// [in-group]
Coroutine<> both_in_group(Loop& loop) {
    Group group(loop);
    group.start(work(loop));
    group.start(fail(loop));
    co_await group.wait();
}
// [/in-group]

void say_how_it_ends(Loop& loop, Task& both) {
    try {
        run_until_complete(loop, both);
    } catch (const std::runtime_error& error) {
        fmt::print("both have ended: {}\n", error.what());
    }
}

void two_tasks() {
    Loop loop;
    fmt::print("two tasks:\n");
    Task a(loop, work(loop));
    Task b(loop, fail(loop));
    Task alone(loop, end_of_both(a, b));
    say_how_it_ends(loop, alone);
    run_until_complete(loop, a);

    fmt::print("\ntwo children of a group:\n");
    Task together(loop, both_in_group(loop));
    say_how_it_ends(loop, together);
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::string_view which = argc == 2 ? argv[1] : "";
        if (which == "1") {
            what_runs_when();
        } else if (which == "2") {
            cancellations();
        } else if (which == "3") {
            an_item_changes_hands();
        } else if (which == "4") {
            two_tasks();
        } else {
            fmt::print(stderr, "usage: small_tour 1|2|3|4\n");
            return 2;
        }
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "small_tour: {}\n", error.what());
        return 1;
    }
}
