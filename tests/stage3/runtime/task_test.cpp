// What a task promises: the rows K1 to K29 of the table in conformance.txt. The comment
// of each case names the tests of CPython (Lib/test/test_asyncio) that show the same of
// asyncio; "task" is test_tasks.py, "wf" is test_waitfor.py, "base" is
// test_base_events.py.
#include "stage3_queue_crawler/runtime/task/task.h"
#include "tests/stage3/runtime/loop_test.h"
#include "tests/support/in_bulk.h"

using namespace stage3;
using namespace tests;

namespace {

/// Notes the outcome of waiting for `future`.
Coroutine<> note_outcome(LoopTest& test, Future<int> future) {
    try {
        const int value = co_await future;
        test.note("value " + std::to_string(value));
    } catch (const Cancelled& cancelled) {
        test.note("cancelled " + cancelled.message);
        throw;
    } catch (const Rain&) {
        test.note("rain");
    }
}

Coroutine<int> value_of(Future<int> future) {
    const int value = co_await future;
    co_return value;
}

/// Notes when it is destroyed.
class Witness {
  public:
    Witness(LoopTest& test, std::string name) : test_(test), name_(std::move(name)) {}
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;
    ~Witness() { test_.note(name_ + " died"); }

  private:
    LoopTest& test_;
    std::string name_;
};

Coroutine<int> leaf(int value) { co_return value + 1; }

Coroutine<int> countdown(int depth) {
    if (depth == 0) {
        co_await next_turn();
        co_return 0;
    }
    const int rest = co_await countdown(depth - 1);
    co_return rest + 1;
}

Coroutine<int> fail_deep(int depth) {
    if (depth == 0) {
        co_await next_turn();
        throw Rain();
    }
    const int rest = co_await fail_deep(depth - 1);
    co_return rest;
}

} // namespace

TEST_CASE_FIXTURE(LoopTest, "K1: making a task runs nothing; its first step comes in the "
                            "next turn") {
    // task::BaseTaskTests.test_task_basics
    const auto t = task([](LoopTest& test) -> Coroutine<> {
        test.note("step");
        co_return;
    }(*this));
    loop.call_soon(noting("callback"));
    note("made");
    turns(1);
    CHECK(log == Log{"made", "step", "callback"});
}

TEST_CASE_FIXTURE(LoopTest,
                  "K2: a step runs until the task waits for a future that is not done") {
    // task::BaseTaskTests.test_step_result_future
    const auto done = future<int>();
    done.set_result(1);
    const auto pending = future<int>();
    const auto t = task([](LoopTest& test, Future<int> a, Future<int> b) -> Coroutine<> {
        co_await a;
        test.note("over the first");
        co_await b;
        test.note("over the second");
    }(*this, done, pending));
    turns(1);
    CHECK(log == Log{"over the first"});
    turns(5);
    CHECK(log == Log{"over the first"});
    pending.set_result(2);
    turns(1);
    CHECK(log == Log{"over the first", "over the second"});
    CHECK(t.done());
}

TEST_CASE_FIXTURE(LoopTest, "K3: awaiting a coroutine does not go through the loop") {
    const auto a = task([](LoopTest& test) -> Coroutine<> {
        int value = 0;
        for (int i = 0; i < 1000; ++i)
            value = co_await leaf(value);
        test.note(std::to_string(value));
    }(*this));
    loop.call_soon(noting("next"));
    turns(1);
    CHECK(log == Log{"1000", "next"});
    CHECK(a.done());
}

TEST_CASE_FIXTURE(LoopTest, "K3: a million completions don't grow the stack") {
    const auto low = std::make_shared<const char*>(nullptr);
    const auto t = task([](std::shared_ptr<const char*> lowest) -> Coroutine<int> {
        const auto probe = [](const char*& deepest) -> Coroutine<int> {
            const volatile char here = 0;
            static_cast<void>(here);
            const auto* const frame =
                static_cast<const char*>(__builtin_frame_address(0));
            if (deepest == nullptr || frame < deepest)
                deepest = frame;
            co_return 1;
        };
        int sum = co_await probe(*lowest);
        const char* const first = *lowest;
        for (int i = 1; i < tests::in_bulk(1'000'000); ++i)
            sum += co_await probe(*lowest);
        CHECK(first - *lowest == 0);
        co_return sum;
    }(low));
    turns(1);
    CHECK(t.result() == tests::in_bulk(1'000'000));
}

TEST_CASE_FIXTURE(LoopTest,
                  "K3: a chain of 100,000 coroutines ends, throws and is dropped") {
    const int deep = tests::in_bulk(100'000);
    CHECK(run(countdown(deep)) == deep);
    CHECK_THROWS_AS(run(fail_deep(deep)), Rain);

    const auto t = task(countdown(deep));
    turns(1);
    CHECK(t.chain().size() == static_cast<std::size_t>(deep) + 1);
    loop.close();
    REQUIRE(reports.size() == 1);
    const std::string more = "... and " + std::to_string(deep - 99) + " more ...";
    CHECK(describe(reports[0]).find(more) != std::string::npos);
}

TEST_CASE_FIXTURE(LoopTest, "K4: a task ends with what its coroutine returns or throws") {
    // task::BaseTaskTests.test_task_basics, .test_exception_traceback
    const auto a = task(leaf(6));
    const auto b = task([]() -> Coroutine<int> {
        co_await next_turn();
        throw Rain();
    }());
    turns(2); // the exception does not come out of the loop
    CHECK(a.result() == 7);
    CHECK_THROWS_AS(b.result(), Rain);
}

TEST_CASE_FIXTURE(LoopTest, "K5: a task resumes one turn after its future is done") {
    const auto f = future<int>();
    const auto t = task(note_outcome(*this, f));
    turns(1);
    loop.call_soon([&] {
        f.set_result(1);
        note("set");
    });
    turns(1);
    CHECK(log == Log{"set"});
    turns(1);
    CHECK(log == Log{"set", "value 1"});
}

TEST_CASE_FIXTURE(LoopTest, "K6: no one else can set a task's result") {
    // task::BaseTaskTests.test_task_set_methods
    const auto t = task(leaf(1));
    const Future<int>& as_future = t;
    CHECK_THROWS_AS(as_future.set_result(1), stage3::InvalidState);
    CHECK_THROWS_AS(as_future.set_exception(Rain()), stage3::InvalidState);
    CHECK_THROWS_AS(as_future.set_result_unless_done(1), stage3::InvalidState);
    turns(1);
    CHECK(t.result() == 2);
}

TEST_CASE_FIXTURE(LoopTest, "K7: a task is a future: others can await it") {
    // task::BaseTaskTests.test_ensure_future_task
    const auto inner = task(countdown(1));
    inner.add_done_callback(
        [&](const auto& done) { note("callback " + std::to_string(done.result())); });
    const auto a = task(note_outcome(*this, inner));
    const auto b = task(note_outcome(*this, inner));
    turns(3);
    CHECK(log == Log{"callback 1", "value 1", "value 1"});
}

TEST_CASE_FIXTURE(LoopTest, "K8: a task can't await itself") {
    // task::BaseTaskTests.test_task_awaits_on_itself
    auto f = future<int>();
    std::optional<Task<int>> self;
    self = task([](std::optional<Task<int>>& me) -> Coroutine<int> {
        const int value = co_await *me;
        co_return value;
    }(self));
    turns(1);
    CHECK_THROWS_WITH_AS(self->result(), doctest::Contains("can't await itself"),
                         std::logic_error);
}

TEST_CASE_FIXTURE(LoopTest, "K8: a task can't await one that waits for it") {
    // asyncio doesn't look that far, and hangs.
    std::vector<Task<int>> tasks;
    const auto wait_for_number = [](std::vector<Task<int>>& all,
                                    std::size_t i) -> Coroutine<int> {
        const int value = co_await all[i];
        co_return value;
    };
    tasks.push_back(task(wait_for_number(tasks, 1)));
    tasks.push_back(task(wait_for_number(tasks, 2)));
    tasks.push_back(task(wait_for_number(tasks, 0)));
    turns(4);
    for (const auto& t : tasks)
        CHECK_THROWS_AS(t.result(), std::logic_error);
}

TEST_CASE_FIXTURE(LoopTest, "K9: a future of another loop is refused") {
    // task::BaseTaskTests.test_other_loop_future
    stage3::EventLoop other;
    const auto t = task(value_of(Future<int>(other)));
    turns(1);
    CHECK_THROWS_WITH_AS(t.result(), doctest::Contains("another event loop"),
                         std::logic_error);
}

TEST_CASE_FIXTURE(LoopTest, "K10: cancel only asks") {
    // task::BaseTaskTests.test_cancel
    auto t = task(note_outcome(*this, future<int>()));
    turns(1);
    CHECK(t.cancel());
    CHECK_FALSE(t.cancelled());
    CHECK_FALSE(t.done());
    turns(1);
    CHECK(t.cancelled());
}

TEST_CASE_FIXTURE(LoopTest, "K11: cancel cancels the future that the task waits for, and "
                            "a turn later Cancelled is thrown") {
    // task::BaseTaskTests.test_cancel_inner_future, .test_task_cancel_waiter_future
    const auto f = future<int>();
    auto a = task(note_outcome(*this, f));
    const auto b = task(note_outcome(*this, f));
    turns(1);
    a.cancel("enough");
    CHECK(f.cancelled());
    CHECK(log.empty());
    turns(1);
    CHECK(log == Log{"cancelled enough", "cancelled enough"}); // b waits for it, too
    CHECK(a.cancelled());
    CHECK(b.cancelled());
}

TEST_CASE_FIXTURE(LoopTest, "K12: a task that waits for a task passes the request on") {
    // task::BaseTaskTests.test_cancel_awaited_task, .test_yield_future_passes_cancel
    const auto inner = task([](LoopTest& test) -> Coroutine<int> {
        const Witness witness(test, "inner");
        co_await Future<>();
        co_return 1;
    }(*this));
    auto outer = task(note_outcome(*this, inner));
    turns(2);
    CHECK(outer.cancel("enough"));
    turns(1);
    CHECK(inner.cancelled());
    CHECK_FALSE(outer.done());
    turns(1);
    CHECK(outer.cancelled());
    CHECK(log == Log{"inner died", "cancelled enough"});
}

TEST_CASE_FIXTURE(LoopTest,
                  "K13: if the inner task refuses, the outer one gets its value") {
    const auto inner = task([]() -> Coroutine<int> {
        co_await until_asked();
        co_return 7;
    }());
    auto outer = task(note_outcome(*this, inner));
    turns(2);
    outer.cancel();
    turns(2);
    CHECK(log == Log{"value 7"});
    CHECK(outer.done());
    CHECK_FALSE(outer.cancelled());
}

TEST_CASE_FIXTURE(
    LoopTest,
    "K14: the body of a task that is cancelled before its first step never runs") {
    // task::BaseTaskTests.test_cancel_with_message_before_starting_task
    auto t = task([](LoopTest& test) -> Coroutine<> {
        test.note("ran");
        co_return;
    }(*this));
    t.cancel("too early");
    CHECK_FALSE(t.cancelled());
    turns(1);
    CHECK(t.cancelled());
    CHECK(log.empty());
    CHECK(request_that_ends(loop, t) == "too early");
}

TEST_CASE_FIXTURE(LoopTest, "K15: a coroutine may catch Cancelled, and return") {
    // task::BaseTaskTests.test_cancel_task_catching
    auto t = task([]() -> Coroutine<int> {
        co_await until_asked();
        co_return 42;
    }());
    turns(1);
    t.cancel();
    turns(1);
    CHECK_FALSE(t.cancelled());
    CHECK(t.result() == 42);
}

TEST_CASE_FIXTURE(LoopTest,
                  "K16: a coroutine may catch Cancelled, and wait for something else") {
    // task::BaseTaskTests.test_cancel_task_ignoring
    const auto second = future<int>();
    auto t = task([](Future<int> b) -> Coroutine<int> {
        co_await until_asked();
        co_await next_turn();
        const int value = co_await b;
        co_return value;
    }(second));
    turns(1);
    t.cancel();
    turns(3);
    CHECK_FALSE(second.cancelled());
    second.set_result(7);
    turns(1);
    CHECK(t.result() == 7);
}

TEST_CASE_FIXTURE(LoopTest,
                  "K17: a task that cancels itself gets Cancelled at its next wait") {
    // task::BaseTaskTests.test_cancel_current_task
    std::optional<Task<>> self;
    const auto f = future<int>();
    self = task([](LoopTest& test, std::optional<Task<>>& me,
                   Future<int> awaited) -> Coroutine<> {
        me->cancel();
        test.note("goes on");
        co_await awaited;
        test.note("never");
    }(*this, self, f));
    turns(2);
    CHECK(self->cancelled());
    CHECK(f.cancelled());
    CHECK(log == Log{"goes on"});

    self = task([](LoopTest& test, std::optional<Task<>>& me) -> Coroutine<> {
        me->cancel();
        co_await next_turn();
        test.note("never");
    }(*this, self));
    turns(2);
    CHECK(self->cancelled());
}

TEST_CASE_FIXTURE(LoopTest, "K18: a task that cancels itself and returns counts as "
                            "cancelled; one that throws fails") {
    // task::BaseTaskTests.test_cancel_at_end
    std::optional<Task<int>> self;
    self = task([](std::optional<Task<int>>& me) -> Coroutine<int> {
        me->cancel();
        co_return 7;
    }(self));
    turns(1);
    CHECK(self->cancelled());

    self = task([](std::optional<Task<int>>& me) -> Coroutine<int> {
        me->cancel();
        throw Rain();
        co_return 7;
    }(self));
    turns(1);
    CHECK_FALSE(self->cancelled());
    CHECK_THROWS_AS(self->result(), Rain);
}

TEST_CASE_FIXTURE(LoopTest, "K19: a task that is cancelled between result and resumption "
                            "gets Cancelled, and the future keeps the result") {
    const auto f = future<int>();
    auto t = task(note_outcome(*this, f));
    turns(1);
    f.set_result(7);
    CHECK(t.cancel("late"));
    turns(1);
    CHECK(log == Log{"cancelled late"});
    CHECK(t.cancelled());
    CHECK(f.result() == 7);
}

TEST_CASE_FIXTURE(LoopTest, "K20: a body that throws Cancelled itself cancels its task") {
    const auto t = task([]() -> Coroutine<> {
        throw Cancelled{"by itself"};
        co_return;
    }());
    turns(1);
    CHECK(t.cancelled());
}

TEST_CASE_FIXTURE(LoopTest, "K21: two requests before a task runs throw one Cancelled") {
    auto t = task([](LoopTest& test) -> Coroutine<> {
        for (int i = 0; i < 3; ++i) {
            try {
                co_await next_turn();
                test.note("turn");
            } catch (const Cancelled&) {
                test.note("cancelled");
            }
        }
    }(*this));
    turns(1);
    CHECK(t.cancel());
    CHECK(t.cancel());
    turns(3);
    CHECK(log == Log{"cancelled", "turn", "turn"});
}

TEST_CASE_FIXTURE(LoopTest, "K22: requests are counted and can be taken back") {
    // task::BaseTaskTests.test_cancelling, .test_uncancel_basic
    auto t = task([]() -> Coroutine<> { co_await Future<>(); }());
    turns(1);
    CHECK(t.cancelling() == 0);
    t.cancel();
    t.cancel();
    CHECK(t.cancelling() == 2);
    CHECK(t.uncancel() == 1);
    CHECK(t.uncancel() == 0);
    CHECK(t.uncancel() == 0);
    turns(1);
    CHECK(t.cancelled()); // the count informs, but does not stop the request
}

TEST_CASE_FIXTURE(LoopTest, "K23: a task that is done can't be cancelled") {
    // task::BaseTaskTests.test_cancel
    auto t = task(leaf(1));
    turns(1);
    CHECK_FALSE(t.cancel());
    CHECK(t.result() == 2);
}

TEST_CASE_FIXTURE(
    LoopTest,
    "K24: a task fails with another exception thrown while Cancelled is handled") {
    // wf::AsyncioWaitForTest.test_wait_for_reraises_exception_during_cancellation
    auto t = task([]() -> Coroutine<> {
        try {
            co_await Future<>();
        } catch (const Cancelled&) {
            throw Rain();
        }
    }());
    turns(1);
    t.cancel();
    turns(1);
    CHECK_FALSE(t.cancelled());
    CHECK_THROWS_AS(t.result(), Rain);
}

TEST_CASE_FIXTURE(LoopTest,
                  "K25: a message reaches every task that awaits the cancelled one") {
    // task::BaseTaskTests.test_cancel_with_message_then_future_result
    auto t = task([]() -> Coroutine<int> {
        co_await next_turn();
        co_await Future<>();
        co_return 1;
    }());
    const auto waiter = task(note_outcome(*this, t));
    turns(3);
    t.cancel("shop is closing");
    turns(2);
    CHECK(log == Log{"cancelled shop is closing"});
}

TEST_CASE_FIXTURE(LoopTest,
                  "K26: a task that is destroyed before it is done is reported") {
    // task::BaseTaskTests.test_log_destroyed_pending_task. A task is destroyed with its
    // loop at the latest.
    const auto t = stage3::create_task(
        loop,
        [](LoopTest& test) -> Coroutine<> {
            const Witness witness(test, "frame");
            co_await Future<>();
        }(*this),
        "forgotten");
    turns(1);
    loop.close();
    CHECK(log == Log{"frame died"});
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].message == "the task 'forgotten' was destroyed before it was done");
    REQUIRE(reports[0].chain.size() == 1);
    CHECK_FALSE(t.done());
}

TEST_CASE_FIXTURE(LoopTest, "K26: tasks that wait for each other and for shared futures "
                            "are destroyed with their loop") {
    const auto shared = future<int>();
    std::vector<Task<int>> tasks{task(value_of(shared)), task(value_of(shared))};
    for (int i = 0; i < 3; ++i)
        tasks.push_back(task(value_of(tasks.back())));
    for (int i = 0; i < 3; ++i)
        static_cast<void>(task(value_of(tasks[2]))); // these have no handles
    const auto not_begun = task(countdown(3));
    turns(2);
    static_cast<void>(task(leaf(1)));
    loop.close();
    CHECK(reports.size() == 9); // countdown(3) is done after two steps
    CHECK_FALSE(shared.done());
    shared.set_result(1); // the tasks that waited are gone
}

TEST_CASE_FIXTURE(LoopTest, "K26: a task without a handle continues") {
    // In asyncio it may vanish: the loop holds only weak references.
    static_cast<void>(task([](LoopTest& test) -> Coroutine<> {
        co_await stage3::sleep(1s);
        test.note("done");
    }(*this)));
    loop.call_later(2s, [&] { loop.stop(); });
    loop.run_forever();
    CHECK(log == Log{"done"});
}

TEST_CASE_FIXTURE(
    LoopTest, "K27: a failed task that is never awaited is reported with its traceback") {
    // base::BaseEventLoopTests.test_default_exc_handler_coro
    static_cast<void>(stage3::create_task(loop, fail_deep(2), "doomed"));
    turns(2);
    REQUIRE(reports.size() == 1);
    const std::string text = describe(reports[0]);
    CAPTURE(text);
    CHECK(text.starts_with("the task 'doomed' has failed, and its exception was never"));
    CHECK(text.find("fail_deep, waiting at task_test.cpp:")
          < text.find("fail_deep, resumed at task_test.cpp:"));
    CHECK(text.ends_with("\n  it rains\n"));
    CHECK(reports[0].chain.size() == 3);
}

TEST_CASE_FIXTURE(LoopTest, "K27: the traceback of an exception passes through tasks") {
    const auto failing = task(fail_deep(1));
    const auto waiting = task(value_of(failing));
    turns(4);
    const auto late = task(value_of(failing)); // it failed earlier
    turns(1);
    for (const auto& one : {waiting, late}) {
        CHECK_THROWS_AS(one.result(), Rain);
        REQUIRE(one.traceback().size() == 3);
        const std::string text = common::describe(one.traceback());
        CHECK(text.find("value_of, waiting at") < text.find("fail_deep, waiting at"));
    }
    CHECK(failing.traceback().size() == 2);
}

TEST_CASE_FIXTURE(LoopTest, "K28: current_task is the task that makes a step") {
    // task::BaseTaskTests.test_current_task_with_interleaving_tasks
    const auto named = [](LoopTest& test) -> Coroutine<> {
        for (int i = 0; i < 2; ++i) {
            test.note(stage3::current_task()->name());
            co_await next_turn();
        }
    };
    const auto a = stage3::create_task(loop, named(*this), "a");
    const auto b = stage3::create_task(loop, named(*this), "b");
    loop.call_soon([&] { note(stage3::current_task() == nullptr ? "none" : "some"); });
    turns(3);
    CHECK(log == Log{"a", "b", "none", "a", "b"});
    CHECK(stage3::current_task() == nullptr);
    b.set_name("c");
    CHECK(b.name() == "c");
}

TEST_CASE_FIXTURE(LoopTest, "K29: the place where a task waits can be asked for") {
    // task::BaseTaskTests.test_get_stack
    const auto f = future<int>();
    const auto t = task([](Future<int> awaited) -> Coroutine<int> {
        const int value = co_await value_of(awaited);
        co_return value;
    }(f));
    turns(1);
    const auto chain = t.chain();
    REQUIRE(chain.size() == 2);
    CHECK(common::short_name(chain[1].function.function_name()) == "value_of");
    CHECK(chain[0].line.line() > chain[1].line.line());
    f.set_result(1);
    turns(1);
    CHECK(t.chain().empty());
}

TEST_CASE_FIXTURE(LoopTest, "a coroutine can be awaited only once") {
    const auto t = task([]() -> Coroutine<int> {
        auto one = leaf(1);
        const int value = co_await std::move(one);
        const int again = co_await std::move(one); // NOLINT(bugprone-use-after-move)
        co_return value + again;
    }());
    turns(1);
    CHECK_THROWS_WITH_AS(t.result(), doctest::Contains("awaited before"),
                         std::logic_error);
    auto moved = leaf(1);
    const auto taken = task(std::move(moved));
    CHECK_THROWS_AS(
        static_cast<void>(task(std::move(moved))), // NOLINT(bugprone-use-after-move)
        std::logic_error);
    turns(1);
}

TEST_CASE_FIXTURE(LoopTest, "the traceback of an exception that is caught is forgotten") {
    const auto t = task([]() -> Coroutine<int> {
        bool failed = false;
        try {
            co_await fail_deep(3);
        } catch (const Rain&) {
            failed = true;
        }
        if (failed)
            throw std::logic_error("and it snows");
        co_return 1;
    }());
    turns(2);
    CHECK_THROWS_AS(t.result(), std::logic_error);
    CHECK(t.traceback().size() == 1);
}

TEST_CASE_FIXTURE(LoopTest, "a coroutine may drop the last handle to its own task") {
    auto own = std::make_shared<std::optional<Task<>>>();
    *own = task(
        [](LoopTest& test, std::shared_ptr<std::optional<Task<>>> me) -> Coroutine<> {
            const Witness witness(test, "frame");
            me->reset();
            test.note("dropped");
            co_await next_turn();
            test.note("goes on");
        }(*this, own));
    turns(2);
    CHECK(log == Log{"dropped", "goes on", "frame died"});
}
