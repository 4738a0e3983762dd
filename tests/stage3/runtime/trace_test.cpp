// What the runtime records in a trace: the same words as stages 1 and 2, and queues.
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "tests/stage3/runtime/loop_test.h"
#include "tests/support/trace_file.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <regex>

using namespace stage3;

namespace {

/// The events in `path`, each as "event phase", followed by its fields if it has any.
std::vector<std::string> events_in(const std::string& path) {
    std::vector<std::string> events;
    std::ifstream in(path);
    const auto field = [](const std::string& line, const std::string& name) {
        std::smatch found;
        const bool there =
            std::regex_search(line, found, std::regex('"' + name + "\":\"?([^\",}<]*)"));
        return there ? " " + found[1].str() : "";
    };
    for (std::string line; std::getline(in, line);) {
        std::string event = field(line, "event").substr(1);
        for (const char* name : {"phase", "name", "outcome", "awaiting", "task", "call",
                                 "item", "future", "waiters", "size", "getters"})
            event += field(line, name);
        events.push_back(event);
    }
    return events;
}

Coroutine<int> inner(Future<int> future) {
    const int value = co_await future;
    co_return value;
}

Coroutine<> outer(Future<int> future, Queue<int>& queue) {
    const int value = co_await inner(future);
    queue.put_nowait(value);
    co_await queue.get();
}

Coroutine<> get_one(Queue<int>& queue) { co_await queue.get(); }
Coroutine<> put_one(Queue<int>& queue, int item) { co_await queue.put(item); }

Coroutine<> both_ends(Queue<int>& queue) {
    auto getter = create_task(get_one(queue));
    co_await stage3::next_turn();
    queue.put_nowait(1); // is handed over
    queue.put_nowait(2);
    auto putter = create_task(put_one(queue, 3));
    co_await stage3::next_turn();
    queue.get_nowait(); // lets the putter in
    co_await getter;
    co_await putter;
}

/// What is traced: a loop whose clock is moved by hand, until `events` asks for them.
class Traced {
  public:
    explicit Traced(bool is_real = false)
        : tracer_(std::in_place, file_.path(), "test"),
          loop(std::in_place, options(is_real)) {}

    void turns(int count) {
        for (int i = 0; i < count; ++i) {
            loop->stop();
            loop->run_forever();
        }
    }
    /// Ends the loop and the trace, and compares its events, or those of its queue.
    void check(const std::vector<std::string>& expected, bool only_queue = false) {
        loop.reset();
        tracer_.reset();
        auto events = events_in(file_.path());
        if (only_queue)
            std::erase_if(events,
                          [](const auto& event) { return !event.starts_with("queue"); });
        for (std::size_t i = 0; i < events.size() && i < expected.size(); ++i)
            CHECK(events[i] == expected[i]);
        CHECK(events.size() == expected.size());
    }
    const std::string& path() const { return file_.path(); }

  private:
    stage3::LoopOptions options(bool is_real) {
        stage3::LoopOptions options = is_real ? stage3::LoopOptions() : time_.options();
        options.tracer = &*tracer_;
        return options;
    }

    tests::TraceFile file_;
    std::optional<common::Tracer> tracer_;
    tests::VirtualTime time_;

  public:
    std::optional<stage3::EventLoop> loop;
};

} // namespace

TEST_CASE("events are recorded in their order") {
    Traced traced;
    {
        stage3::EventLoop& loop = *traced.loop;
        Queue<int> queue;
        const Future<int> future(loop);
        auto task = create_task(loop, outer(future, queue));
        loop.call_later(1s, [&] { future.set_result(7); });
        stage3::run_until_complete<void>(loop, task);
        auto cancelled = create_task(loop, inner(Future<int>(loop)));
        loop.call_soon([&] { cancelled.cancel(); });
        traced.turns(2);
    }
    traced.check({
        "trace",
        "watch add mailbox",
        "future new",
        "task new outer",
        "schedule 2",
        "timer set timer 3",
        "select",
        "task step",
        "coroutine call inner 2",
        "task suspend outer 1", // waits for the future, in `inner`
        "select",
        "awake",
        "timer due 3",
        "callback begin timer 3",
        "future resolve 1", // one task waits
        "schedule 2",
        "callback end timer",
        "select",
        "task step",
        "coroutine return inner 2",
        "queue put 7 1 0",
        "coroutine call stage3::Queue 2", // get
        "queue get 7 0 0",
        "coroutine return stage3::Queue 2",
        "future resolve 1", // the task itself, for which run_until_complete waits
        "schedule done_callback 5",
        "task done returned",
        "select",
        "callback begin done_callback 5",
        "callback end done_callback",
        "future new",
        "task new inner",
        "schedule 7",
        "schedule call_soon 8",
        "select",
        "task step",
        "task suspend inner 6",
        "callback begin call_soon 8",
        "task cancel",
        "future cancel 1",
        "schedule 7",
        "callback end call_soon",
        "select",
        "task step",
        "future cancel 0",
        "task done cancelled",
        "watch remove", // the mailbox
        "end",
    });
}

TEST_CASE("a trace shows an item that is handed over and a putter that is let in") {
    Traced traced;
    Queue<int> queue(1);
    stage3::run_until_complete<void>(*traced.loop, both_ends(queue));
    traced.check(
        {
            "queue wait_to_get 3 0 1",
            "queue hand_over 1 3 0 0",
            "queue put 2 1 0",
            "queue wait_to_put 3 6 1 0",
            "queue get 2 0 0",
            "queue let_in 3 6 0 0",
            "queue put 3 1 0",
        },
        true);
}

TEST_CASE("a trace shows items that are given back and withdrawn") {
    Traced traced;
    Queue<int> queue(1);
    auto getter = create_task(*traced.loop, get_one(queue));
    traced.turns(1);
    traced.loop->call_soon([&] {
        queue.put_nowait(1);
        getter.cancel();
    });
    traced.turns(2); // the item is in the queue again
    auto putter = create_task(*traced.loop, put_one(queue, 2));
    traced.turns(1);
    traced.loop->call_soon([&] {
        queue.get_nowait();
        putter.cancel();
    });
    traced.turns(2);
    traced.check(
        {
            "queue wait_to_get 2 0 1",
            "queue hand_over 1 2 0 0",
            "queue give_back 1 0 0",
            "queue put_back 1 1 0",
            "queue wait_to_put 2 6 1 0",
            "queue get 1 0 0",
            "queue let_in 2 6 0 0",
            "queue put 2 1 0",
            "queue take_back 0 0",
        },
        true);
}

namespace {
struct Nameless {
    friend std::string trace_name(const Nameless& /*item*/) {
        throw std::runtime_error("no name");
    }
};
Coroutine<> get_nameless(Queue<Nameless>& queue, bool& got) {
    co_await queue.get();
    got = true;
}
} // namespace

TEST_CASE("an item that can't be named is still handed over") {
    Traced traced;
    stage3::EventLoop& loop = *traced.loop;
    bool got = false;
    Queue<Nameless> queue;
    const auto task = create_task(loop, get_nameless(queue, got));
    loop.call_later(1s, [&] { queue.put_nowait({}); });
    stage3::run_until_complete<void>(loop, task);
    CHECK(got);
}

TEST_CASE("a trace shows descriptors, signals, failures and cancellations") {
    const tests::Pipe pipe;
    Traced traced(true);
    {
        stage3::EventLoop& loop = *traced.loop;
        loop.set_exception_handler([](const stage3::Report&) {});
        loop.add_writer(pipe.write.fd(), [&] {
            loop.remove_writer(pipe.write.fd());
            loop.stop();
        });
        loop.run_forever();
        loop.add_signal_handler(SIGUSR1, [&] { loop.stop(); });
        REQUIRE(::raise(SIGUSR1) == 0);
        loop.run_forever();
        loop.remove_signal_handler(SIGUSR1);
        loop.call_soon([] {}).cancel();
        const Future<int> failing(loop);
        const auto unwanted = failing.add_done_callback([](const auto&) {});
        unwanted.cancel();
        failing.set_exception_quietly(std::make_exception_ptr(std::runtime_error("no")));
        const auto left = create_task(loop, inner(failing));
        const auto waits = create_task(loop, inner(Future<int>(loop)));
        traced.turns(1);
        loop.add_reader(pipe.read.fd(), [] {});
        loop.call_at(stage3::EventLoop::TimePoint::min(), [] {});
    }
    traced.check({
        "trace",
        "watch add mailbox",
        "watch add writer",
        "select",
        "awake",
        "ready",
        "callback begin writer",
        "watch remove",
        "callback end writer",
        "select",
        "awake",
        "ready",
        "schedule signal 1",
        "callback begin signal 1",
        "callback end signal",
        "schedule call_soon 2",
        "schedule cancel 2",
        "future new",
        "future fail 0",
        "task new inner",
        "schedule 4",
        "future new",
        "task new inner",
        "schedule 6",
        "select",
        "task step",
        "future fail 0",
        "task done threw",
        "task step",
        "task suspend inner 5",
        "watch add reader",
        "timer set timer 7",
        "watch remove",
        "watch remove",
        "task done destroyed",
        "end",
    });
}

TEST_CASE("a trace shows cancelled timers and calls from other threads") {
    Traced traced;
    stage3::EventLoop& loop = *traced.loop;
    std::size_t line = 0;
    {
        const stage3::Handle handle = loop.call_later(1s, [] {});
        handle.cancel();
        handle.cancel();
        line = __LINE__ + 1;
        loop.call_soon_threadsafe([&] { loop.stop(); });
        loop.run_forever();
        const stage3::Handle left = loop.call_later(1s, [] {});
        loop.close();
        left.cancel(); // too late: it does nothing
    }
    traced.check({
        "trace",
        "watch add mailbox",
        "timer set timer 1",
        "timer cancel 1",
        "select",
        "schedule call_soon_threadsafe 2",
        "callback begin call_soon_threadsafe 2",
        "callback end call_soon_threadsafe",
        "timer set timer 3",
        "watch remove",
        "end",
    });
    // The caller is a place in another thread, and not in the loop.
    std::ifstream in(traced.path());
    const std::string all(std::istreambuf_iterator<char>(in), {});
    CHECK(all.find(fmt::format("trace_test.cpp:{}", line)) != std::string::npos);
}
