// The rows about the queue, the fetch and the workers: see rows.txt.
#include "coroutine.h"
#include "event_loop.h"
#include "fetch.h"
#include "future.h"
#include "loop.h"
#include "queue.h"
#include "task.h"
#include "tests/exercises/track/rows.h"
#include "tests/support/scripted_server.h"
#include "tests/support/url.h"
#include "wait_for.h"
#include "workers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <string>
#include <utility>

using common::HttpResponse;
using rows::Log;
using rows::Probe;
using rows::Rain;
using rows::Row;
using rows::turn_until;
using rows::turns;
using tests::ScriptedServer;
using yours::Cancelled;
using yours::Coroutine;
using yours::EventLoop;
using yours::Future;
using yours::Loop;
using yours::Milliseconds;
using yours::Queue;
using yours::Task;

using namespace std::chrono_literals;

namespace {

bool end_of(Loop& loop, const Task& task) {
    return turn_until(loop, [&] { return task.done(); });
}

} // namespace

// ---- Queue ----------------------------------------------------------------------------

namespace {

/// Notes the item that it got, after its name.
Coroutine<> take(Queue<int>& queue, Log& log, std::string name = "") {
    const int item = co_await queue.get();
    log.note(name + std::to_string(item));
}

Coroutine<> take_three(Queue<int>& queue, Log& log) {
    for (int i = 0; i < 3; ++i)
        co_await take(queue, log);
}

Coroutine<> take_for(Loop& loop, Queue<int>& queue, Milliseconds limit, Log& log) {
    try {
        const int item = co_await wait_for(loop, queue.get(), limit);
        log.note(std::to_string(item));
    } catch (const yours::TimedOut&) {
        log.note("timeout");
    }
}

bool ends_cancelled(const Task& task) {
    try {
        task.throw_if_failed();
        return false;
    } catch (const Cancelled&) {
        return true;
    }
}

Coroutine<> join(Queue<int>& queue, Log& log) {
    co_await queue.join();
    log.note("joined");
}

} // namespace

TEST_CASE_FIXTURE(Row<EventLoop>, "Q1: the items leave in the order in which they came") {
    Queue<int> queue(loop);
    for (const int item : {3, 1, 2})
        queue.put(item);
    const Task task(loop, take_three(queue, log));
    turns(loop, 3);
    CHECK(log.text == "3 1 2 ");
}

TEST_CASE_FIXTURE(Row<EventLoop>, "Q5: get waits for an item") {
    Queue<int> queue(loop);
    const Task task(loop, take(queue, log));
    turns(loop, 3);
    CHECK(log.text.empty());
    CHECK(!task.done());
    queue.put(1);
    turns(loop, 3);
    CHECK(log.text == "1 ");
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "Q6: get does not give up control if there is an item") {
    Queue<int> queue(loop);
    for (int i = 0; i < 3; ++i)
        queue.put(1);
    const Task task(loop, take_three(queue, log));
    turns(loop, 1);
    CHECK(log.text == "1 1 1 ");
}

TEST_CASE_FIXTURE(Row<EventLoop>, "Q7: as many waiting tasks wake as there are items") {
    Queue<int> queue(loop);
    const Task a(loop, take(queue, log)), b(loop, take(queue, log));
    turns(loop, 1);
    queue.put(1);
    queue.put(2);
    turns(loop, 3);
    CHECK(a.done());
    CHECK(b.done());
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "Q8: a cancelled get leaves the line, and swallows nothing") {
    Queue<int> queue(loop);
    Task a(loop, take(queue, log, "a"));
    const Task b(loop, take(queue, log, "b"));
    turns(loop, 1);
    a.cancel();
    turns(loop, 2);
    CHECK(a.done());
    queue.put(1);
    turns(loop, 2);
    CHECK(log.text == "b1 ");
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "Q9: a get that is cancelled after it was served passes the item on") {
    Queue<int> queue(loop);
    Task a(loop, take(queue, log, "a"));
    const Task b(loop, take(queue, log, "b"));
    turns(loop, 1);
    queue.put(1);
    a.cancel();
    turns(loop, 3);
    CHECK(a.done());
    CHECK(log.text == (ends_cancelled(a) ? "b1 " : "a1 "));
}

TEST_CASE_FIXTURE(Row<EventLoop>, "Q13: waiting tasks are served in turn") {
    Queue<int> queue(loop);
    const Task a(loop, take(queue, log, "a"));
    turns(loop, 1);
    const Task b(loop, take(queue, log, "b"));
    turns(loop, 1);
    const Task c(loop, take(queue, log, "c"));
    turns(loop, 1);
    for (const int item : {1, 2, 3}) {
        queue.put(item);
        turns(loop, 2);
    }
    CHECK(log.text == "a1 b2 c3 ");
}

TEST_CASE_FIXTURE(Row<EventLoop>, "Q14: no task jumps the line") {
    Queue<int> queue(loop);
    const Task waits(loop, take(queue, log, "old"));
    turns(loop, 1);
    const Task comes(loop,
                     take(queue, log, "new")); // its turn is before that of the other
    queue.put(1);
    turns(loop, 3);
    CHECK(log.text == "old1 ");
    queue.put(2);
    turns(loop, 3);
    CHECK(log.text == "old1 new2 ");
}

TEST_CASE_FIXTURE(
    Row<EventLoop>,
    "Q15: a served get that is cancelled loses nothing if no other task waits") {
    Queue<int> queue(loop);
    Task a(loop, take(queue, log, "a"));
    turns(loop, 1);
    queue.put(1);
    a.cancel();
    turns(loop, 3);
    CHECK(a.done());
    const Task b(loop, take(queue, log, "b"));
    turns(loop, 3);
    CHECK(log.text == (ends_cancelled(a) ? "b1 " : "a1 "));
}

TEST_CASE_FIXTURE(Row<EventLoop>,
                  "Q16: the queue is fair and loses nothing at the same time") {
    Queue<int> queue(loop);
    Task a(loop, take(queue, log, "a")), b(loop, take(queue, log, "b"));
    const Task c(loop, take(queue, log, "c")), d(loop, take(queue, log, "d"));
    turns(loop, 1);
    const Task comes(loop, take(queue, log, "new"));
    queue.put(1);
    queue.put(2);
    a.cancel();
    b.cancel();
    turns(loop, 3);
    CHECK(!comes.done());
    CHECK(log.text.find('1') != std::string::npos);
    CHECK(log.text.find('2') != std::string::npos);
}

TEST_CASE_FIXTURE(
    Row<Loop>, "Q17: a get can have a time limit, and leaves the line when that is up") {
    Queue<int> queue(loop);
    const Task in_vain(loop, take_for(loop, queue, 2ms, log));
    REQUIRE(end_of(loop, in_vain));
    CHECK(log.text == "timeout ");
    const Task in_time(loop, take_for(loop, queue, 1000ms, log));
    turns(loop, 3);
    queue.put(1);
    REQUIRE(end_of(loop, in_time));
    CHECK(log.text == "timeout 1 ");
}

TEST_CASE_FIXTURE(Row<EventLoop>, "J1: join returns at once if nothing is unfinished") {
    Queue<int> queue(loop);
    const Task task(loop, join(queue, log));
    turns(loop, 1);
    CHECK(log.text == "joined ");
}

TEST_CASE_FIXTURE(
    Row<EventLoop>,
    "J3: join waits for task_done of every item, not only until they are taken") {
    Queue<int> queue(loop);
    queue.put(1);
    queue.put(2);
    const Task joining(loop, join(queue, log));
    const Task a(loop, take(queue, log)), b(loop, take(queue, log));
    turns(loop, 3);
    CHECK(a.done());
    CHECK(b.done());
    queue.task_done();
    turns(loop, 3);
    CHECK(!joining.done());
    queue.task_done();
    turns(loop, 3);
    CHECK(joining.done());
}

TEST_CASE_FIXTURE(Row<EventLoop>, "J5: task_done only counts: it needs no get") {
    Queue<int> queue(loop);
    queue.put(1);
    const Task joining(loop, join(queue, log));
    turns(loop, 2);
    CHECK(log.text.empty());
    queue.task_done();
    turns(loop, 2);
    CHECK(joining.done());
}

TEST_CASE_FIXTURE(Row<EventLoop>, "J6: all tasks that join wake when the count is 0") {
    Queue<int> queue(loop);
    queue.put(1);
    const Task a(loop, join(queue, log)), b(loop, join(queue, log));
    turns(loop, 2);
    queue.task_done();
    const Task comes_later(loop, join(queue, log));
    turns(loop, 2);
    CHECK(log.text == "joined joined joined ");
}

TEST_CASE("J7: an item that comes after the last task_done does not hold back the tasks "
          "it woke") {
    EventLoop loop;
    Log log;
    Queue<int> queue(loop);
    queue.put(1);
    const Task joining(loop, join(queue, log));
    turns(loop, 1);
    queue.task_done();
    queue.put(2);
    turns(loop, 2);
    CHECK(joining.done());
}

// ---- Fetch ----------------------------------------------------------------------------

namespace {

/// Notes what a fetch has brought.
Coroutine<> get(Loop& loop, std::string url, Milliseconds limit, HttpResponse& response,
                Log& log) {
    const common::Url parsed = tests::url_of(url);
    response = co_await fetch(loop, parsed, limit);
    log.note(response.error.empty() ? std::to_string(response.status) : "error");
}

/// What a fetch of `target` brings, without a limit that counts.
std::string fetched(Loop& loop, const std::string& url, HttpResponse& response) {
    Log log;
    const Task task(loop, get(loop, url, 60s, response, log));
    REQUIRE(end_of(loop, task));
    return log.text;
}

} // namespace

TEST_CASE("H1: fetch returns status, headers and body") {
    ScriptedServer server;
    server.on("/a?b=1", tests::html("<p>hello</p>"));
    Loop loop;
    HttpResponse response;
    CHECK(fetched(loop, server.url("/a?b=1"), response) == "200 ");
    CHECK(response.body == "<p>hello</p>");
    CHECK(response.header("Content-Type").substr(0, 9) == "text/html");
    CHECK(fetched(loop, server.url("/nothing"), response) == "404 ");
}

TEST_CASE("H2: a page that comes in pieces, or is long, is complete in the end") {
    ScriptedServer server;
    server.on("/pieces", {tests::Send{"HTTP/1.0 200 O"}, tests::Pause{5ms},
                          tests::Send{"K\r\n\r\n"}, tests::Pause{5ms},
                          tests::Send{"one "}, tests::Pause{5ms}, tests::Send{"two"}});
    const std::string long_text(300'000, 'x');
    server.on("/long", tests::html(long_text));
    Loop loop;
    HttpResponse response;
    CHECK(fetched(loop, server.url("/pieces"), response) == "200 ");
    CHECK(response.body == "one two");
    CHECK(fetched(loop, server.url("/long"), response) == "200 ");
    CHECK(response.body.size() == long_text.size());
}

TEST_CASE("H3: fetches wait side by side") {
    ScriptedServer server;
    for (const char* target : {"/a", "/b", "/c"})
        server.on(target, {tests::Meet{3, 2s}, tests::Send{"HTTP/1.0 200 OK\r\n\r\n"}});
    Loop loop;
    Log log;
    HttpResponse response[3];
    const Task a(loop, get(loop, server.url("/a"), 60s, response[0], log));
    const Task b(loop, get(loop, server.url("/b"), 60s, response[1], log));
    const Task c(loop, get(loop, server.url("/c"), 60s, response[2], log));
    REQUIRE(turn_until(loop, [&] { return a.done() && b.done() && c.done(); }));
    CHECK(server.most_at_once() == 3);
}

TEST_CASE("H4: a server that can't be reached, or breaks off, is reported in error") {
    std::string nobody_there;
    {
        const ScriptedServer gone;
        nobody_there = gone.url("/");
    }
    ScriptedServer server;
    server.on("/", {tests::Send{"HTTP/1.0 200 OK\r\n"}, tests::Reset{}});
    Loop loop;
    HttpResponse response;
    CHECK(fetched(loop, nobody_there, response) == "error ");
    CHECK(fetched(loop, server.url("/"), response) == "error ");
}

TEST_CASE("H5: a server that says nothing takes no longer than the limit") {
    ScriptedServer server;
    server.on("/", {tests::Hold{}});
    Loop loop;
    Log log;
    HttpResponse response;
    const Task task(loop, get(loop, server.url("/"), 20ms, response, log));
    REQUIRE(end_of(loop, task));
    CHECK(log.text == "error ");
    CHECK_NOTHROW(task.throw_if_failed());
}

TEST_CASE("H6: after a fetch is given up, nothing is watched") {
    ScriptedServer server;
    server.on("/silent", {tests::Hold{}});
    server.on("/", tests::html("hello"));
    Loop loop;
    Log log;
    HttpResponse response;
    const Task task(loop, get(loop, server.url("/silent"), 10ms, response, log));
    REQUIRE(end_of(loop, task));
    CHECK(log.text == "error ");
    // The kernel gives its descriptor to the next one.
    CHECK(fetched(loop, server.url("/"), response) == "200 ");
}

TEST_CASE("H7: a request to end is not a failed page: it leaves the fetch") {
    ScriptedServer server;
    server.on("/", {tests::Hold{}});
    Loop loop;
    Log log;
    HttpResponse response;
    Task task(loop, get(loop, server.url("/"), 60s, response, log));
    loop.call_later(10ms, [&] { task.cancel(); });
    REQUIRE(end_of(loop, task));
    CHECK(log.text.empty());
    CHECK_THROWS_AS(task.throw_if_failed(), Cancelled);
}

// ---- Workers --------------------------------------------------------------------------

namespace {

/// Workers, and what is known of them.
struct Work {
    Loop loop;
    Queue<int> queue{loop};
    Log log;
    Probe::Count frames;
    int running = 0;
    int most = 0;

    /// Each number that isn't 0 brings the next smaller one in; a negative one fails.
    Coroutine<> work(Probe /*frame*/) {
        while (true) {
            const int number = co_await queue.get();
            most = std::max(most, ++running);
            co_await yours::sleep(loop, 1ms);
            --running;
            if (number < 0)
                throw Rain();
            log.note(std::to_string(number));
            if (number > 0)
                queue.put(number - 1);
            queue.task_done();
        }
    }

    /// Says so when it's asked to end, and takes its time.
    Coroutine<> end_slowly(Probe /*frame*/) {
        Future never(loop), later(loop);
        try {
            co_await never;
        } catch (const Cancelled&) {
            log.note("asked");
        }
        loop.call_later(5ms, [&] { later.set_result(); });
        co_await later;
        log.note("ended");
    }

    Coroutine<> run(std::size_t number) {
        return run_workers(loop, queue, number, [this] { return work(Probe(frames)); });
    }
};

Coroutine<> note_end(Coroutine<> work, Log& log) {
    try {
        co_await std::move(work);
        log.note("over");
    } catch (const Rain&) {
        log.note("rain");
    }
}

} // namespace

TEST_CASE("C1: run_workers ends when everything is dealt with, including what the "
          "workers put in") {
    Work work;
    work.queue.put(3);
    const Task task(work.loop, note_end(work.run(2), work.log));
    REQUIRE(end_of(work.loop, task));
    CHECK(work.log.text == "3 2 1 0 over ");
}

TEST_CASE("C2: as many workers work at the same time as asked for, and never more") {
    Work work;
    for (int i = 0; i < 9; ++i)
        work.queue.put(0);
    const Task task(work.loop, work.run(3));
    REQUIRE(end_of(work.loop, task));
    CHECK(work.most == 3);
}

TEST_CASE("C3: with nothing to do, run_workers ends") {
    Work work;
    const Task task(work.loop, note_end(work.run(2), work.log));
    REQUIRE(end_of(work.loop, task));
    CHECK(work.log.text == "over ");
}

TEST_CASE("C4: run_workers throws what a worker throws, even if others wait") {
    Work work;
    work.queue.put(-1);
    const Task task(work.loop, note_end(work.run(3), work.log));
    REQUIRE(end_of(work.loop, task));
    CHECK(work.log.text == "rain ");
}

TEST_CASE("C5: when run_workers has ended, no worker is left") {
    Work work;
    work.queue.put(3);
    const Task task(work.loop, work.run(3));
    turns(work.loop, 3);
    CHECK(work.frames.alive > 0);
    REQUIRE(end_of(work.loop, task));
    CHECK(work.frames.alive == 0);
}

TEST_CASE("C6: before run_workers throws, the other workers have ended") {
    Work work;
    work.queue.put(-1);
    int made = 0;
    const auto first_works = [&] {
        return ++made == 1 ? work.work(Probe(work.frames))
                           : work.end_slowly(Probe(work.frames));
    };
    const Task task(
        work.loop,
        note_end(run_workers(work.loop, work.queue, 2, first_works), work.log));
    REQUIRE(end_of(work.loop, task));
    CHECK(work.log.text.find("asked ") == 0);
    CHECK(work.log.text.find("ended rain ") != std::string::npos);
}

TEST_CASE("C7: run_workers that is asked to end asks its workers, and waits for them") {
    Work work;
    work.queue.put(1);
    const auto slowly = [&] { return work.end_slowly(Probe(work.frames)); };
    Task task(work.loop, run_workers(work.loop, work.queue, 1, slowly));
    turns(work.loop, 3);
    task.cancel();
    REQUIRE(end_of(work.loop, task));
    CHECK(work.log.text.find("asked ended ") != std::string::npos);
    CHECK_THROWS_AS(task.throw_if_failed(), Cancelled);
}
