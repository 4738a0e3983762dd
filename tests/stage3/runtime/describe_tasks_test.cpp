// What a program reports about its tasks: which one waits where, and for what.
#include "stage3_queue_crawler/runtime/executor/executor.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/task/describe_tasks.h"
#include "tests/stage3/runtime/loop_test.h"

#include <future>
#include <regex>

using namespace stage3;
using tests::LoopTest;

namespace {

/// The description, with N for the numbers of lines.
std::string told(EventLoop& loop) {
    static const std::regex line("(\\.cpp|\\.h):[0-9]+");
    return std::regex_replace(describe_tasks(loop), line, "$1:N");
}

const std::string head_of_one =
    "1 task is not done. Its coroutines, the last one at the bottom:\n";
std::string several(int tasks) {
    return std::to_string(tasks)
           + " tasks are not done. The coroutines of each, the last one at the bottom:\n";
}
const std::string nobody_wakes_them =
    "Nothing will wake them: no task is ready, no descriptor is watched, no timer is "
    "set.\n(Only a signal still could, or a thread that the loop doesn't know.)\n";
const std::string asleep = "The loop: no descriptor is watched, no timer is set.\n";

Coroutine<> wait_for_it(Future<> future) { co_await future; }

Coroutine<> through_another(Future<> future) { co_await wait_for_it(future); }

Coroutine<> wait_for_task(Task<> task) { co_await task; }

Coroutine<> wait_for_event(Event& event) { co_await event.wait(); }

Coroutine<> turn_for_ever() {
    while (true)
        co_await next_turn();
}

Coroutine<> refuse_to_end(Future<> first, Future<> second) {
    bool asked = false;
    try {
        co_await first;
    } catch (const Cancelled&) {
        asked = true;
    }
    if (asked)
        co_await second;
}

Coroutine<> look(EventLoop& loop, std::string& result) {
    co_await next_turn();
    result = told(loop);
}

struct Looks : LoopTest {
    template <class T>
    Task<T> named(std::string name, Coroutine<T> coroutine) {
        return create_task(loop, std::move(coroutine), std::move(name));
    }
};

} // namespace

TEST_CASE_FIXTURE(Looks, "without tasks there is little to describe") {
    CHECK(told(loop) == "All tasks are done.\n");
    const auto done = named("a", []() -> Coroutine<> { co_return; }());
    turns(1);
    CHECK(told(loop) == "All tasks are done.\n");
}

TEST_CASE_FIXTURE(Looks, "a task that has not begun has no line yet") {
    const auto a = named("a", wait_for_it(future()));
    CHECK(
        told(loop)
        == head_of_one
               + "1 has not begun: a\n"
                 "  wait_for_it, before its first co_await, in describe_tasks_test.cpp\n"
               + asleep);
}

TEST_CASE_FIXTURE(Looks,
                  "a waiting task is shown with its coroutines, the innermost last") {
    const auto wanted = future();
    const auto a = named("a", through_another(wanted));
    turns(1);
    CHECK(told(loop)
          == head_of_one
                 + "1 waits: a\n"
                   "  through_another, waiting at describe_tasks_test.cpp:N\n"
                   "  wait_for_it, waiting at describe_tasks_test.cpp:N\n"
                   "  for a future\n"
                 + nobody_wakes_them);

    wanted.set_result();
    CHECK(told(loop)
          == head_of_one
                 + "1 is ready: a\n"
                   "  through_another, waiting at describe_tasks_test.cpp:N\n"
                   "  wait_for_it, waiting at describe_tasks_test.cpp:N\n"
                 + asleep);
    turns(1);
    CHECK(a.done());
}

TEST_CASE_FIXTURE(Looks, "a task that gives others their turn is ready") {
    const auto a = named("a", turn_for_ever());
    turns(3);
    CHECK(told(loop)
          == head_of_one
                 + "1 is ready: a\n"
                   "  turn_for_ever, waiting at describe_tasks_test.cpp:N\n"
                 + asleep);
    loop.close();
}

TEST_CASE_FIXTURE(Looks, "a task that asks is running, and resumed at its line") {
    std::string result;
    const auto a = named("a", look(loop, result));
    turns(2);
    CHECK(result
          == head_of_one
                 + "1 runs: a\n"
                   "  look, resumed at describe_tasks_test.cpp:N\n"
                 + asleep);
}

TEST_CASE_FIXTURE(Looks, "a task that waits for another names it") {
    const auto a = named("anna", wait_for_it(future()));
    const auto b = named("bob", wait_for_task(a));
    const auto c = named("cleo", wait_for_task(a));
    turns(1);
    CHECK(told(loop)
          == several(3)
                 + "1 waits: anna\n"
                   "  wait_for_it, waiting at describe_tasks_test.cpp:N\n"
                   "  for a future\n"
                   "2 wait: bob, cleo\n"
                   "  wait_for_task, waiting at describe_tasks_test.cpp:N\n"
                   "  for the task anna\n"
                 + nobody_wakes_them);
}

TEST_CASE_FIXTURE(
    Looks, "a description in the middle of a turn knows the tasks still due in it") {
    std::string text;
    loop.call_later(10ms, [&] { text = told(loop); }); // before the sleeper's own timer
    const auto napping = named("a", stage3::sleep(10ms));
    turns(1);
    time.now += 10ms; // now both timers are due
    turns(1);
    REQUIRE(!text.empty());
    CHECK(text.find("Nothing will wake them") == std::string::npos);
}

TEST_CASE_FIXTURE(Looks, "a name can't forge a line of the table") {
    const auto a = named("a\n1 waits: b\x1b[2J", wait_for_it(future()));
    CHECK(told(loop)
          == head_of_one
                 + "1 has not begun: a?1 waits: b?[2J\n"
                   "  wait_for_it, before its first co_await, in "
                   "describe_tasks_test.cpp\n"
                   "The loop: no descriptor is watched, no timer is set.\n");
}

TEST_CASE_FIXTURE(Looks, "tasks that wait in the same place share an entry") {
    Event event;
    std::vector<Task<>> tasks;
    for (int i = 1; i <= 100; ++i)
        tasks.push_back(named("worker " + std::to_string(i), wait_for_event(event)));
    for (int i = 1; i <= 3; ++i)
        tasks.push_back(named("boss " + std::to_string(i),
                              wait_for_task(tasks[static_cast<std::size_t>(i)])));
    turns(1);
    CHECK(told(loop)
          == several(103)
                 + "100 wait: worker 1 to worker 100\n"
                   "  wait_for_event, waiting at describe_tasks_test.cpp:N\n"
                   "  stage3::Event::wait, waiting at event.cpp:N\n"
                   "  for a future\n"
                   "3 wait: boss 1 to boss 3\n"
                   "  wait_for_task, waiting at describe_tasks_test.cpp:N\n"
                   "  for the tasks worker 2 to worker 4\n"
                 + nobody_wakes_them);

    const auto late = named("late boss", wait_for_task(tasks[3]));
    turns(1);
    CHECK(told(loop).find("  for the tasks worker 2 to worker 4\n") != std::string::npos);

    event.set();
    CHECK(told(loop).find("100 are ready: worker 1 to worker 100\n")
          != std::string::npos);
    turns(3);
}

TEST_CASE_FIXTURE(
    Looks,
    "tasks that wait on different lines or for different things have separate entries") {
    const auto wanted = future();
    const auto a = named("a", wait_for_it(wanted));
    const auto b = named("b", through_another(wanted));
    turns(1);
    const std::string text = told(loop);
    CHECK(text.find("1 waits: a\n") != std::string::npos);
    CHECK(text.find("1 waits: b\n") != std::string::npos);
}

TEST_CASE_FIXTURE(Looks, "numbered names are shortened to the first and the last") {
    const auto names_told = [&](const std::vector<std::string>& names) {
        const auto wanted = future();
        std::vector<Task<>> tasks;
        for (const std::string& name : names)
            tasks.push_back(named(name, wait_for_it(wanted)));
        turns(1);
        const std::string text = told(loop).substr(several(11).size());
        const std::string line = text.substr(0, text.find('\n'));
        wanted.set_result();
        turns(1);
        return line.substr(line.find("wait"));
    };
    using Names = std::vector<std::string>;
    CHECK(names_told(Names{"w1", "w2"}).ends_with(": w1, w2"));
    CHECK(names_told(Names{"w", "w1", "w2"}).ends_with(": w, w1, w2"));
    CHECK(names_told(Names{"w1", "w2", "w3", "x", "w4"}).ends_with(": w1 to w3, x, w4"));
    CHECK(names_told(Names{"w9", "w10", "w11", "v12"}).ends_with(": w9 to w11, v12"));
    CHECK(names_told(Names{"1", "2", "3", "", "", ""})
              .ends_with(": 1 to 3, (no name), (no name), (no name)"));
    CHECK(names_told(Names{"w99999999999999999999", "w", "w1x", "w2x", "w3x"})
              .ends_with(": w99999999999999999999, w, w1x, w2x, w3x"));
    CHECK(
        names_told(Names{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"})
            .ends_with(": a, b, c, d, e, f, g, h, i, j, and 3 more"));
}

TEST_CASE_FIXTURE(Looks, "a task that was asked to end but hasn't ended is shown apart") {
    const auto first = future();
    Task<> a = named("a", refuse_to_end(first, future()));
    turns(1);
    a.cancel();
    turns(1);
    CHECK(told(loop)
          == head_of_one
                 + "1 waits, and was asked to end: a\n"
                   "  refuse_to_end, waiting at describe_tasks_test.cpp:N\n"
                   "  for a future\n"
                 + nobody_wakes_them);
    loop.close();
}

TEST_CASE_FIXTURE(Looks, "a task that can still be woken is not given up for lost") {
    const auto wanted = future();
    const auto a = named("a", wait_for_it(wanted));
    turns(1);
    const auto end = [&] {
        const std::string text = told(loop);
        return text.substr(text.find("  for a future\n") + 15);
    };
    CHECK(end() == nobody_wakes_them);

    SUBCASE("a timer can wake it") {
        const stage3::Handle timer = loop.call_later(1500ms, [] {});
        CHECK(end()
              == "The loop: no descriptor is watched, the next timer is due in "
                 "1.500 s.\n");
        time.now += 2s;
        CHECK(end()
              == "The loop: no descriptor is watched, the next timer is due in "
                 "0.000 s.\n");
        timer.cancel();
    }
    SUBCASE("a descriptor can wake it") {
        const tests::Pipe pipe;
        const tests::Pipe another;
        loop.add_reader(pipe.read.fd(), [] {});
        CHECK(end() == "The loop: 1 descriptor is watched, no timer is set.\n");
        loop.add_reader(another.read.fd(), [] {});
        CHECK(end() == "The loop: 2 descriptors are watched, no timer is set.\n");
        loop.remove_reader(pipe.read.fd());
        loop.remove_reader(another.read.fd());
    }
    SUBCASE("a function that will run can wake it") {
        loop.call_soon([] {});
        CHECK(end() == asleep);
        turns(1);
    }
    SUBCASE("a call from another thread can wake it") {
        loop.call_soon_threadsafe([] {});
        CHECK(end() == asleep);
        turns(1);
    }
    SUBCASE("another task that is ready can wake it") {
        const auto b = named("b", []() -> Coroutine<> { co_await next_turn(); }());
        CHECK(told(loop).ends_with(asleep));
        turns(2);
    }
    CHECK(end() == nobody_wakes_them);
}

TEST_CASE("a working thread may wake a task") {
    EventLoop loop;
    const auto a = create_task(loop, wait_for_it(Future<>(loop)), "a");
    loop.stop();
    loop.run_forever();
    CHECK(told(loop).ends_with(nobody_wakes_them));

    std::promise<void> may_end;
    const Future<> computed = stage3::run_in_executor(
        loop, [until = may_end.get_future().share()] { until.wait(); });
    CHECK(told(loop).ends_with(
        "The loop: no descriptor is watched, no timer is set, a thread works.\n"));
    may_end.set_value();
    stage3::run_until_complete<void>(loop, computed);
    stage3::cancel_all_tasks(loop);
}

TEST_CASE_FIXTURE(Looks, "the middle of a deep chain is left out") {
    struct Deep {
        static Coroutine<> dive(int depth, Future<> future) {
            if (depth == 0)
                co_await future;
            else
                co_await dive(depth - 1, future);
        }
    };
    const auto a = named("a", Deep::dive(1000, future()));
    turns(1);
    const std::string text = told(loop);
    CHECK(text.find("\n  ... and 901 more ...\n") != std::string::npos);
    CHECK(text.ends_with("  for a future\n" + nobody_wakes_them));
    loop.close();
}
