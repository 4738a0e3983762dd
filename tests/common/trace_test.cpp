#include "common/trace/place.h"
#include "common/trace/trace.h"
#include "tests/support/prelude.h"
#include "tests/support/trace_file.h"

#include <source_location>

namespace {

/// What is written of what `act` tells the tracer, without times, which no test can
/// predict.
std::vector<std::string> events_of(const std::function<void(common::Tracer&)>& act,
                                   const std::string& program = "test") {
    const tests::TraceFile file;
    {
        common::Tracer tracer = file.tracer(program);
        act(tracer);
    }
    std::vector<std::string> events;
    for (const std::string& line : file.lines()) {
        CHECK(line.starts_with("{\"t\":"));
        events.push_back("{" + line.substr(line.find(',') + 1));
    }
    return events;
}

/// A line of this file, as JSON.
std::string here(const std::source_location& at) {
    return fmt::format(R"("tests/common/trace_test.cpp:{}")", at.line());
}

std::source_location other_place() { return std::source_location::current(); }

} // namespace

TEST_CASE("every event becomes one line of JSON") {
    const auto at = std::source_location::current();
    const auto events = events_of(
        [&](common::Tracer& tracer) {
            CHECK(tracer.enabled());
            tracer.fetch_start(1, "http://h/\"", 5);
            tracer.watch_add(5, common::Events::read | common::Events::write, "connected",
                             at);
            tracer.select(30s, 2);
            tracer.awake(1);
            tracer.ready({5, common::Events::read | common::Events::write, 0});
            {
                const common::Tracer::CallbackRuns runs(tracer, "connected", at, 5);
                tracer.watch_remove(5, common::Events::read);
            }
            {
                const common::Tracer::CallbackRuns runs(tracer, "timer", at);
            }
            tracer.select(std::nullopt, 0);
            tracer.fetch_end(1, "http://h/", {.status = 301, .bytes = 12, .next = "/x"});
            tracer.fetch_end(2, "http://h/x", {.error = "refused"});
        },
        "stage1");
    const auto callback = [&](const char* phase, const char* name, const char* more) {
        return fmt::format(
            R"({{"turn":1,"event":"callback","phase":"{}","name":"{}","at":{}{}}})",
            phase, name, here(at), more);
    };
    const std::string watch = R"({"turn":0,"event":"watch","phase":"add","fd":5,)"
                              R"("events":"read|write","name":"connected","at":)"
                              + here(at) + "}";
    const std::string fetched =
        R"({"turn":2,"event":"fetch","phase":"end","id":1,)"
        R"("url":"http://h/","status":301,"bytes":12,"next":"/x"})";
    const std::string failed =
        R"({"turn":2,"event":"fetch","phase":"end","id":2,)"
        R"("url":"http://h/x","status":null,"bytes":0,"error":"refused"})";
    const std::vector<std::string> expected{
        R"({"turn":0,"event":"trace","version":2,"program":"stage1"})",
        R"({"turn":0,"event":"fetch","phase":"start","id":1,"url":"http://h/\"","fd":5})",
        watch,
        R"({"turn":1,"event":"select","timeout_ms":30000,"fds":2})",
        R"({"turn":1,"event":"awake","ready":1})",
        R"({"turn":1,"event":"ready","fd":5,"events":"read|write"})",
        callback("begin", "connected", R"(,"fd":5)"),
        R"({"turn":1,"event":"watch","phase":"remove","fd":5,"events":"read"})",
        callback("end", "connected", ""),
        callback("begin", "timer", ""),
        callback("end", "timer", ""),
        R"({"turn":2,"event":"select","timeout_ms":null,"fds":0})",
        fetched,
        failed,
        R"({"turn":2,"event":"end","whole":true})",
    };
    CHECK(events == expected);
}

TEST_CASE("a callback that throws still gets an end event") {
    const auto at = std::source_location::current();
    const auto events = events_of([&](common::Tracer& tracer) {
        try {
            const common::Tracer::CallbackRuns runs(tracer, "breaks", at);
            throw std::runtime_error("it did");
        } catch (const std::runtime_error&) {
            // Inside a handler, no exception is in flight.
            const common::Tracer::CallbackRuns runs(tracer, "mends", at);
            const common::Tracer::CallbackRuns unnamed(tracer, "", at); // isn't recorded
        }
    });
    REQUIRE(events.size() == 6);
    CHECK(events[2].ends_with(here(at) + R"(,"threw":true})"));
    CHECK(events[4].ends_with(here(at) + "}"));
}

TEST_CASE("tasks and futures get new numbers when an address is reused") {
    const int a_task = 0;
    const int another_task = 0;
    const int a_future = 0;
    const auto one = std::source_location::current();
    const auto line = std::source_location::current();
    const auto other = other_place();
    const std::vector<common::Place> chain{
        {.function = one, .line = line},
        {.function = other, .line = other}}; // it has only begun: its line isn't known
    const std::string file_only = R"("tests/common/trace_test.cpp")";
    const std::string test = R"("name":")" + common::short_name(one.function_name())
                             + R"(","at":)" + here(line);
    const std::string inner = R"("name":"other_place","at":)" + file_only;
    const auto events = events_of([&](common::Tracer& tracer) {
        tracer.task_new(&a_task, "worker 1", chain[1]);
        tracer.task_new(&another_task, "", chain[1]);
        tracer.coroutine_call(&a_task, chain[0], chain[1]);
        for (int i = 0; i < 2; ++i) { // the second time, it is another future
            tracer.future_met(&a_future);
            tracer.task_suspend(&a_task, &a_future, chain);
            tracer.future_met(&a_future); // known: not recorded again
            tracer.task_suspend(&another_task, &a_future, {});
            tracer.future_end(&a_future, "resolve");
            tracer.future_end(&a_future, "resolve"); // likewise
            tracer.task_step(&a_task);
        }
        tracer.future_new(&a_future, other);
        tracer.future_new(&a_future, other); // the other one is gone
        tracer.future_end(&a_future, "fail", 7);
        tracer.coroutine_return(&a_task, chain[0], chain[1]);
        tracer.task_cancel(&a_task);
        tracer.task_suspend(&a_task, nullptr, {});
        tracer.future_end(&another_task, "cancel", 0); // it's a future, too
        tracer.task_done(&another_task, "cancelled");
        tracer.task_new(&another_task, "", chain[1]);
    });
    std::vector<std::string> expected;
    const auto expect = [&](const char* name, const std::string& rest) {
        expected.push_back(
            fmt::format(R"({{"turn":0,"event":"{}","phase":{}}})", name, rest));
    };
    expected.emplace_back(R"({"turn":0,"event":"trace","version":2,"program":"test"})");
    const std::string of_other = R"("function":"other_place","at":)" + file_only;
    expect("task", R"("new","id":1,"name":"worker 1",)" + of_other);
    expect("task", R"("new","id":2,"name":"other_place",)" + of_other);
    expect("coroutine", R"("call","task":1,)" + inner + R"(,"from":)" + here(line));
    for (const char* id : {"3", "4"}) {
        const std::string future = std::string(R"("id":)") + id;
        const std::string awaiting = std::string(R"("awaiting":)") + id;
        expect("future", R"("new",)" + future);
        expect("task", fmt::format(R"("suspend","id":1,{},"chain":[{{{}}},{{{}}}])",
                                   awaiting, test, inner));
        expect("task", R"("suspend","id":2,)" + awaiting + R"(,"chain":[])");
        expect("future", R"("resolve",)" + future + R"(,"waiters":2)");
        expect("task", R"("step","id":1)");
    }
    expect("future", R"("new","id":5,"at":)" + here(other));
    expect("future", R"("new","id":6,"at":)" + here(other));
    expect("future", R"("fail","id":6,"waiters":7)");
    expect("coroutine", R"("return","task":1,)" + inner + R"(,"from":)" + here(line));
    expect("task", R"("cancel","id":1)");
    expect("task", R"("suspend","id":1,"chain":[])");
    expect("future", R"("cancel","id":2,"waiters":0)");
    expect("task", R"("done","id":2,"outcome":"cancelled")");
    expect("task", R"("new","id":7,"name":"other_place",)" + of_other);
    expected.emplace_back(R"({"turn":0,"event":"end","whole":true})");
    CHECK(events == expected);
}

TEST_CASE("a scheduled call keeps one number from its scheduling until it runs") {
    const auto at = std::source_location::current();
    const int task = 0;
    const int call = 0;
    const int timer = 0;
    const auto events = events_of([&](common::Tracer& tracer) {
        tracer.task_new(&task, "", {.function = at, .line = at});
        tracer.schedule_task(&task);
        for (int i = 0; i < 2; ++i) { // the second time, the address is another call's
            tracer.schedule_call(&call, "soon", at);
            tracer.timer_set(&timer, "later", at, 1500us);
        }
        tracer.timer_due(&timer);
        for (const void* runs : {&call, &timer}) {
            const common::Tracer::CallbackRuns run(tracer, "runs", at, -1, runs);
        }
        tracer.timer_set(&timer, "later", at, 0s);
        tracer.timer_cancel(&timer);
        tracer.timer_cancel(&timer); // recorded once
        tracer.timer_set(&timer, "later", at, 0s);
        tracer.timer_due(&timer);
        tracer.schedule_call(&timer, "soon", at); // another one, at the same address
        tracer.schedule_cancel(&timer);
        tracer.schedule_cancel(&timer); // recorded once
        // Called for a descriptor, so it wasn't scheduled.
        tracer.schedule_call(&call, "soon", at);
        const common::Tracer::CallbackRuns run(tracer, "runs", at, 7, &call);
    });
    std::vector<std::string> expected;
    const auto expect = [&](const std::string& rest) {
        expected.push_back(R"({"turn":0,"event":)" + rest + "}");
    };
    const auto what = [&](const char* name) {
        return fmt::format(R"("name":"{}","at":{})", name, here(at));
    };
    expect(R"("schedule","task":1)");
    expect(R"("schedule","call":2,)" + what("soon"));
    expect(R"("timer","phase":"set","call":3,)" + what("later") + R"(,"in_ms":1.500)");
    expect(R"("schedule","call":4,)" + what("soon"));
    expect(R"("timer","phase":"set","call":5,)" + what("later") + R"(,"in_ms":1.500)");
    expect(R"("timer","phase":"due","call":5)");
    for (const char* number : {"4", "5"}) {
        expect(R"("callback","phase":"begin",)" + what("runs") + R"(,"call":)" + number);
        expect(R"("callback","phase":"end",)" + what("runs"));
    }
    expect(R"("timer","phase":"set","call":6,)" + what("later") + R"(,"in_ms":0.000)");
    expect(R"("timer","phase":"cancel","call":6)");
    expect(R"("timer","phase":"set","call":7,)" + what("later") + R"(,"in_ms":0.000)");
    expect(R"("timer","phase":"due","call":7)");
    expect(R"("schedule","call":8,)" + what("soon"));
    expect(R"("schedule","phase":"cancel","call":8)");
    expect(R"("schedule","call":9,)" + what("soon"));
    expect(R"("callback","phase":"begin",)" + what("runs") + R"(,"fd":7)");
    expect(R"("callback","phase":"end",)" + what("runs"));
    expect(R"("end","whole":true)");
    REQUIRE(events.size() == expected.size() + 2);
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(events[i + 2] == expected[i]);
}

TEST_CASE("a destroyed task no longer counts as a waiter") {
    const int task = 0;
    const int other = 0;
    const int shared = 0;
    const int own = 0;
    const auto at = std::source_location::current();
    const auto events = events_of([&](common::Tracer& tracer) {
        for (const void* one : {&task, &other}) {
            tracer.task_new(one, "", {.function = at, .line = at});
            tracer.future_met(&shared);
            tracer.task_suspend(one, &shared, {});
        }
        tracer.task_done(&task, "destroyed");
        tracer.future_end(&shared, "resolve");
        tracer.task_step(&other);
        tracer.future_met(&own);
        tracer.task_suspend(&other, &own, {});
        tracer.task_done(&other, "destroyed");
        tracer.future_met(&own); // that one is gone: this is another
    });
    std::vector<std::string> futures;
    for (const std::string& event : events)
        if (const auto found = event.find(R"("future",)"); found != std::string::npos)
            futures.push_back(event.substr(found));
    CHECK(futures
          == std::vector<std::string>{R"("future","phase":"new","id":2})",
                                      R"("future","phase":"resolve","id":2,"waiters":1})",
                                      R"("future","phase":"new","id":4})",
                                      R"("future","phase":"new","id":5})"});
}

TEST_CASE("a fetch records the innermost of the running tasks") {
    const int outer = 0;
    const int inner = 0;
    const auto at = std::source_location::current();
    const auto events = events_of([&](common::Tracer& tracer) {
        tracer.task_new(&outer, "", {.function = at, .line = at});
        tracer.task_new(&inner, "", {.function = at, .line = at});
        tracer.fetch_start(1, "");
        tracer.task_step(&outer);
        tracer.task_step(&inner);
        tracer.fetch_start(2, "");
        tracer.task_suspend(&inner, nullptr, {});
        tracer.fetch_start(3, "");
        tracer.task_done(&outer, "returned");
        tracer.fetch_start(4, "");
    });
    std::vector<std::string> ends;
    for (const std::string& event : events)
        if (const auto url = event.find(R"("url":"")"); url != std::string::npos)
            ends.push_back(event.substr(url));
    CHECK(ends
          == std::vector<std::string>{R"("url":""})", R"("url":"","task":2})",
                                      R"("url":"","task":1})", R"("url":""})"});
}

TEST_CASE("a queue's events record the item, the future and the queue's state") {
    const int future = 0;
    const auto events = events_of([&](common::Tracer& tracer) {
        const common::Tracer::Queue queue{.id = tracer.new_id(),
                                          .size = 2,
                                          .unfinished = 3,
                                          .getters = 4,
                                          .putters = 5};
        tracer.future_met(&future);
        tracer.queue({.phase = "hand_over", .item = "\"", .future = &future}, queue);
        tracer.queue({.phase = "join"}, queue);
    });
    REQUIRE(events.size() == 5);
    const std::string stands = R"("size":2,"unfinished":3,"getters":4,"putters":5})";
    CHECK(events[2]
          == R"({"turn":0,"event":"queue","phase":"hand_over","queue":1,"item":"\"",)"
             R"("future":2,)"
                 + stands);
    CHECK(events[3] == R"({"turn":0,"event":"queue","phase":"join","queue":1,)" + stands);
}

TEST_CASE("a tracer that is off does nothing") {
    common::Tracer tracer;
    CHECK_FALSE(tracer.enabled());
    tracer.select(1s, 1);
    tracer.fetch_start(1, "http://h/");
}

TEST_CASE("a trace file that can't be written is an error that names it") {
    CHECK_THROWS_WITH_AS(common::Tracer("/no/such/folder/trace", "test"),
                         doctest::Contains("/no/such/folder/trace"), std::system_error);
}

TEST_CASE("a full disk ends the trace but not the program") {
    for (const int events : {1, 10'000}) {
        common::Tracer tracer("/dev/full", "test");
        for (int i = 0; i < events; ++i)
            tracer.fetch_start(1, "http://h/");
        CHECK(tracer.enabled() == (events == 1)); // a single event is still in the buffer
        CHECK(tracer.close() == std::errc::no_space_on_device);
        CHECK_FALSE(tracer.enabled());
    }
    const tests::TraceFile file;
    common::Tracer tracer = file.tracer();
    tracer.fetch_start(1, "http://h/");
    CHECK_FALSE(tracer.close());
    CHECK(file.lines().size() == 3); // with a first and a last line
    tracer.fetch_start(2, "http://h/");
    CHECK_FALSE(tracer.close());
    CHECK(file.lines().size() == 3);
}

TEST_CASE("no text breaks out of a JSON string") {
    CHECK(common::json_string("a\"b\\c") == R"("a\"b\\c")");
    CHECK(common::json_string("\n\x1b\x7f") == R"("\u000a\u001b\u007f")");
    CHECK(common::json_string("\xc3\xa9") == "\"\xc3\xa9\"");
}
