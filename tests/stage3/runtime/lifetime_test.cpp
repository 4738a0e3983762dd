// Destructors that do things at unexpected moments, and loops that close while much is
// under way. Most of these mistakes would be found by the address sanitizer only.
#include "stage3_queue_crawler/runtime/executor/executor.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "tests/stage3/runtime/loop_test.h"
#include "tests/support/in_bulk.h"

#include <csignal>
#include <iterator>
#include <semaphore>
#include <thread>

#include <unistd.h>

using namespace stage3;
using namespace tests;

namespace {

/// Calls a function when it is destroyed.
class AtEnd {
  public:
    explicit AtEnd(std::function<void()> function) : function_(std::move(function)) {}
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;
    ~AtEnd() { function_(); }

  private:
    std::function<void()> function_;
};

Coroutine<> wait_for_ever() { co_await Future<>(); }

Coroutine<int> fail_later() {
    co_await stage3::next_turn();
    throw std::runtime_error("it rains");
}

} // namespace

// ---- A loop closes ----

TEST_CASE_FIXTURE(LoopTest, "a task that dies with its loop may cancel others") {
    const auto parent = task([](LoopTest&) -> Coroutine<> {
        auto child = stage3::create_task(wait_for_ever());
        std::function<void()> cancel = [child]() mutable { child.cancel(); };
        const AtEnd guard(std::move(cancel));
        co_await stage3::next_turn();
        co_await Future<>();
    }(*this));
    turns(4);
    loop.close();
    CHECK(reports.size() == 2);
}

TEST_CASE_FIXTURE(LoopTest, "a task that dies with its loop can create no other") {
    const auto parent = task([](LoopTest& test) -> Coroutine<> {
        std::function<void()> make = [&test] {
            CHECK_THROWS_AS(
                static_cast<void>(stage3::create_task(test.loop, wait_for_ever())),
                stage3::LoopClosed);
        };
        const AtEnd guard(std::move(make));
        co_await Future<>();
    }(*this));
    turns(2);
    loop.close();
    CHECK_FALSE(parent.done());
    CHECK(reports.size() == 1); // about the parent, and no other task
}

TEST_CASE("a call that was made or dropped can be cancelled when its loop is gone") {
    stage3::Handle made;
    stage3::Handle dropped;
    stage3::Handle queued;
    {
        EventLoop loop;
        made = loop.call_later(0s, [&] { loop.stop(); });
        dropped = loop.call_later(1h, [] {});
        loop.run_forever();
        queued = loop.call_soon([] {});
    }
    made.cancel(); // a sanitizer sees whether these use the loop
    dropped.cancel();
    queued.cancel();
    CHECK(made.cancelled());
    CHECK(dropped.cancelled());
}

TEST_CASE("a task may be cancelled when its loop is gone") {
    std::optional<EventLoop> loop(std::in_place);
    loop->set_exception_handler([](const auto&) {});
    auto never_began = create_task(*loop, wait_for_ever());
    auto waits = create_task(*loop, wait_for_ever());
    loop.reset();
    CHECK_FALSE(never_began.cancel());
    CHECK_FALSE(waits.cancel());
    CHECK_FALSE(waits.done());
}

TEST_CASE_FIXTURE(LoopTest,
                  "objects that die with their loop may resolve and cancel futures") {
    stage3::Queue<int> queue;
    queue.put_nowait(1);
    const auto joiner = task(queue.join());
    const auto watched = future<>();
    auto cancelled = future<>();
    cancelled.add_done_callback([&](const auto&) { note("never"); });
    const auto watcher = task([](Future<> f) -> Coroutine<> { co_await f; }(watched));
    turns(2);
    static_cast<void>(task(
        [](stage3::Queue<int>& q, Future<> resolved, Future<> given_up) -> Coroutine<> {
            co_await q.get();
            std::function<void()> end = [&q, resolved, given_up]() mutable {
                q.task_done();
                resolved.set_result();
                given_up.cancel();
            };
            const AtEnd guard(std::move(end));
            co_await Future<>();
        }(queue, watched, cancelled)));
    turns(2);
    loop.close();
    CHECK(watched.done());
    CHECK(cancelled.cancelled());
    CHECK(log.empty());
}

TEST_CASE_FIXTURE(LoopTest, "callbacks may hold the last handle to their future") {
    {
        Future<> alone(loop);
        alone.add_done_callback([alone](const auto&) {});
        Future<> a(loop);
        Future<> b(loop);
        a.add_done_callback([b](const auto&) {});
        b.add_done_callback([a](const auto&) {});
    }
    loop.close();
}

TEST_CASE_FIXTURE(LoopTest, "a chain of 100,000 futures is dropped with little stack") {
    const char* lowest = nullptr;
    const char* highest = nullptr;
    int dropped = 0;
    // The callback of each future holds the last handle to another one, and measures
    // how deep in the stack it is destroyed.
    const auto hold = [&](const Future<>& holder, Future<> other) {
        auto look = std::make_shared<AtEnd>([&] {
            const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
            lowest = dropped == 0 ? here : std::min(lowest, here);
            highest = std::max(highest, here);
            ++dropped;
        });
        holder.add_done_callback(
            [held = std::move(other), look = std::move(look)](const auto&) {});
    };
    const int many = tests::in_bulk(100'000);
    int more = many;
    constexpr std::ptrdiff_t little = 10'000; // bytes, enough for a sanitizer's frames

    SUBCASE("its owner drops the chain") {
        const Future<> first(loop);
        for (Future<> last = first; more > 0; --more) {
            const Future<> next(loop);
            hold(last, next);
            last = next;
        }
    }
    SUBCASE("its loop drops the chain, the newest first") {
        for (Future<> last(loop); more > 0; --more) {
            const Future<> next(loop);
            hold(next, last);
            last = next;
        }
        loop.close();
    }
    CHECK(dropped == many);
    CHECK(highest - lowest < little);
}

TEST_CASE("a job that is dropped may ask in vain for another") {
    stage3::LoopOptions options;
    options.threads = 1;
    EventLoop loop(std::move(options));
    bool ran = false;
    std::string refused;
    std::binary_semaphore begun(0);
    const auto first = run_in_executor(loop, [&] {
        begun.release();
        std::this_thread::sleep_for(5ms);
    });
    auto at_end = std::make_shared<AtEnd>([&] {
        try {
            static_cast<void>(run_in_executor(loop, [&] { ran = true; }));
        } catch (const stage3::LoopClosed& closed) {
            refused = closed.what();
        }
    });
    const auto second = run_in_executor(loop, [held = std::move(at_end)] {});
    begun.acquire();
    loop.close();
    CHECK_FALSE(ran);
    CHECK(refused == "the event loop is closed");
}

TEST_CASE_FIXTURE(LoopTest, "a timer and the object that holds it may hold each other") {
    struct Owner {
        Handle timer;
    };
    auto held = std::make_shared<int>();
    const auto circle = [&](auto schedule) {
        auto owner = std::make_shared<Owner>();
        owner->timer = schedule([owner, held] {});
    };
    circle([&](auto f) { return loop.call_soon(std::move(f)); });
    circle([&](auto f) { return loop.call_later(1s, std::move(f)); });
    circle([&](auto f) { return loop.call_later(1h, std::move(f)); });
    CHECK(held.use_count() == 4);
    time.now += 1s;
    turns(1);
    CHECK(held.use_count() == 2); // the callbacks that have run are released
    loop.close();
    CHECK(held.use_count() == 1);
}

// ---- Handles, readers and signals ----

TEST_CASE_FIXTURE(LoopTest, "a callback may hold the last handle to itself") {
    struct Owner {
        Handle handle;
        std::string text = std::string(40, 'x');
    };
    auto owner = std::make_shared<Owner>();
    owner->handle = loop.call_later(1h, [text = std::string(40, 'x'), owner] {});
    Owner* const raw = owner.get();
    owner.reset();
    raw->handle.cancel();
}

TEST_CASE("a reader that dies may remove the writer") {
    EventLoop loop;
    const Pipe pipe;
    const int fd = pipe.write.fd();
    auto connection = std::make_shared<AtEnd>([&] {
        loop.remove_reader(fd);
        loop.remove_writer(fd);
    });
    loop.add_reader(fd, [connection] {});
    loop.add_writer(fd, [] { FAIL("the writer was removed"); });
    connection.reset();
    CHECK(loop.remove_reader(fd));
    CHECK_FALSE(loop.remove_writer(fd));
    loop.stop();
    loop.run_forever();
}

TEST_CASE("a signal handler may remove itself as it dies") {
    EventLoop loop;
    auto held = std::make_shared<AtEnd>([&] { loop.remove_signal_handler(SIGUSR1); });
    loop.add_signal_handler(SIGUSR1, [held] {});
    held.reset();
    SUBCASE("the handler is removed") { CHECK(loop.remove_signal_handler(SIGUSR1)); }
    SUBCASE("the handler is replaced") {
        loop.add_signal_handler(SIGUSR1, [] {});
    }
    SUBCASE("the loop is closed") { loop.close(); }
}

TEST_CASE("a signal is not lost when its pipe is full") {
    EventLoop loop;
    for (int i = 0; i < 70'000; ++i) { // one message per turn, and the pipe is never read
        loop.call_soon_threadsafe([] {});
        loop.stop();
        loop.run_forever();
    }
    bool called = false;
    loop.add_signal_handler(SIGUSR1, [&] {
        called = true;
        loop.stop();
    });
    std::raise(SIGUSR1);
    loop.run_forever();
    CHECK(called);
}

TEST_CASE_FIXTURE(LoopTest, "an exception handler may replace itself") {
    const std::string text(40, 'x');
    loop.set_exception_handler([this, text](const auto&) {
        loop.set_exception_handler([this](const auto&) { note("second"); });
        note(text);
    });
    for (int i = 0; i < 2; ++i)
        loop.call_soon([] { throw std::runtime_error("it rains"); });
    turns(1);
    CHECK(log == Log{text, "second"});
}

// ---- Waiting ----

TEST_CASE_FIXTURE(LoopTest, "removed callbacks don't pile up") {
    const auto never = future<>();
    auto held = std::make_shared<int>();
    for (int i = 0; i < tests::in_bulk(100'000); ++i)
        never.add_done_callback([held](const auto&) {}).cancel();
    CHECK(held.use_count() == 1);
    never.add_done_callback([&](const auto&) { note("the last"); });
    never.set_result();
    turns(1);
    CHECK(log == Log{"the last"});
}

TEST_CASE_FIXTURE(LoopTest, "a stopped loop doesn't confuse cancel_all_tasks") {
    static_cast<void>(task([](EventLoop& l) -> Coroutine<> {
        co_await until_asked();
        l.stop();
        throw Cancelled{};
    }(loop)));
    turns(2);
    cancel_all_tasks(loop);
    turns(2);
    CHECK(all_tasks(loop).empty());
}

TEST_CASE_FIXTURE(LoopTest,
                  "a task that cancels all others doesn't confuse cancel_all_tasks") {
    static_cast<void>(task([](LoopTest& test) -> Coroutine<> {
        co_await until_asked();
        test.note("asked");
        co_await stage3::next_turn();
        for (const auto& one : all_tasks(test.loop))
            one->cancel({}); // itself, and every task that waits for its end
        co_await Future<>();
    }(*this)));
    turns(2);
    cancel_all_tasks(loop);
    turns(2);
    CHECK(log == Log{"asked"});
    CHECK(all_tasks(loop).empty());
}

TEST_CASE_FIXTURE(LoopTest, "of tasks that wait for each other, each is asked once") {
    const auto many = static_cast<std::size_t>(tests::in_bulk(20'000));
    const auto wait_for_another = [](const std::vector<Task<>>& all,
                                     std::size_t which) -> Coroutine<> {
        co_await all[which];
    };
    std::vector<Task<>> tasks;
    SUBCASE("newer tasks wait for older ones") {
        tasks.push_back(task(wait_for_ever()));
        while (tasks.size() < many)
            tasks.push_back(task(wait_for_another(tasks, tasks.size() - 1)));
    }
    SUBCASE("older tasks wait for newer ones") {
        while (tasks.size() < many - 1)
            tasks.push_back(task(wait_for_another(tasks, tasks.size() + 1)));
        tasks.push_back(task(wait_for_ever()));
    }
    turns(2);
    cancel_all_tasks(loop);
    const auto asked_once = [](const auto& one) {
        return one.cancelled() && one.cancelling() == 1; // not once more by each waiter
    };
    CHECK(std::ranges::count_if(tasks, asked_once) == std::ssize(tasks));
}

TEST_CASE_FIXTURE(LoopTest, "a task waiting for one that refuses to end gets its result, "
                            "even if both are asked") {
    const auto stubborn = task([]() -> Coroutine<int> {
        co_await until_asked();
        co_await stage3::next_turn();
        co_return 1;
    }());
    const auto waits = task([](Task<int> other) -> Coroutine<int> {
        const int result = co_await other;
        co_await stage3::next_turn();
        co_return result + 1;
    }(stubborn));
    turns(2);
    cancel_all_tasks(loop);
    CHECK(waits.result() == 2);
    CHECK(waits.cancelling() == 1);
}

TEST_CASE("run rethrows what its loop throws") {
    bool is_broken = false;
    stage3::LoopOptions options;
    options.clock = [&] {
        if (is_broken)
            throw std::system_error(std::make_error_code(std::errc::io_error), "clock");
        return std::chrono::steady_clock::now();
    };
    bool reported = false;
    CHECK_THROWS_AS(stage3::run(
                        [](bool& seen, bool& broken) -> Coroutine<> {
                            auto& loop = stage3::running_loop();
                            loop.set_exception_handler([&](const auto&) { seen = true; });
                            loop.call_soon([&broken] { broken = true; });
                            co_await stage3::sleep(1h);
                        }(reported, is_broken),
                        std::move(options)),
                    std::system_error);
    CHECK(reported);
}

TEST_CASE_FIXTURE(
    LoopTest,
    "gather of two throws the first exception, whichever of them it comes from") {
    for (const bool first : {true, false}) {
        auto slow = task([]() -> Coroutine<int> {
            co_await stage3::sleep(1h);
            co_return 1;
        }());
        const auto failing = task(fail_later());
        const Future<int> one = first ? Future<int>(failing) : Future<int>(slow);
        const Future<int> two = first ? Future<int>(slow) : Future<int>(failing);
        CHECK_THROWS_WITH_AS(run(stage3::gather(one, two)), "it rains",
                             std::runtime_error);
        slow.cancel();
        turns(2);
    }
}

TEST_CASE_FIXTURE(
    LoopTest,
    "a gather that is cancelled throws the exception with which a child answers") {
    // asyncio's does the same.
    auto child = task([]() -> Coroutine<int> {
        co_await until_asked();
        throw std::runtime_error("not now");
        co_return 0;
    }());
    auto all = task(stage3::gather(std::vector<Future<int>>(1, child)));
    turns(2);
    all.cancel();
    turns(4);
    CHECK_THROWS_WITH_AS(all.result(), "not now", std::runtime_error);
}

TEST_CASE_FIXTURE(LoopTest, "a gather that has ended cancels no other child") {
    // asyncio's does the same.
    const auto failing = future<int>();
    const auto sibling = future<int>();
    auto all = task(stage3::gather(std::vector<Future<int>>{failing, sibling}));
    turns(1);
    failing.set_exception(std::runtime_error("it rains"));
    turns(1);
    all.cancel();
    turns(2);
    CHECK(all.cancelled());
    CHECK_FALSE(sibling.done());
}

TEST_CASE_FIXTURE(LoopTest, "a failure that reaches a cancelled task counts as seen") {
    {
        const auto inner = task(fail_later());
        auto outer = task([](Task<int> t) -> Coroutine<> { co_await t; }(inner));
        turns(2); // inner has failed
        outer.cancel();
        turns(2);
        CHECK(outer.cancelled());
    }
    CHECK(reports.empty());
}

TEST_CASE_FIXTURE(LoopTest,
                  "an exception that is thrown again and again keeps a short traceback") {
    const auto rethrow = [](std::exception_ptr exception) -> Coroutine<> {
        std::rethrow_exception(exception);
        co_return;
    };
    const auto t = task([](decltype(rethrow) again) -> Coroutine<> {
        const auto exception = std::make_exception_ptr(std::runtime_error("it rains"));
        for (int i = 0; i < 1000; ++i) {
            try {
                co_await again(exception);
            } catch (const std::runtime_error&) { // NOLINT(bugprone-empty-catch)
            }
        }
        std::rethrow_exception(exception);
    }(rethrow));
    turns(1);
    CHECK_THROWS_AS(t.result(), std::runtime_error);
    CHECK(t.traceback().size() <= 100);
}

TEST_CASE_FIXTURE(LoopTest, "a long chain of tasks, each awaiting the one before, ends") {
    const int many =
        tests::in_bulk(50'000); // would take minutes if each wait looked at all
    std::vector<Task<int>> tasks{task([]() -> Coroutine<int> {
        co_await stage3::sleep(1s);
        co_return 1;
    }())};
    for (int i = 0; i < many; ++i) {
        tasks.push_back(task([](Task<int> before) -> Coroutine<int> {
            const int value = co_await before;
            co_return value + 1;
        }(tasks.back())));
        if (i % 1000 == 0)
            turns(1);
    }
    CHECK(stage3::run_until_complete<int>(loop, tasks.back()) == many + 1);
}
