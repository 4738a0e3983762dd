// Which of asyncio's promises stage 2's Task keeps, by their numbers K1, K2 ... in
// tests/stage3/runtime/conformance.txt, and which it doesn't ("not K1").
#include "stage2_coroutines/task.h"
#include "tests/support/prelude.h"
#include "tests/support/trace_file.h"

#include <regex>

using namespace stage2;
using Log = std::vector<std::string>;

namespace {

/// Waits for both futures, one after the other, by yielding them.
Coroutine<> wait_for_two(FuturePtr a, FuturePtr b, Log& log) {
    log.emplace_back("begun");
    log.push_back(co_yield a);
    log.push_back(co_yield b);
    log.emplace_back("ended");
}

Coroutine<std::string> shout(FuturePtr word) {
    const std::string result = co_await word;
    co_return result + "!";
}

/// Waits for both by awaiting, one directly and one through another coroutine.
Coroutine<> await_two(FuturePtr a, FuturePtr b, Log& log) {
    log.push_back(co_await a);
    log.push_back(co_await shout(b));
}

Coroutine<> fail_after(FuturePtr future) {
    co_await future;
    throw std::runtime_error("no more");
}

Coroutine<> call_fail_after(FuturePtr future) { co_await fail_after(future); }

/// Writes into the log when its frame is destroyed.
Coroutine<> mourned(FuturePtr future, Log& log) {
    struct Mourner {
        explicit Mourner(Log& l) : log(l) {}
        ~Mourner() { log.emplace_back("died"); }
        Mourner(const Mourner&) = delete;
        Mourner& operator=(const Mourner&) = delete;
        Log& log;
    };
    const Mourner mourner(log);
    co_await future;
    log.emplace_back("resumed");
}

// One caller, and two ways to get a word: a function that returns a future ...
FuturePtr word_from_future(FuturePtr source) { return source; }
// ... and a coroutine.
Coroutine<std::string> word_from_coroutine(FuturePtr source) {
    const std::string word = co_await source;
    co_return word + " by way of a coroutine";
}

template <class GetWord>
Coroutine<> use_word(GetWord get_word, FuturePtr source, Log& log) {
    log.push_back(co_await get_word(source));
}

template <class T>
concept CanBeAwaited = requires(T& task) {
    task.result();
    task.add_done_callback([](const Future&) {});
};
template <class T>
concept TaskCanBeCancelled = requires(T& task) { task.cancel(); };

FuturePtr pending() { return std::make_shared<Future>(); }

struct Fixture {
    common::Tracer tracer;
    FuturePtr a = pending();
    FuturePtr b = pending();
    Log log;
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "K2: each step runs up to the next future, or to the end") {
    const Task task(wait_for_two(a, b, log), tracer);
    CHECK(log == Log{"begun"});
    a->set_result("A");
    CHECK(log == Log{"begun", "A"});
    CHECK_FALSE(task.done());
    b->set_result("B");
    CHECK(log == Log{"begun", "A", "B", "ended"});
    CHECK(task.done());
}

TEST_CASE_FIXTURE(Fixture, "a function may become a coroutine behind its caller's back") {
    const Task first(use_word(word_from_future, a, log), tracer);
    const Task second(use_word(word_from_coroutine, a, log), tracer);
    a->set_result("word");
    CHECK(log == Log{"word", "word by way of a coroutine"});
}

TEST_CASE_FIXTURE(Fixture, "two tasks can wait for one future and resume in order") {
    const Task first(await_two(a, b, log), tracer);
    const Task second(await_two(a, b, log), tracer);
    a->set_result("A");
    CHECK(log == Log{"A", "A"});
    b->set_result("B");
    CHECK(log == Log{"A", "A", "B!", "B!"});
    CHECK(first.done());
    CHECK(second.done());
}

TEST_CASE_FIXTURE(Fixture, "a task that is destroyed takes its coroutine with it") {
    {
        const Task task(mourned(a, log), tracer);
        CHECK(log.empty());
    }
    CHECK(log == Log{"died"});
    a->set_result("too late"); // the task is gone, and nothing happens
    CHECK(log == Log{"died"});
}

TEST_CASE_FIXTURE(Fixture, "an exception from a coroutine comes with its traceback") {
    const Task task(call_fail_after(a), tracer);
    const auto chain = task.chain(); // where its coroutines wait
    REQUIRE(chain.size() == 2);
    CHECK(common::short_name(chain[0].function.function_name()) == "call_fail_after");
    CHECK(common::short_name(chain[1].function.function_name()) == "fail_after");
    try {
        a->set_result("");
        FAIL("nothing was thrown");
    } catch (const TaskFailed& failure) {
        CHECK_THROWS_WITH(failure.rethrow_nested(), "no more");
        const std::string way = failure.what();
        CAPTURE(way);
        CHECK(way.find("  call_fail_after, waiting at task_test.cpp:") == 0);
        CHECK(way.find("\n  fail_after, resumed at task_test.cpp:") != std::string::npos);
        const std::string text = describe(failure);
        CHECK(text.ends_with("\nno more"));
    }
    CHECK(task.done());
}

TEST_CASE_FIXTURE(Fixture, "a task list owns its tasks and drops those that are done") {
    stage2::TaskList tasks(tracer);
    std::vector<std::weak_ptr<Future>> futures;
    for (int i = 0; i < 1000; ++i) {
        const FuturePtr future = pending();
        futures.push_back(future);
        tasks.start(mourned(future, log));
        future->set_result("");
    }
    CHECK(log.size() == 2000); // all were resumed and have ended
    // A frame that is gone has released its future.
    const auto gone = std::ranges::count_if(
        futures, [](const auto& future) { return future.expired(); });
    CHECK(gone > 500);
    const FuturePtr last = pending();
    const auto before = log.size();
    {
        stage2::TaskList others(tracer);
        others.start(mourned(last, log));
    }
    CHECK(log.size() == before + 1);
}

TEST_CASE_FIXTURE(Fixture, "a task may start so many others that its list is swept") {
    stage2::TaskList tasks(tracer);
    tasks.start([](stage2::TaskList& list, FuturePtr future, Log& l) -> Coroutine<> {
        co_await future;
        for (int i = 0; i < 100; ++i) // while this one is running
            list.start([](Log& ended) -> Coroutine<> {
                ended.emplace_back("ended");
                co_return;
            }(l));
    }(tasks, a, log));
    a->set_result("");
    CHECK(log.size() == 100);
}

TEST_SUITE("kept wrong on purpose") {
    TEST_CASE_FIXTURE(Fixture, "not K1: the first step is taken in the constructor") {
        log.emplace_back("before");
        const Task task(wait_for_two(a, b, log), tracer);
        log.emplace_back("after");
        CHECK(log == Log{"before", "begun", "after"}); // K1: before, after, begun
    }

    TEST_CASE_FIXTURE(Fixture, "not K5: the task resumes inside set_result") {
        const Task task(wait_for_two(a, b, log), tracer);
        a->set_result("A");
        log.emplace_back("after");
        CHECK(log == Log{"begun", "A", "after"}); // K5: begun, after, A
    }

    TEST_CASE_FIXTURE(Fixture, "not K4: an exception in a task comes out of set_result") {
        const Task task(fail_after(a), tracer);
        CHECK_THROWS_AS(a->set_result(""), TaskFailed); // K4: nothing is thrown here
    }

    TEST_CASE_FIXTURE(Fixture,
                      "not F21: a task that awaits a future that is done never resumes") {
        a->set_result("A");
        const Task task(await_two(a, b, log), tracer);
        CHECK(log.empty()); // F21: it continues at once
        CHECK_FALSE(task.done());
    }

    TEST_CASE("not K6, K7, K10: a task can't be awaited or cancelled") {
        CHECK_FALSE(CanBeAwaited<Task>);
        CHECK_FALSE(TaskCanBeCancelled<Task>);
    }
}

TEST_CASE_FIXTURE(Fixture, "a trace records calls, returns and how each task ends") {
    const tests::TraceFile file;
    {
        common::Tracer traced = file.tracer();
        const Task task(await_two(a, b, log), traced);
        const Task dropped(await_two(pending(), b, log), traced);
        CHECK_THROWS_AS(
            [&] {
                const Task failing(call_fail_after(a), traced);
                a->set_result("");
            }(),
            TaskFailed);
        b->set_result("");
    }
    const std::regex told(
        R"re(.*"phase":"(call|return|done)","(?:task|id)":(\d+),"(?:name|outcome)":"(\w+)".*)re");
    Log events;
    std::smatch found;
    for (const std::string& line : file.lines())
        if (std::regex_match(line, found, told))
            events.push_back(found[1].str() + " " + found[2].str() + " "
                             + found[3].str());
    const Log expected = {
        "call 5 fail_after", // awaited by the one that fails
        "call 1 shout",      // the first is resumed when `a` is there
        "return 5 fail_after", "done 5 threw",     "return 1 shout",
        "done 1 returned",     "done 3 destroyed",
    };
    CHECK(events == expected);
}
