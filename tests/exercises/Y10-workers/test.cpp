#include "fetch.h"
#include "tests/exercises/track/crawl.h"
#include "tests/support/scripted_server.h"
#include "tests/support/url.h"
#include "wait_for.h"
#include "workers.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <ostream> // doctest wants it
#include <set>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;
using yours::Cancelled;
using yours::Coroutine;
using yours::Loop;
using yours::Milliseconds;
using yours::Queue;
using yours::Task;

namespace {

struct Hangs : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What a test is about: a loop, a queue, and what its workers do.
struct Story {
    Loop loop;
    Queue<int> queue{loop};
    int dealt_with = 0;
    int busy = 0; // with an item
    int most_busy = 0;
    int alive = 0;     // workers that have begun, and not ended
    int asked = 0;     // workers that were asked to end
    int cleaned = 0;   // workers that have cleaned up then
    int disturbed = 0; // workers that were asked again, in the middle of that
    std::string ended;
    int alive_then = 0;

    void put(int count) {
        for (int i = 0; i < count; ++i)
            queue.put(0);
    }

    /// Lets the loop turn until `task` is done. False if that never happens.
    bool ends(Task& task, Milliseconds patience = 2s) {
        loop.call_later(patience, [] { throw Hangs("for ever"); });
        try {
            run_until_complete(loop, task);
        } catch (const Hangs&) {
            return false;
        }
        return true;
    }
};

/// Counts a worker as long as it lives.
class Alive {
  public:
    explicit Alive(Story& story) : story_(story) { ++story_.alive; }
    Alive(const Alive&) = delete;
    Alive& operator=(const Alive&) = delete;
    ~Alive() { --story_.alive; }

  private:
    Story& story_;
};

/// Deals with an item: that takes `time`. An item n brings two more, n - 1.
Coroutine<> deal_with(Story& story, int item, Milliseconds time) {
    story.most_busy = std::max(story.most_busy, ++story.busy);
    co_await yours::sleep(story.loop, time);
    --story.busy;
    for (int i = 0; i < 2 && item > 0; ++i)
        story.queue.put(item - 1);
    ++story.dealt_with;
    story.queue.task_done();
}

Coroutine<> work(Story& story, Milliseconds time) {
    const Alive alive(story);
    while (true) {
        const int item = co_await story.queue.get();
        co_await deal_with(story, item, time);
    }
}

/// The same; and asked to end, it takes 20 ms to clean up.
Coroutine<> work_and_clean_up(Story& story, Milliseconds time) {
    const Alive alive(story);
    try {
        co_await work(story, time);
    } catch (const Cancelled&) {
        ++story.asked;
    }
    try {
        co_await yours::sleep(story.loop, 20ms);
    } catch (const Cancelled&) { // asked again while it cleans up
        ++story.disturbed;
    }
    ++story.cleaned;
}

/// Takes an item, and fails after `time`.
Coroutine<> fail(Story& story, Milliseconds time) {
    const int item = co_await story.queue.get();
    co_await yours::sleep(story.loop, time);
    throw std::runtime_error("it rains on " + std::to_string(item));
}

/// Takes an item, works on it for an hour, and fails when it is asked to end.
Coroutine<> fail_when_asked(Story& story) {
    co_await story.queue.get();
    try {
        co_await yours::sleep(story.loop, 1h);
    } catch (const Cancelled&) {
        throw std::runtime_error("it snows");
    }
}

/// Which cases have shown that workers are waited for. If they are not, others crash.
struct {
    bool at_the_end = false;
    bool if_one_throws = false;
    bool if_cancelled = false;
} waits;

/// Runs workers, and notes how that ended, and which of them were alive then.
Coroutine<> run(Story& story, std::size_t number, std::function<Coroutine<>()> work) {
    try {
        co_await run_workers(story.loop, story.queue, number, std::move(work));
        story.ended = "well";
    } catch (const Cancelled&) {
        story.ended = "cancelled";
    } catch (const std::exception& error) {
        story.ended = error.what();
    }
    story.alive_then = story.alive;
}

} // namespace

TEST_CASE("everything in the queue is dealt with") {
    Story story;
    story.put(5);
    Task task(story.loop, run(story, 2, [&] { return work(story, 1ms); }));
    const bool ends = story.ends(task);
    REQUIRE_MESSAGE(story.dealt_with == 5,
                    "of 5 items only " << story.dealt_with
                                       << " are dealt with, but run_workers has ended.");
    REQUIRE_MESSAGE(ends, "everything is dealt with, but run_workers waits forever. The "
                          "workers never end by themselves.");
    REQUIRE_MESSAGE(story.ended == "well",
                    "everything was dealt with, and then the workers were asked to end: "
                    "that is not a failure of run_workers. It ended: "
                        << story.ended);
    REQUIRE_MESSAGE(story.alive_then == 0, "run_workers has ended, and "
                                               << story.alive_then
                                               << " workers have not.");
}

TEST_CASE("as many items are dealt with at once as there are workers") {
    Story story;
    story.put(10);
    Task task(story.loop, run(story, 3, [&] { return work(story, 5ms); }));
    REQUIRE(story.ends(task));
    REQUIRE_MESSAGE(story.most_busy == 3,
                    "there are 3 workers and enough to do, but at most "
                        << story.most_busy << " were busy at the same time.");
    REQUIRE(story.dealt_with == 10);
}

TEST_CASE("items put in meanwhile are dealt with") {
    Story story;
    story.queue.put(4); // brings two with 3, which bring two each ...
    Task task(story.loop, run(story, 3, [&] { return work(story, 1ms); }));
    REQUIRE(story.ends(task));
    REQUIRE_MESSAGE(story.dealt_with == 31,
                    "one item was put in, and the workers put in 30 more while they "
                    "worked. When run_workers ended, "
                        << story.dealt_with << " were dealt with.");
}

TEST_CASE("run_workers ends when there is little to do") {
    Story story;
    SUBCASE("nothing") {}
    SUBCASE("fewer items than workers") { story.put(2); }
    const int items = story.queue.join().done() ? 0 : 2;
    Task task(story.loop, run(story, 5, [&] { return work(story, 1ms); }));
    REQUIRE_MESSAGE(story.ends(task), "there are 5 workers and "
                                          << items
                                          << " items, but run_workers waits forever.");
    REQUIRE(story.dealt_with == items);
    REQUIRE(story.alive_then == 0);
}

TEST_CASE("run_workers waits for workers that take a while to end") {
    Story story;
    story.put(3);
    Task task(story.loop, run(story, 3, [&] { return work_and_clean_up(story, 1ms); }));
    REQUIRE(story.ends(task));
    REQUIRE_MESSAGE(story.cleaned == 3,
                    "everything is dealt with. When run_workers ended, "
                        << story.asked << " of 3 workers knew of it, and "
                        << story.cleaned
                        << " had cleaned up, for which each needs 20 ms. Ask them to "
                           "end, and wait until they have.");
    REQUIRE(story.alive_then == 0);
    waits.at_the_end = true;
}

namespace {

/// The first worker fails after 10 ms, the others have an hour's work.
std::function<Coroutine<>()> first_fails(Story& story, int& made) {
    return [&story, &made] {
        return ++made == 1 ? fail(story, 10ms) : work_and_clean_up(story, 1h);
    };
}

} // namespace

TEST_CASE("run_workers throws what a worker throws") {
    Story story;
    story.put(5);
    int made = 0;
    Task task(story.loop, run(story, 3, first_fails(story, made)));
    REQUIRE_MESSAGE(
        story.ends(task),
        "a worker has thrown, and run_workers waits forever: the item that this worker "
        "had is never dealt with, and the others are never asked to end.");
    REQUIRE_MESSAGE(
        story.ended == "it rains on 0",
        "a worker has thrown \"it rains on 0\", so run_workers throws that. It ended: "
            << story.ended);
    REQUIRE_MESSAGE(story.cleaned == 2,
                    "a worker has thrown; the two others must be asked to end, and "
                    "waited for. They need 20 ms, but when run_workers ended, "
                        << story.cleaned << " had.");
    REQUIRE(story.alive_then == 0);
    waits.if_one_throws = true;
}

TEST_CASE("the first of two exceptions counts") {
    Story story;
    story.queue.put(1);
    story.queue.put(2);
    int made = 0;
    Task task(story.loop, run(story, 2, [&] {
                  return ++made == 1 ? fail(story, 10ms) : fail_when_asked(story);
              }));
    REQUIRE(story.ends(task));
    REQUIRE_MESSAGE(story.ended == "it rains on 1",
                    "a worker has thrown \"it rains on 1\", and then another one, when "
                    "it was asked to end. The first counts. It ended: "
                        << story.ended);
}

TEST_CASE("a cancelled caller cancels the workers") {
    Story story;
    story.put(5);
    Task task(story.loop, run(story, 3, [&] { return work_and_clean_up(story, 1h); }));
    int turns = 4; // until all workers are busy
    SUBCASE("while they work") {}
    SUBCASE("when they have not begun") { turns = 1; }
    SUBCASE("twice in a row") {
        story.loop.call_later(10ms, [&] { task.cancel(); });
    }
    for (int i = 0; i < turns; ++i)
        story.loop.EventLoop::turn(0ms);
    const int alive = story.alive;
    task.cancel();
    REQUIRE_MESSAGE(story.ends(task),
                    "the caller was cancelled, but run_workers waits forever.");
    REQUIRE_MESSAGE(story.ended == "cancelled",
                    "the caller was cancelled, so run_workers throws Cancelled when all "
                    "have ended. It ended: "
                        << story.ended);
    REQUIRE_MESSAGE((alive == 0 || story.cleaned == 3),
                    "the caller was cancelled: so the workers must be asked to end, and "
                    "waited for. When run_workers ended, "
                        << story.cleaned << " of 3 had cleaned up.");
    REQUIRE(story.alive_then == 0);
    waits.if_cancelled = true;
}

TEST_CASE("a cancellation while the workers clean up is not lost") {
    REQUIRE_MESSAGE(waits.at_the_end, "first fix what fails above.");
    Story story;
    story.put(5);
    Task task(story.loop, run(story, 3, [&] { return work_and_clean_up(story, 1ms); }));
    for (int turn = 0; turn < 1000 && story.dealt_with < 5; ++turn)
        story.loop.turn();
    REQUIRE(story.dealt_with == 5);
    for (int turn = 0; turn < 4; ++turn) // now they were asked to end
        story.loop.EventLoop::turn(0ms);
    task.cancel();
    REQUIRE(story.ends(task));
    REQUIRE_MESSAGE(story.disturbed == 0,
                    "the workers were cleaning up when the caller was cancelled. They "
                    "had already been asked to end, and must not be disturbed in that.");
    REQUIRE_MESSAGE(
        story.ended == "cancelled",
        "everything was dealt with, and while the workers cleaned up, the caller was "
        "cancelled. Only you hear of that request, so it must not get lost. It ended: "
            << story.ended);
}

namespace {

/// Fails before it waits for anything, so it can't be asked to end in time.
Coroutine<int> fail_at_once() {
    throw std::runtime_error("it rains");
    co_return 0;
}

/// Takes an item, gets nowhere with it, and continues with the next one.
Coroutine<> try_in_vain(Story& story) {
    const Alive alive(story);
    while (true) {
        const int item = co_await story.queue.get();
        try {
            const int nothing = co_await wait_for(story.loop, fail_at_once(), 1h);
            (void)nothing;
        } catch (const std::exception&) {
            ++story.asked;
        }
        (void)item; // it never says task_done
    }
}

Coroutine<> fail_when(Story& story, yours::Future& future) {
    const int item = co_await story.queue.get();
    co_await future;
    throw std::runtime_error("it rains on " + std::to_string(item));
}

} // namespace

TEST_CASE("run_workers ends when one worker throws and another begins something") {
    REQUIRE_MESSAGE((waits.at_the_end && waits.if_one_throws && waits.if_cancelled),
                    "for this, run_workers has to wait for its workers however it ends: "
                    "see the cases before.");
    // All moments, one after the other.
    for (int moment = 0; moment < 8; ++moment) {
        Story story;
        yours::Future future(story.loop);
        story.put(1);
        int made = 0;
        Task task(story.loop, run(story, 2, [&] {
                      return ++made == 1 ? fail_when(story, future) : try_in_vain(story);
                  }));
        for (int i = 0; i < 8 && !task.done(); ++i) {
            if (i == moment)
                future.set_result();
            if (i == 3)
                story.queue.put(7);
            story.loop.EventLoop::turn(0ms);
        }
        REQUIRE_MESSAGE(story.ends(task),
                        "a worker has thrown while another began something with a time "
                        "limit, and run_workers waits forever. Does that worker know "
                        "that it was asked to end? See your task.h and wait_for.h.");
        REQUIRE(story.ended == "it rains on 0");
        REQUIRE(story.alive_then == 0);
    }
}

TEST_CASE("a crawl finds all pages of a site") {
    using tests::html;
    tests::ScriptedServer server;
    server.on("/", html("<a href=/a>a</a> <a href=/b>b</a> <a href=/old>c</a>"));
    server.on("/a", html("<a href=/>back</a> <a href=/c>c</a> <a href=/d>d</a>"));
    server.on("/b", html("<a href=/a>a</a> <a href=/gone>gone</a>"));
    server.on("/c", html("<a href='http://elsewhere.invalid/'>far</a>"));
    server.on("/d", {tests::Reply{tests::Reset{}}});
    server.on("/old", tests::redirect_to("/new"));
    server.on("/new", html("<a href=/c>c</a>"));

    std::multiset<std::string> told;
    const std::size_t origin = server.url("").size();
    Story story;
    yours::Crawl crawl(
        story.loop, tests::url_of(server.url("/")), [&](const common::Record& record) {
            told.insert(fmt::format("{} {}", record.url.href().substr(origin),
                                    name_of(record.outcome)));
        });
    Task task(story.loop, crawl.run(3));
    REQUIRE_MESSAGE(story.ends(task, 8s), "the crawl doesn't end.");
    std::string all;
    for (const std::string& one : told)
        all += (all.empty() ? "" : ", ") + one;
    REQUIRE_MESSAGE(all
                        == "/ page, /a page, /b page, /c page, /d dead, /gone dead, /new "
                           "page, /old redirect",
                    "your runtime has crawled a site, and found: " << all);
    REQUIRE_MESSAGE(server.most_at_once() <= 3, "3 workers have asked for "
                                                    << server.most_at_once()
                                                    << " pages at the same time.");
}
