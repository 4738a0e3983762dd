#include "coroutine.h"
#include "event_loop.h"
#include "fetch.h"
#include "future.h"
#include "queue.h"
#include "task.h"
#include "tests/exercises/track/crawl.h"
#include "tests/exercises/track/task_kit.h"
#include "tests/support/scripted_server.h"
#include "tests/support/url.h"
#include "wait_for.h"
#include "workers.h"

using yours::Cancelled;
using yours::Coroutine;
using yours::Milliseconds;
using yours::Queue;
using yours::Task;

namespace {

/// A loop, a queue, and what its workers do.
struct Work : track::Story {
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
};

/// Counts a worker as long as it lives.
class Alive {
  public:
    explicit Alive(Work& test) : test_(test) { ++test_.alive; }
    Alive(const Alive&) = delete;
    Alive& operator=(const Alive&) = delete;
    ~Alive() { --test_.alive; }

  private:
    Work& test_;
};

/// Deals with an item: that takes `time`. An item n brings two more, n - 1.
Coroutine<> deal_with(Work& test, int item, Milliseconds time) {
    test.most_busy = std::max(test.most_busy, ++test.busy);
    co_await yours::sleep(test.loop, time);
    --test.busy;
    for (int i = 0; i < 2 && item > 0; ++i)
        test.queue.put(item - 1);
    ++test.dealt_with;
    test.queue.task_done();
}

Coroutine<> work(Work& test, Milliseconds time) {
    const Alive alive(test);
    while (true) {
        const int item = co_await test.queue.get();
        co_await deal_with(test, item, time);
    }
}

/// The same; and asked to end, it takes 20 ms to clean up.
Coroutine<> work_and_clean_up(Work& test, Milliseconds time) {
    const Alive alive(test);
    try {
        co_await work(test, time);
    } catch (const Cancelled&) {
        ++test.asked;
    }
    try {
        co_await yours::sleep(test.loop, 20ms);
    } catch (const Cancelled&) { // asked again while it cleans up
        ++test.disturbed;
    }
    ++test.cleaned;
}

/// Takes an item, and fails after `time`.
Coroutine<> fail(Work& test, Milliseconds time) {
    const int item = co_await test.queue.get();
    co_await yours::sleep(test.loop, time);
    throw std::runtime_error("it rains on " + std::to_string(item));
}

/// Takes an item, works on it for an hour, and fails when it is asked to end.
Coroutine<> fail_when_asked(Work& test) {
    co_await test.queue.get();
    try {
        co_await yours::sleep(test.loop, 1h);
    } catch (const Cancelled&) {
        throw std::runtime_error("it snows");
    }
}

/// Runs workers, and notes how that ended, and which of them were alive then.
Coroutine<> run(Work& test, std::size_t number, std::function<Coroutine<>()> work) {
    try {
        co_await run_workers(test.loop, test.queue, number, std::move(work));
        test.ended = "well";
    } catch (const Cancelled&) {
        test.ended = "cancelled";
    } catch (const std::exception& error) {
        test.ended = error.what();
    }
    test.alive_then = test.alive;
}

/// Three workers end because everything is dealt with. False if they never do.
bool all_is_dealt_with(Work& test) {
    test.put(3);
    Task task(test.loop, run(test, 3, [&] { return work_and_clean_up(test, 1ms); }));
    return test.ends(task);
}

/// The first of three fails after 10 ms, the others have an hour's work.
bool one_fails(Work& test) {
    test.put(5);
    int made = 0;
    Task task(test.loop, run(test, 3, [&] {
                  return ++made == 1 ? fail(test, 10ms) : work_and_clean_up(test, 1h);
              }));
    return test.ends(task);
}

/// Three have an hour's work, and their caller is cancelled after some turns.
bool caller_is_cancelled(Work& test, int turns, bool twice) {
    test.put(5);
    Task task(test.loop, run(test, 3, [&] { return work_and_clean_up(test, 1h); }));
    test.turn(turns);
    task.cancel();
    if (twice)
        test.loop.call_later(10ms, [&] { task.cancel(); });
    return test.ends(task);
}

constexpr int until_busy = 4; // turns

/// Opens a test that would crash if workers are not waited for.
void needs_the_waits() {
    Work dealt_with, failed, cancelled;
    const bool end = all_is_dealt_with(dealt_with) && one_fails(failed)
                     && caller_is_cancelled(cancelled, until_busy, false);
    REQUIRE_MESSAGE(
        (end && dealt_with.cleaned == 3 && failed.cleaned == 2 && cancelled.cleaned == 3),
        "for this, run_workers has to wait for its workers however it ends: "
        "see the rows C5 to C7.");
}

} // namespace

TEST_CASE_FIXTURE(Work, "C1: run_workers ends when everything is dealt with, including "
                        "what the workers put in") {
    put(3);
    queue.put(3); // brings two with 2, which bring two each ...
    Task task(loop, run(*this, 2, [&] { return work(*this, 1ms); }));
    const bool end = ends(task);
    REQUIRE_MESSAGE(dealt_with == 18,
                    "four items were put in, and the workers put in 14 more while they "
                    "worked. Of these, only "
                        << dealt_with << " are dealt with, but run_workers has ended.");
    REQUIRE_MESSAGE(end, "everything is dealt with, but run_workers waits forever. The "
                         "workers never end by themselves.");
    REQUIRE_MESSAGE(ended == "well",
                    "everything was dealt with, and then the workers were asked to end: "
                    "that is not a failure of run_workers. It ended: "
                        << ended);
}

TEST_CASE_FIXTURE(
    Work, "C2: as many workers work at the same time as asked for, and never more") {
    put(10);
    Task task(loop, run(*this, 3, [&] { return work(*this, 5ms); }));
    REQUIRE(ends(task));
    REQUIRE_MESSAGE(most_busy == 3, "there are 3 workers and enough to do, but at most "
                                        << most_busy << " were busy at the same time.");
    REQUIRE(dealt_with == 10);
}

TEST_CASE_FIXTURE(Work, "C3: with nothing to do, run_workers ends") {
    int items = 0;
    SUBCASE("nothing") {}
    SUBCASE("fewer items than workers") { items = 2; }
    put(items);
    Task task(loop, run(*this, 5, [&] { return work(*this, 1ms); }));
    REQUIRE_MESSAGE(ends(task), "there are 5 workers and "
                                    << items << " items, but run_workers waits forever.");
    REQUIRE(dealt_with == items);
}

TEST_CASE_FIXTURE(Work, "C5: when run_workers has ended, no worker is left") {
    REQUIRE(all_is_dealt_with(*this));
    REQUIRE_MESSAGE(cleaned == 3,
                    "everything is dealt with. When run_workers ended, "
                        << asked << " of 3 workers knew of it, and " << cleaned
                        << " had cleaned up, for which each needs 20 ms. Ask them to "
                           "end, and wait until they have.");
    REQUIRE_MESSAGE(alive_then == 0,
                    "run_workers has ended, and " << alive_then << " workers have not.");
}

TEST_CASE_FIXTURE(Work,
                  "C4: run_workers throws what a worker throws, even if others wait") {
    REQUIRE_MESSAGE(
        one_fails(*this),
        "a worker has thrown, and run_workers waits forever: the item that this worker "
        "had is never dealt with, and the others are never asked to end.");
    REQUIRE_MESSAGE(
        ended == "it rains on 0",
        "a worker has thrown \"it rains on 0\", so run_workers throws that. It ended: "
            << ended);
}

TEST_CASE_FIXTURE(Work, "C6: before run_workers throws, the other workers have ended") {
    REQUIRE(one_fails(*this));
    REQUIRE_MESSAGE(cleaned == 2,
                    "a worker has thrown; the two others must be asked to end, and "
                    "waited for. They need 20 ms, but when run_workers ended, "
                        << cleaned << " had.");
    REQUIRE(alive_then == 0);
}

TEST_CASE_FIXTURE(Work, "the first of two exceptions counts") {
    queue.put(1);
    queue.put(2);
    int made = 0;
    Task task(loop, run(*this, 2, [&] {
                  return ++made == 1 ? fail(*this, 10ms) : fail_when_asked(*this);
              }));
    REQUIRE(ends(task));
    REQUIRE_MESSAGE(ended == "it rains on 1",
                    "a worker has thrown \"it rains on 1\", and then another one, when "
                    "it was asked to end. The first counts. It ended: "
                        << ended);
}

TEST_CASE_FIXTURE(
    Work, "C7: run_workers that is asked to end asks its workers, and waits for them") {
    int turns = until_busy;
    bool twice = false;
    SUBCASE("while they work") {}
    SUBCASE("when they have not begun") { turns = 1; }
    SUBCASE("twice in a row") { twice = true; }
    REQUIRE_MESSAGE(caller_is_cancelled(*this, turns, twice),
                    "the caller was cancelled, but run_workers waits forever.");
    REQUIRE_MESSAGE(ended == "cancelled",
                    "the caller was cancelled, so run_workers throws Cancelled when all "
                    "have ended. It ended: "
                        << ended);
    REQUIRE_MESSAGE((turns == 1 || cleaned == 3),
                    "the caller was cancelled: so the workers must be asked to end, and "
                    "waited for. When run_workers ended, "
                        << cleaned << " of 3 had cleaned up.");
    REQUIRE(alive_then == 0);
}

TEST_CASE_FIXTURE(Work, "a cancellation while the workers clean up is not lost") {
    needs_the_waits();
    put(5);
    Task task(loop, run(*this, 3, [&] { return work_and_clean_up(*this, 1ms); }));
    for (int i = 0; i < 1000 && dealt_with < 5; ++i)
        loop.turn();
    REQUIRE(dealt_with == 5);
    turn(4); // now they were asked to end
    task.cancel();
    REQUIRE(ends(task));
    REQUIRE_MESSAGE(disturbed == 0,
                    "the workers were cleaning up when the caller was cancelled. They "
                    "had already been asked to end, and must not be disturbed in that.");
    REQUIRE_MESSAGE(
        ended == "cancelled",
        "everything was dealt with, and while the workers cleaned up, the caller was "
        "cancelled. Only you hear of that request, so it must not get lost. It ended: "
            << ended);
}

namespace {

/// Fails before it waits for anything, so it can't be asked to end in time.
Coroutine<int> fail_at_once() {
    throw std::runtime_error("it rains");
    co_return 0;
}

/// Takes an item, gets nowhere with it, and continues with the next one.
Coroutine<> try_in_vain(Work& test) {
    const Alive alive(test);
    while (true) {
        const int item = co_await test.queue.get();
        try {
            const int nothing = co_await wait_for(test.loop, fail_at_once(), 1h);
            (void)nothing;
        } catch (const std::exception&) {
            ++test.asked;
        }
        (void)item; // it never says task_done
    }
}

Coroutine<> fail_when(Work& test, yours::Future& future) {
    const int item = co_await test.queue.get();
    co_await future;
    throw std::runtime_error("it rains on " + std::to_string(item));
}

} // namespace

TEST_CASE("run_workers ends when one worker throws and another begins something") {
    needs_the_waits();
    // All moments, one after the other.
    for (int moment = 0; moment < 8; ++moment) {
        Work test;
        yours::Future future(test.loop);
        test.put(1);
        int made = 0;
        Task task(test.loop, run(test, 2, [&] {
                      return ++made == 1 ? fail_when(test, future) : try_in_vain(test);
                  }));
        for (int i = 0; i < 8 && !task.done(); ++i) {
            if (i == moment)
                future.set_result();
            if (i == 3)
                test.queue.put(7);
            test.turn();
        }
        REQUIRE_MESSAGE(test.ends(task),
                        "a worker has thrown while another began something with a time "
                        "limit, and run_workers waits forever. Does that worker know "
                        "that it was asked to end? See your task.h and wait_for.h.");
        REQUIRE(test.ended == "it rains on 0");
        REQUIRE(test.alive_then == 0);
    }
}

// ---- All of it together ----

namespace {

Coroutine<> take_in_time(Work& test, Milliseconds limit) {
    try {
        const int item = co_await wait_for(test.loop, test.queue.get(), limit);
        test.say("has " + std::to_string(item));
    } catch (const yours::TimedOut&) {
        test.say("timed out");
    }
}

} // namespace

TEST_CASE_FIXTURE(
    Work, "Q17: a get can have a time limit, and leaves the line when that is up") {
    Task in_vain(loop, take_in_time(*this, 2ms));
    REQUIRE(ends(in_vain));
    REQUIRE(news() == "timed out");
    Task in_time(loop, take_in_time(*this, 1s));
    turn(3);
    queue.put(1);
    REQUIRE(ends(in_time));
    REQUIRE_MESSAGE(told == "has 1", "the first get has left the line, and an item came "
                                     "for the second. Reported: "
                                         << told);
}

TEST_CASE_FIXTURE(Work, "a crawl finds all pages of a site") {
    using tests::html;
    tests::ScriptedServer server;
    server.on("/", html("<a href=/a>a</a> <a href=/b>b</a> <a href=/old>c</a>"));
    server.on("/a", html("<a href=/>back</a> <a href=/c>c</a> <a href=/d>d</a>"));
    server.on("/b", html("<a href=/a>a</a> <a href=/gone>gone</a>"));
    server.on("/c", html("<a href='http://elsewhere.invalid/'>far</a>"));
    server.on("/d", {tests::Reply{tests::Reset{}}});
    server.on("/old", tests::redirect_to("/new"));
    server.on("/new", html("<a href=/c>c</a>"));

    std::multiset<std::string> found;
    const std::size_t origin = server.url("").size();
    yours::Crawl crawl(
        loop, tests::url_of(server.url("/")), [&](const common::Record& record) {
            found.insert(fmt::format("{} {}", record.url.href().substr(origin),
                                     name_of(record.outcome)));
        });
    Task task(loop, crawl.run(3));
    REQUIRE_MESSAGE(ends(task), "the crawl doesn't end.");
    std::string all;
    for (const std::string& one : found)
        all += (all.empty() ? "" : ", ") + one;
    REQUIRE_MESSAGE(all
                        == "/ page, /a page, /b page, /c page, /d dead, /gone dead, /new "
                           "page, /old redirect",
                    "your runtime has crawled a site, and found: " << all);
    REQUIRE_MESSAGE(server.most_at_once() <= 3, "3 workers have asked for "
                                                    << server.most_at_once()
                                                    << " pages at the same time.");
}
