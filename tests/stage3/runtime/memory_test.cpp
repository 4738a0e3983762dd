// What the runtime's promises are worth when there is no memory: each allocation fails in
// turn, and nothing is lost. See ladder.h.
//
// What was asked for may throw std::bad_alloc: a call of put, acquire, create_task or
// call_soon; and so may a task that waits for one of these. But nothing that hands over
// what is there already may throw: set_result, cancel, ~Permit, task_done, Event::set, or
// a turn of the loop. The task that they serve would wait for ever.
#include "stage3_queue_crawler/runtime/executor/executor.h"
#include "stage3_queue_crawler/runtime/net/resolver.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/sync/semaphore.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/runtime/ladder.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <new>
#include <thread>

#include <unistd.h>

namespace tests::ladder {
namespace {

std::terminate_handler die = nullptr;
std::array<char, 200> running = {};

/// std::terminate, which says first what was running.
[[noreturn]] void say_where_and_die() {
    memory_is_back();
    static_cast<void>(
        std::fprintf(stderr, "%s: std::terminate was called\n", running.data()));
    die();
    std::abort();
}

} // namespace

void running_now(const std::string& where) {
    where.copy(running.data(), running.size() - 1);
    running.at(std::min(where.size(), running.size() - 1)) = '\0';
    if (die == nullptr)
        die = std::set_terminate(say_where_and_die);
}

bool is_wanted(const std::string& name) {
    const char* const wanted = std::getenv("LADDER");
    return wanted == nullptr || name.find(wanted) != std::string::npos;
}

namespace {

using namespace stage3;

// ---- Queue ----

/// An item, of which there can't be two.
class Item {
  public:
    explicit Item(int i) : id(i) {}
    bool operator<(const Item& other) const { return *id < *other.id; }

    struct Id {
        Id(int i) : value(i) {} // NOLINT(google-explicit-constructor)
        Id(Id&& other) noexcept : value(std::exchange(other.value, -1)) {}
        Id& operator=(Id&& other) noexcept {
            value = std::exchange(other.value, -1);
            return *this;
        }
        Id(const Id&) = delete;
        Id& operator=(const Id&) = delete;
        ~Id() = default;
        int operator*() const { return value; }

        int value;
    } id;
};

/// A queue, and which items came in and went out.
template <class Q>
class Work {
  public:
    Work(Bed& b, std::size_t max_size) : bed(b), tasks(b), queue(max_size) {}

    void put_now(int id) {
        if (bed.rung.attempt([&] { queue.put_nowait(Item(id)); }))
            came_in(id);
    }
    void put_later(int id, TimeLimit limit = {}) {
        tasks.start([this, id, limit] { return put(*this, id, limit); });
    }
    void get_later(TimeLimit limit = {}) {
        tasks.start([this, limit] { return get(*this, limit); });
    }
    void get_now() {
        bed.rung.attempt([&] {
            if (!queue.empty())
                went_out(queue.get_nowait());
        });
    }
    void came_in(int id) { ++in_.at(static_cast<std::size_t>(id)); }
    void went_out(const Item& item) {
        bed.rung.check(*item.id >= 0, "an item came that was taken before");
        ++out_.at(static_cast<std::size_t>(std::max(0, *item.id)));
    }
    void item_done() {
        bed.rung.must_not_throw("task_done", [&] { queue.task_done(); });
    }

    /// The memory is back. Those that wait get what they wait for; then all must be
    /// there, and nothing twice.
    void settle(std::size_t done = 0) {
        memory_is_back();
        bed.turns(6);
        for (int i = 0; i < 8 && !tasks.all_done(); ++i) { // to put something in
            while (!queue.empty())
                get_now();
            bed.turns(3);
        }
        for (int id = 50; id < 58 && !tasks.all_done(); ++id) { // to get something
            put_now(id);
            bed.turns(3);
        }
        bed.rung.check(tasks.all_done(), "who waits for the queue waits for ever");
        while (!queue.empty())
            get_now();
        std::size_t items = 0;
        for (std::size_t id = 0; id < in_.size(); ++id) {
            bed.rung.check(in_.at(id) <= out_.at(id), "an item is lost");
            bed.rung.check(in_.at(id) >= out_.at(id),
                           "an item came out twice, or was never put in");
            items += static_cast<std::size_t>(in_.at(id));
        }
        bed.rung.check(queue.unfinished() == items - done,
                       "the count of unfinished items is wrong");
        while (queue.unfinished() > 0)
            item_done();
        tasks.start([this] { return queue.join(); });
        bed.turns(3);
        tasks.end();
    }

    /// The same after all time limits, which must have ended all that waited.
    void settle_late() {
        memory_is_back();
        bed.now += 1h;
        bed.turns(6);
        bed.rung.check(tasks.all_done(), "one has missed its time limit");
        settle();
    }

    Bed& bed;
    Tasks tasks;
    Q queue;

  private:
    static Coroutine<> put(Work& work, int id, TimeLimit limit) {
        Item item(id);
        co_await work.queue.put(std::move(item), limit);
        work.came_in(id);
    }
    static Coroutine<> get(Work& work, TimeLimit limit) {
        const Item item = co_await work.queue.get(limit);
        work.went_out(item);
    }

    std::array<int, 60> in_ = {};
    std::array<int, 60> out_ = {};
};

template <class Q>
void climb_queue(const std::string& kind) {
    const auto play = [&](const char* what, std::size_t max_size, auto scenario) {
        climb(("queue " + kind + ": " + what).c_str(), [&](Bed& bed) {
            Work<Q> work(bed, max_size);
            scenario(work, bed);
            if (!bed.loop.closed())
                work.settle();
        });
    };
    play("items are put and taken out", 0, [](Work<Q>& work, Bed& bed) {
        work.put_now(3);
        work.put_now(1);
        work.put_later(2);
        work.put_later(4);
        work.get_now();
        bed.turns(2);
        for (int i = 0; i < 3; ++i)
            work.get_later();
        bed.turns(2);
    });
    play("getters wait", 0, [](Work<Q>& work, Bed& bed) {
        for (int i = 0; i < 3; ++i)
            work.get_later();
        bed.turns(2);
        for (const int id : {3, 1, 2, 4})
            work.put_now(id);
        bed.turns(2);
        work.put_later(5);
        bed.turns(3);
    });
    play("putters wait", 1, [](Work<Q>& work, Bed& bed) {
        for (const int id : {3, 1, 2})
            work.put_later(id);
        bed.turns(2);
        work.get_now();
        work.get_later();
        bed.turns(3);
    });
    play("a getter is cancelled after it was served", 0, [](Work<Q>& work, Bed& bed) {
        work.get_later();
        work.get_later();
        bed.turns(2);
        for (const int id : {1, 2, 3}) // for both getters, and one for the queue
            work.put_now(id);
        work.tasks.cancel(0); // gives its item back to the queue
        bed.turns(2);
        work.get_later();
        work.get_later();
        work.get_later();
        bed.turns(2);
        work.put_now(4);
        work.tasks.cancel(2); // has nothing, or gives it to the last getter
        bed.turns(3);
    });
    play("a waiting getter is cancelled", 0, [](Work<Q>& work, Bed& bed) {
        work.get_later();
        work.get_later();
        bed.turns(2);
        work.tasks.cancel(0);
        work.put_now(1);
        bed.turns(2);
    });
    play("putters are cancelled, let in or not", 1, [](Work<Q>& work, Bed& bed) {
        for (const int id : {1, 2, 3, 4})
            work.put_later(id);
        bed.turns(2);
        work.get_now();       // lets 2 in
        work.tasks.cancel(1); // which comes out again, so that 3 is let in
        work.tasks.cancel(3); // still waits
        bed.turns(3);
    });
    play("time limits", 1, [](Work<Q>& work, Bed& bed) {
        work.put_now(1);
        work.put_later(2, 1ms);
        work.put_later(3, 5ms);
        bed.turns(2);
        bed.now += 2ms;
        bed.turns(2);
        work.get_now();
        bed.turns(2);
        work.settle_late();
    });
    play("time limits of getters", 0, [](Work<Q>& work, Bed& bed) {
        work.get_later(1ms);
        work.get_later(5ms);
        work.get_later(5ms);
        bed.turns(2);
        bed.now += 2ms;
        bed.turns(1);
        work.put_now(1);
        bed.turns(2);
        bed.now += 3ms;
        work.put_now(2); // in the turn in which the time is up
        bed.turns(2);
        work.settle_late();
    });
    play("join", 0, [](Work<Q>& work, Bed& bed) {
        work.put_now(1);
        work.put_now(2);
        const std::size_t items = work.queue.size();
        work.tasks.start([&] { return work.queue.join(); });
        work.tasks.start([&] { return work.queue.join(1h); });
        bed.turns(2);
        work.get_now();
        work.get_now();
        for (std::size_t i = 0; i < items; ++i)
            work.item_done();
        bed.turns(3);
        work.settle(items);
    });
}

// ---- Semaphore ----

Coroutine<> hold(Semaphore& semaphore, int& held) {
    const Permit permit = co_await semaphore.acquire();
    ++held;
    co_await next_turn();
}

/// The memory is back: all permits must be, too.
void settle(Bed& bed, Semaphore& semaphore, Tasks& tasks, std::size_t permits) {
    memory_is_back();
    bed.turns(20);
    bed.rung.check(semaphore.available() <= permits, "there are too many permits");
    bed.rung.check(semaphore.available() >= permits, "a permit is lost");
    tasks.end();
}

/// A permit, if there is memory for one.
std::optional<Permit> take_one(Bed& bed, Semaphore& semaphore) {
    std::optional<Permit> permit;
    bed.in_a_turn(
        [&] { bed.rung.attempt([&] { permit.emplace(semaphore.acquire().take()); }); });
    return permit;
}

// ---- Event ----

Coroutine<> wait_and_count(Event& event, int& woken) {
    co_await event.wait();
    ++woken;
}

// ---- Future ----

Coroutine<> wait_and_count(Future<int> future, int& woken) {
    try {
        co_await future;
        ++woken;
    } catch (const Rain&) {
        ++woken;
    } catch (const stage3::Cancelled&) {
        ++woken;
    }
}

enum class End : std::uint8_t { value, exception, cancelled };

/// A future with callbacks and waiters ends.
void end_a_future(Bed& bed, End end) {
    std::exception_ptr rain;
    {
        const Spare spare;
        rain = std::make_exception_ptr(Rain());
    }
    Rung& rung = bed.rung;
    Future<int> future(bed.loop);
    std::array<int, 4> calls = {};
    std::array<bool, 4> added = {};
    const auto add = [&](std::size_t i) {
        added.at(i) = rung.attempt([&] {
            future.add_done_callback([&calls, i](const auto&) { ++calls.at(i); });
        });
    };
    add(0);
    Tasks tasks(bed);
    int woken = 0;
    for (int i = 0; i < 2; ++i)
        tasks.start([&] { return wait_and_count(future, woken); });
    bed.turns(2);
    add(1);
    if (end == End::value)
        rung.must_not_throw("set_result", [&] { future.set_result(7); });
    else if (end == End::cancelled)
        rung.must_not_throw("cancel", [&] { rung.check(future.cancel(), "not ended"); });
    else if (!rung.attempt([&] { future.set_exception(rain); })) {
        rung.check(!future.done(), "set_exception has thrown, and ended the future");
        const Spare spare;
        if (!future.done())
            future.set_exception(rain);
    }
    rung.check(future.done(), "the future is not done");
    add(2);
    bed.turns(2);
    add(3);
    bed.turns(2);
    memory_is_back();
    bed.turns(4);
    for (std::size_t i = 0; i < calls.size(); ++i) {
        rung.check(!added.at(i) || calls.at(i) >= 1, "a callback was lost");
        rung.check(added.at(i) || calls.at(i) == 0,
                   "add_done_callback has thrown, and the callback ran all the same");
        rung.check(calls.at(i) <= 1, "a callback ran twice");
    }
    if (end == End::value)
        rung.check(future.result() == 7, "the result is another one");
    rung.check(future.cancelled() == (end == End::cancelled), "it ended otherwise");
    rung.check(future.cancelled()
                   || (future.exception() != nullptr) == (end == End::exception),
               "the exception is another one");
    tasks.end();
}

// ---- Task ----

Coroutine<int> give(int& frames, int value) {
    const Alive alive(frames);
    co_await next_turn();
    co_return value;
}
Coroutine<int> rain_after_a_turn(int& frames) {
    const Alive alive(frames);
    co_await next_turn();
    throw Rain();
}
Coroutine<int> pass_on(int& frames, bool rain) {
    const Alive alive(frames);
    if (rain) {
        const int value = co_await rain_after_a_turn(frames);
        co_return value;
    }
    const int value = co_await give(frames, 7);
    co_return value;
}
/// Awaits a task, which awaits coroutines.
Coroutine<> await_task(Bed& bed, bool rain) {
    const Alive alive(bed.frames);
    const Task<int> task = create_task(pass_on(bed.frames, rain), "inner");
    const int value = co_await task;
    bed.rung.check(value == 7 && !rain, "the result is another one");
}
Coroutine<> wait_for_ever(int& frames) {
    const Alive alive(frames);
    const Future<> never_done;
    co_await never_done;
}
Coroutine<> await_one_that_waits(int& frames) {
    const Alive alive(frames);
    co_await create_task(wait_for_ever(frames));
}
Coroutine<> turn_for_ever(int& frames) {
    const Alive alive(frames);
    for (;;)
        co_await next_turn();
}
Coroutine<> clean_up(int& frames) {
    const Alive alive(frames);
    const Future<> never_done;
    bool asked = false;
    try {
        co_await never_done;
    } catch (const stage3::Cancelled&) {
        asked = true;
    }
    if (asked)
        co_await next_turn();
}

// ---- Time ----

Coroutine<> sleep_in_time(int& ended) {
    co_await stage3::wait_for(stage3::sleep(2ms), 1h);
    ++ended;
}
Coroutine<> sleep_too_long(int& ended) {
    const stage3::AtExit end([&] { ++ended; });
    co_await stage3::wait_for(stage3::sleep(1h), 2ms);
}
Coroutine<> wait_for_several(int& ended) {
    std::vector<Task<>> all;
    all.push_back(create_task(stage3::sleep(1ms)));
    all.push_back(create_task(stage3::sleep(10s)));
    co_await stage3::wait(all, 3ms);
    std::vector<Future<>> both{all.at(0), all.at(1)};
    co_await stage3::gather(std::move(both));
    ++ended;
}

// ---- TaskGroup ----

/// What happens to a group.
enum class Fate : std::uint8_t { ends, child_fails, body_fails, cancelled };

struct Group {
    Bed& bed;
    Fate fate;
    int children = 0; // that have begun and have not ended
    bool over = false;
};

Coroutine<> late_child(Group& group) {
    group.bed.rung.check(!group.over, "a child begins after its group has ended");
    const Alive alive(group.children);
    co_await next_turn();
}
Coroutine<> patient_child(Group& group, TaskGroup& scope) {
    group.bed.rung.check(!group.over, "a child begins after its group has ended");
    const Alive alive(group.children);
    // Whatever ends it: it makes another child while the group is ending.
    const stage3::AtExit another(
        [&] { group.bed.rung.attempt([&] { scope.start(late_child(group)); }); });
    if (group.fate == Fate::ends) {
        co_await next_turn();
        co_return;
    }
    const Future<> never_done;
    co_await never_done;
}
Coroutine<> failing_child(Group& group) {
    group.bed.rung.check(!group.over, "a child begins after its group has ended");
    const Alive alive(group.children);
    co_await next_turn();
    if (group.fate == Fate::child_fails)
        throw Rain();
}
Coroutine<> body(Group& group, TaskGroup& scope) {
    scope.start(patient_child(group, scope));
    scope.start(failing_child(group));
    scope.start(patient_child(group, scope), "the second patient child");
    co_await next_turn();
    if (group.fate == Fate::body_fails)
        throw Rain();
    if (group.fate == Fate::ends)
        co_return;
    const Future<> never_done;
    co_await never_done;
}
Coroutine<> run_group(Group& group) {
    TaskGroup scope;
    const stage3::AtExit over([&] {
        group.over = true;
        group.bed.rung.check(group.children == 0, "a child outlives its group");
    });
    co_await scope.run(body(group, scope));
}

void climb_group(const char* name, Fate fate) {
    climb(name, [fate](Bed& bed) {
        Group group{.bed = bed, .fate = fate};
        Tasks tasks(bed);
        tasks.start([&] { return run_group(group); });
        bed.turns(3);
        if (fate == Fate::cancelled)
            tasks.cancel(0);
        bed.turns(8);
        tasks.end();
    });
}

// ---- run ----

Coroutine<> main_that_leaves_tasks(int& frames, bool rain) {
    stage3::running_loop().set_exception_handler([](const stage3::Report&) {});
    const auto a = create_task(clean_up(frames));
    const auto b = create_task(await_one_that_waits(frames));
    co_await next_turn();
    co_await next_turn();
    if (rain)
        throw Rain();
}

} // namespace

TEST_CASE("without memory, a queue loses no item and no waiter") {
    SUBCASE("Fifo") { climb_queue<Queue<Item>>("(Fifo)"); }
    SUBCASE("Lifo") { climb_queue<stage3::LifoQueue<Item>>("(Lifo)"); }
    SUBCASE("SmallestFirst") {
        climb_queue<stage3::PriorityQueue<Item>>("(SmallestFirst)");
    }
}

TEST_CASE("without memory, a semaphore loses no permit and no waiter") {
    climb("semaphore: permits are handed over", [](Bed& bed) {
        Semaphore semaphore(2);
        Tasks tasks(bed);
        int held = 0;
        for (int i = 0; i < 5; ++i)
            tasks.start([&] { return hold(semaphore, held); });
        bed.turns(8);
        settle(bed, semaphore, tasks, 2);
    });
    climb("semaphore: waiters are cancelled, served or not", [](Bed& bed) {
        Semaphore semaphore(1);
        Tasks tasks(bed);
        std::optional<Permit> permit = take_one(bed, semaphore);
        int held = 0;
        for (int i = 0; i < 4; ++i)
            tasks.start([&] { return hold(semaphore, held); });
        bed.turns(2);
        tasks.cancel(1);
        permit.reset();  // it belongs to the first now
        tasks.cancel(0); // which passes it on
        bed.turns(2);
        tasks.cancel(2);
        bed.turns(2);
        settle(bed, semaphore, tasks, 1);
    });
    climb("semaphore: a future in line has callbacks", [](Bed& bed) {
        Semaphore semaphore(1);
        Tasks tasks(bed);
        std::optional<Permit> permit = take_one(bed, semaphore);
        int calls = 0;
        bool added = false;
        {
            std::optional<Future<Permit>> next;
            bed.in_a_turn(
                [&] { bed.rung.attempt([&] { next.emplace(semaphore.acquire()); }); });
            if (next)
                added = bed.rung.attempt(
                    [&] { next->add_done_callback([&](const auto&) { ++calls; }); });
            permit.reset();
            bed.rung.check(!next || next->done(), "the permit is not handed over");
            bed.turns(2);
        }
        bed.rung.check(calls == (added ? 1 : 0), "a callback was lost, or ran twice");
        settle(bed, semaphore, tasks, 1);
    });
    climb("semaphore: many leave the line", [](Bed& bed) {
        Semaphore semaphore(1);
        Tasks tasks(bed);
        std::optional<Permit> permit = take_one(bed, semaphore);
        bed.in_a_turn([&] {
            for (int i = 0; i < 40; ++i)
                bed.rung.attempt([&] { static_cast<void>(semaphore.acquire()); });
        });
        int held = 0;
        tasks.start([&] { return hold(semaphore, held); });
        bed.turns(2);
        permit.reset();
        bed.turns(2);
        settle(bed, semaphore, tasks, 1);
    });
}

TEST_CASE("without memory, an event wakes all who wait for it") {
    climb("event: several tasks wait", [](Bed& bed) {
        Event event;
        Tasks tasks(bed);
        int woken = 0;
        for (int i = 0; i < 4; ++i)
            tasks.start([&] { return wait_and_count(event, woken); });
        bed.turns(2);
        tasks.cancel(1);
        bed.rung.must_not_throw("set", [&] { event.set(); });
        event.clear();
        bed.turns(2);
        tasks.end();
    });
}

TEST_CASE("without memory, a future that is done wakes all who wait for it") {
    climb("future: set_result", [](Bed& bed) { end_a_future(bed, End::value); });
    climb("future: set_exception", [](Bed& bed) { end_a_future(bed, End::exception); });
    climb("future: cancel", [](Bed& bed) { end_a_future(bed, End::cancelled); });
    climb("future: callbacks come and go", [](Bed& bed) {
        const Future<> future(bed.loop);
        int calls = 0;
        int added = 0;
        for (int i = 0; i < 40; ++i)
            bed.rung.attempt([&] {
                const Handle handle =
                    future.add_done_callback([&](const auto&) { ++calls; });
                if (i % 8 == 0)
                    ++added;
                else
                    handle.cancel();
            });
        bed.rung.must_not_throw("set_result", [&] { future.set_result(); });
        bed.turns(2);
        memory_is_back();
        bed.turns(2);
        bed.rung.check(calls == added, "callbacks were lost, or ran too often");
        bed.finish();
    });
    climb("future: its loop is closed", [](Bed& bed) {
        const Future<> future(bed.loop);
        Tasks tasks(bed);
        tasks.start([&] { return wait_for_ever(bed.frames); });
        bed.rung.attempt([&] { future.add_done_callback([](const auto&) {}); });
        bed.turns(2);
        bed.rung.must_not_throw("close", [&] { bed.loop.close(); });
        bed.rung.check(bed.frames == 0, "a frame has survived the loop");
        tasks.check();
        bed.rung.must_not_throw("set_result", [&] { future.set_result(); });
        bed.finish();
    });
}

TEST_CASE("without memory, a task ends once, and no frame is left") {
    for (const bool rain : {false, true})
        climb(rain ? "task: ends with an exception" : "task: ends with a value",
              [rain](Bed& bed) {
                  Tasks tasks(bed);
                  tasks.start([&] { return await_task(bed, rain); });
                  bed.turns(8);
                  tasks.end();
              });
    climb("task: cancelled", [](Bed& bed) {
        Tasks tasks(bed);
        tasks.start([&] { return wait_for_ever(bed.frames); });
        tasks.start([&] { return await_one_that_waits(bed.frames); });
        tasks.start([&] { return turn_for_ever(bed.frames); });
        tasks.start([&] { return clean_up(bed.frames); });
        bed.turns(3);
        tasks.start([&] { return wait_for_ever(bed.frames); }); // has not begun
        for (const std::size_t i : {0U, 1U, 2U, 3U, 4U})
            tasks.cancel(i);
        bed.turns(6);
        tasks.end();
    });
    climb("task: its exception is never retrieved", [](Bed& bed) {
        bed.rung.attempt([&] {
            static_cast<void>(
                create_task(bed.loop, rain_after_a_turn(bed.frames), "forgotten"));
        });
        bed.turns(4);
        memory_is_back();
        bed.rung.check(bed.reports <= 1, "it is reported more than once");
        bed.rung.check(bed.reports == 1 || refused() > 0, "it is not reported");
        bed.finish();
    });
    climb("task: pending when its loop is closed", [](Bed& bed) {
        Tasks tasks(bed);
        tasks.start([&] { return wait_for_ever(bed.frames); });
        tasks.start([&] { return await_one_that_waits(bed.frames); });
        tasks.start([&] { return turn_for_ever(bed.frames); });
        bed.turns(2);
        tasks.start([&] { return wait_for_ever(bed.frames); }); // has not begun
        bed.rung.must_not_throw("close", [&] { bed.loop.close(); });
        bed.rung.check(bed.frames == 0, "a frame has survived the loop");
        tasks.check();
        bed.finish();
    });
}

TEST_CASE("without memory, time limits hold, and timers fire once") {
    climb("time: call_later", [](Bed& bed) {
        std::array<int, 30> calls = {};
        std::array<bool, 30> set = {};
        for (std::size_t i = 0; i < calls.size(); ++i)
            set.at(i) = bed.rung.attempt([&] {
                const Handle timer = bed.loop.call_later(std::chrono::milliseconds(i % 7),
                                                         [&calls, i] { ++calls.at(i); });
                if (i % 3 == 0)
                    timer.cancel();
            });
        for (int i = 0; i < 9; ++i) {
            bed.turns(1);
            bed.now += 1ms;
        }
        memory_is_back();
        bed.turns(2);
        for (std::size_t i = 0; i < calls.size(); ++i)
            bed.rung.check(calls.at(i) == (set.at(i) && i % 3 != 0 ? 1 : 0),
                           "a timer was lost, or fired twice");
        bed.finish();
    });
    climb("time: sleep, wait, wait_for, gather", [](Bed& bed) {
        int ended = 0;
        Tasks tasks(bed);
        tasks.start([&] { return sleep_in_time(ended); });
        tasks.start([&] { return sleep_too_long(ended); });
        tasks.start([&] { return wait_for_several(ended); });
        for (int i = 0; i < 6; ++i) {
            bed.turns(2);
            bed.now += 1ms;
        }
        memory_is_back();
        bed.now += 1min;
        tasks.end();
    });
}

TEST_CASE("without memory, no task outlives its group") {
    climb_group("group: all ends well", Fate::ends);
    climb_group("group: a child fails", Fate::child_fails);
    climb_group("group: the body fails", Fate::body_fails);
    climb_group("group: it is cancelled from outside", Fate::cancelled);
}

TEST_CASE("without memory, a callback that fails doesn't take others with it") {
    climb("callbacks: one throws, and others follow", [](Bed& bed) {
        int calls = 0;
        int expected = 0;
        for (int i = 0; i < 3; ++i) {
            if (bed.rung.attempt([&] {
                    bed.loop.call_soon([&calls] {
                        ++calls;
                        throw std::bad_alloc();
                    });
                }))
                ++expected;
        }
        bed.turns(2);
        memory_is_back();
        bed.rung.check(calls == expected, "a callback was lost, or ran twice");
        bed.rung.check(bed.reports <= expected, "one was reported twice");
        bed.finish();
    });
}

TEST_CASE("without memory, what other threads send arrives, or they are told") {
    climb("threads: call_soon_threadsafe", [](Bed& bed) {
        std::array<int, 4> calls = {};
        std::array<bool, 4> sent = {};
        std::thread other;
        {
            const Spare spare;
            other = std::thread([&] {
                for (std::size_t i = 0; i < calls.size(); ++i)
                    sent.at(i) = bed.rung.attempt([&] {
                        bed.loop.call_soon_threadsafe([&calls, i] { ++calls.at(i); });
                    });
            });
            other.join();
        }
        bed.turns(3);
        memory_is_back();
        bed.turns(3);
        for (std::size_t i = 0; i < calls.size(); ++i) {
            bed.rung.check(calls.at(i) >= (sent.at(i) ? 1 : 0), "a call is lost");
            bed.rung.check(calls.at(i) <= (sent.at(i) ? 1 : 0), "a call came twice");
        }
        bed.finish();
    });
    climb("threads: run_in_executor", [](Bed& bed) {
        std::array<std::atomic<int>, 4> ran = {};
        std::array<std::optional<Future<int>>, 4> jobs;
        for (std::size_t i = 0; i < jobs.size(); ++i)
            bed.rung.attempt([&] {
                jobs.at(i).emplace(stage3::run_in_executor(bed.loop, [&ran, i]() -> int {
                    ++ran.at(i);
                    if (i == 2)
                        throw Rain();
                    return 7;
                }));
                if (i == 3)
                    jobs.at(i)->cancel();
            });
        while (bed.loop.has_busy_thread())
            std::this_thread::yield();
        bed.turns(3);
        memory_is_back();
        bed.turns(3);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const std::optional<Future<int>>& job = jobs.at(i);
            bed.rung.check(ran.at(i) <= 1, "a job ran twice");
            bed.rung.check(!job || job->done(), "a job's end is lost");
            if (job && job->done() && !job->cancelled() && job->has_failed())
                bed.rung.attempt([&] {
                    try {
                        job->result();
                    } catch (const Rain&) {
                        bed.rung.check(i == 2, "it rains in another job");
                    }
                });
        }
        bed.finish();
    });
    climb("threads: Resolver", [](Bed& bed) {
        std::vector<std::thread> threads;
        {
            const Spare spare;
            threads.reserve(8);
        }
        const auto join_all = [&] {
            for (std::thread& thread : threads)
                if (thread.joinable())
                    thread.join();
        };
        const stage3::AtExit joined(join_all);
        stage3::Resolver resolver(
            bed.loop,
            [](const std::string& host) -> stage3::Resolver::Addresses {
                if (host == "nowhere.example.org")
                    throw common::ResolveError("no such host");
                return {};
            },
            1,
            [&](auto function) {
                const Spare spare;
                threads.emplace_back([run = std::move(function)]() mutable { run(); });
            });
        Tasks tasks(bed);
        const auto resolve = [&](const char* host) {
            tasks.start([&resolver, host] {
                return [](stage3::Resolver& r, const char* name) -> Coroutine<> {
                    std::string named(name);
                    try {
                        co_await r.resolve(std::move(named), 1h);
                    } catch (const common::ResolveError&) {
                        co_return; // as it should be
                    }
                }(resolver, host);
            });
        };
        for (const char* host : {"a.example.org", "nowhere.example.org", "a.example.org"})
            resolve(host);
        for (int i = 0; i < 4; ++i) {
            bed.turns(2);
            join_all();
        }
        memory_is_back();
        // One that was refused doesn't spoil the name for all who ask later.
        for (const char* host : {"a.example.org", "nowhere.example.org"})
            resolve(host);
        for (int i = 0; i < 6; ++i) {
            bed.turns(3);
            join_all();
        }
        bed.rung.check(tasks.all_done(), "a look-up never ends");
        bed.rung.check(!resolver.is_busy(), "a thread's permit is lost");
        bed.now += 2h;
        bed.turns(6);
        tasks.check();
    });
}

TEST_CASE("without memory, descriptors and signals call those who want to know") {
    climb("descriptors: add_reader, add_writer", [](Bed& bed) {
        std::optional<Pipe> pipe;
        {
            const Spare spare;
            pipe.emplace();
        }
        int reads = 0;
        int writes = 0;
        const int in = pipe->read.fd();
        const int out = pipe->write.fd();
        const auto read = [&, in] {
            char byte = 0;
            reads += static_cast<int>(::read(in, &byte, 1));
        };
        const auto write = [&, out] {
            writes += static_cast<int>(::write(out, "x", 1));
            bed.rung.must_not_throw("remove_writer",
                                    [&] { bed.loop.remove_writer(out); });
        };
        const bool reader = bed.rung.attempt([&] { bed.loop.add_reader(in, read); });
        bed.rung.attempt([&] { bed.loop.add_reader(in, read); }); // instead
        const bool writer = bed.rung.attempt([&] { bed.loop.add_writer(out, write); });
        bed.turns(4);
        memory_is_back();
        bed.turns(4);
        bed.rung.check(writes == (writer ? 1 : 0), "a writer was not called");
        bed.rung.check(!reader || reads == writes, "a reader was not called");
        bed.loop.add_writer(out, write); // works, whatever has happened
        bed.loop.add_reader(in, read);
        bed.turns(4);
        bed.rung.check(writes == (writer ? 2 : 1), "a second writer was not called");
        bed.rung.check(reads == writes, "a second reader was not called");
        bed.rung.check(bed.loop.remove_reader(in), "the reader was forgotten");
        bed.rung.check(bed.loop.watched() == 0, "something is still watched");
        bed.finish();
    });
    climb("signals: add_signal_handler", [](Bed& bed) {
        int calls = 0;
        const bool added = bed.rung.attempt(
            [&] { bed.loop.add_signal_handler(SIGUSR2, [&] { ++calls; }); });
        if (added)
            static_cast<void>(std::raise(SIGUSR2));
        bed.turns(3);
        memory_is_back();
        bed.turns(2);
        bed.rung.check(calls == (added ? 1 : 0), "a signal's handler was not called");
        bed.loop.add_signal_handler(SIGUSR2, [&] { ++calls; });
        static_cast<void>(std::raise(SIGUSR2));
        bed.turns(2);
        bed.rung.check(calls == (added ? 2 : 1), "a second handler was not called");
        bed.finish();
        struct sigaction now{};
        ::sigaction(SIGUSR2, nullptr, &now);
        bed.rung.check(now.sa_handler == SIG_DFL, "the loop still has the signal");
    });
}

TEST_CASE("without memory, run ends all tasks, or says why not") {
    for (const bool rain : {false, true})
        climb(rain ? "run: main throws" : "run: main returns", [rain](Bed& bed) {
            bed.rung.attempt([&] {
                stage3::LoopOptions options;
                options.random = [] { return 7U; };
                try {
                    stage3::run(main_that_leaves_tasks(bed.frames, rain),
                                std::move(options));
                } catch (const Rain&) {
                    bed.rung.check(rain, "it rains");
                }
            });
            bed.finish();
        });
}

// ---- Moments, rather than whole scenarios ----

namespace {

Coroutine<> take_in_time(stage3::Queue<std::string>& queue, std::string& got) {
    got = co_await queue.get(1h);
}

Coroutine<> throw_when_done(Future<> future, int what) {
    co_await future;
    throw what;
}

Coroutine<> start_two_that_throw(TaskGroup& group, Future<> future) {
    group.start(throw_when_done(future, 1));
    group.start(throw_when_done(future, 2));
    co_await future;
}

Coroutine<> note_what_is_thrown(Future<> future, int& caught) {
    TaskGroup group;
    try {
        co_await group.run(start_two_that_throw(group, future));
    } catch (int what) {
        caught = what;
    }
}

} // namespace

TEST_CASE_FIXTURE(LoopTest,
                  "without memory, an item is moved to its getter, not copied") {
    stage3::Queue<std::string> queue;
    std::string got;
    const auto getter = task(take_in_time(queue, got));
    turns(2);
    queue.put_nowait(std::string(100, 'x'));
    {
        const NoMemory none;
        turns(3);
    }
    CHECK(getter.done());
    CHECK(got.size() == 100);
}

TEST_CASE_FIXTURE(LoopTest,
                  "without memory, a handler that fails doesn't end the program") {
    loop.set_exception_handler([](const stage3::Report&) { throw std::bad_alloc(); });
    loop.call_soon([] { throw std::bad_alloc(); });
    bool called = false;
    loop.call_soon([&] { called = true; });
    {
        const NoMemory none;
        turns(1);
    }
    CHECK(called);
}

TEST_CASE_FIXTURE(LoopTest, "without memory, a group throws its first failure") {
    const auto start = future();
    int caught = 0;
    const auto outer = task(note_what_is_thrown(start, caught));
    turns(3);
    {
        const NoMemory none;
        start.set_result();
        turns(6);
    }
    CHECK(outer.done());
    CHECK(caught == 1);
}

TEST_CASE("without memory, a descriptor that was closed too early is reported") {
    stage3::EventLoop loop;
    int reports = 0;
    loop.set_exception_handler([&](const stage3::Report&) { ++reports; });
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    loop.add_reader(ends[0], [] {});
    loop.add_writer(ends[0], [] {});
    ::close(ends[0]);
    bool removed = false;
    {
        const NoMemory none;
        removed = loop.remove_reader(ends[0]);
    }
    CHECK(removed);
    CHECK(reports == 1);
    CHECK(loop.watched() == 0);
    ::close(ends[1]);
}

} // namespace tests::ladder
