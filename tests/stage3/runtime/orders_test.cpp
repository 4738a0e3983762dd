// Every order in which outside events can come between the turns of the real loop: puts,
// cancels, time limits and answers, for all that tasks can wait at.
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/sync/semaphore.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "tests/stage3/runtime/loop_test.h"
#include "tests/support/every_order.h"

using namespace stage3;
using namespace tests;

namespace {

/// A loop whose time passes when the order says so, and tasks on it.
struct World : LoopTest {
    explicit World(Order& o) : order(o) { watch_time(); }
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() { end(); }

    /// Of two worlds, the order knows the time of only one.
    void watch_time() {
        order.timers([this] { return loop.until_next_timer().has_value(); },
                     [this] { time.now += *loop.until_next_timer(); });
    }
    /// To be called before what the tasks use is destroyed.
    void end() {
        for (const Task<>& one : tasks)
            if (one.done() && !one.cancelled() && one.has_failed())
                static_cast<void>(one.exception()); // so that it isn't reported
        loop.set_exception_handler([](const Report&) {});
        loop.close();
    }

    void start(Coroutine<> coroutine) { tasks.push_back(task(std::move(coroutine))); }
    /// Asks the first ones to end, when the order says so.
    void cancel_some(int number, const std::string& name) {
        for (int i = 0; i < number; ++i)
            order.event(fmt::format("cancel {} {}", name, i + 1),
                        [this, i] { tasks[static_cast<std::size_t>(i)].cancel(); });
    }
    int not_done() const {
        return static_cast<int>(
            std::ranges::count_if(tasks, [](const Task<>& one) { return !one.done(); }));
    }
    void rethrow_errors() const {
        for (const Task<>& one : tasks)
            if (one.done() && !one.cancelled() && one.has_failed())
                std::rethrow_exception(one.exception());
    }

    Order& order;
    std::vector<Task<>> tasks;
};

bool no_more_cancels_than_tasks(const Numbers& numbers) {
    return numbers[2] <= numbers[0];
}

struct Rainy {};

/// A future that fails, or gets a result, when the order says so.
Future<> outcome(Order& order, const std::string& name, bool fails = false) {
    Future<> future;
    order.event(name + (fails ? " fails" : " is done"), [future, fails] {
        if (!fails)
            future.set_result_unless_done();
        else if (!future.done())
            future.set_exception(std::make_exception_ptr(Rainy()));
    });
    return future;
}

// ---- The queue ----

struct QueueWorld : World {
    QueueWorld(Order& o, std::size_t room) : World(o), queue(room) {}
    QueueWorld(const QueueWorld&) = delete;
    QueueWorld& operator=(const QueueWorld&) = delete;
    ~QueueWorld() { end(); }

    Coroutine<> get_one(TimeLimit limit = {}) {
        try {
            const int item = co_await queue.get(limit);
            taken.push_back(item);
        } catch (const Timeout&) {
            co_return;
        }
        queue.task_done();
    }
    Coroutine<> put_one(int item, TimeLimit limit = {}) {
        try {
            co_await queue.put(item, limit);
        } catch (const Timeout&) {
            co_return;
        }
        put.push_back(item);
    }
    Coroutine<> join() {
        co_await queue.join();
        has_joined = true;
        order.promise(queue.unfinished() == 0,
                      "join ends when nothing is left, and not before");
    }
    void puts(int number) {
        for (int i = 1; i <= number; ++i)
            order.event(fmt::format("put {}", i), [this, i] {
                queue.put_nowait(i);
                put.push_back(i);
            });
    }
    void check_items() const {
        const std::set<int> seen(taken.begin(), taken.end());
        order.promise(seen.size() == taken.size(), "no item is taken twice");
        order.promise(taken.size() + queue.size() == put.size(), "no item is lost");
    }

    Queue<int> queue;
    std::vector<int> taken;
    std::vector<int> put; ///< what came in
    bool has_joined = false;
};

TEST_CASE("a queue in every order of its puts and cancels") {
    check_every_order(
        {.title = "Getters wait at a queue; the first ones may be cancelled.",
         .things = {{"getter", "getters", 1, 3},
                    {"put", "puts", 0, 3},
                    {"cancel", "cancels", 0, 2},
                    {"time limit", "time limits", 0, 1}},
         .makes_sense =
             [](const Numbers& numbers) {
                 return no_more_cancels_than_tasks(numbers)
                        && (numbers[3] == 0 || numbers[0] < 3);
             },
         .play =
             [](Order& order, const Numbers& numbers) {
                 QueueWorld world(order, 0);
                 for (int i = 0; i < numbers[0]; ++i)
                     world.start(world.get_one(numbers[3] > 0 && i == 0 ? TimeLimit(10ms)
                                                                        : TimeLimit()));
                 world.puts(numbers[1]);
                 world.cancel_some(numbers[2], "getter");
                 order.run(world.loop);
                 world.rethrow_errors();
                 order.promise(world.not_done() == 0 || world.queue.empty(),
                               "no getter sleeps while there is an item");
                 world.check_items();
             }},
        5000);
}

TEST_CASE("a queue one of whose getters is destroyed, in every order") {
    check_every_order(
        {.title = "Getter 1 is in a loop of its own, which closes at some moment.",
         .things = {{"put", "puts", 0, 2}},
         .play =
             [](Order& order, const Numbers& numbers) {
                 QueueWorld world(order, 0);
                 World there(order);
                 there.start(world.get_one());
                 there.turns(1);
                 world.start(world.get_one());
                 world.puts(numbers[0]);
                 order.event("getter 1's loop closes", [&there] { there.end(); });
                 world.watch_time();
                 order.run(world.loop);
                 world.rethrow_errors();
                 order.promise(world.not_done() == 0 || world.queue.empty(),
                               "no getter sleeps while there is an item");
                 world.check_items();
             }},
        40);
}

TEST_CASE("a queue with room for one item, in every order") {
    check_every_order(
        {.title = "Putters wait for room; the first ones may be cancelled.",
         .things = {{"putter", "putters", 1, 3},
                    {"getter", "getters", 0, 2},
                    {"cancel", "cancels", 0, 2},
                    {"time limit", "time limits", 0, 1},
                    {"join", "joins", 0, 1}},
         .makes_sense =
             [](const Numbers& numbers) {
                 return no_more_cancels_than_tasks(numbers)
                        && numbers[1] + numbers[2] + numbers[3] + numbers[4] <= 3;
             },
         .play =
             [](Order& order, const Numbers& numbers) {
                 QueueWorld world(order, 1);
                 const int putters = numbers[0];
                 for (int i = 1; i <= putters; ++i)
                     world.start(world.put_one(i, numbers[3] > 0 && i == putters
                                                      ? TimeLimit(10ms)
                                                      : TimeLimit()));
                 for (int i = 1; i <= numbers[1]; ++i)
                     order.event(fmt::format("getter {} comes", i),
                                 [&world] { world.start(world.get_one()); });
                 if (numbers[4] > 0)
                     order.event("join", [&world] { world.start(world.join()); });
                 world.cancel_some(numbers[2], "putter");
                 order.run(world.loop);
                 world.rethrow_errors();
                 world.check_items();
                 bool is_one_putting = false;
                 for (int i = 0; i < putters; ++i)
                     is_one_putting = is_one_putting
                                      || !world.tasks[static_cast<std::size_t>(i)].done();
                 order.promise(!is_one_putting || world.queue.full(),
                               "no putter sleeps while there is room");
                 order.promise(numbers[4] == 0 || world.queue.unfinished() > 0
                                   || world.has_joined,
                               "join ends when nothing is left");
             }},
        1000);
}

// ---- The semaphore, and the event ----

struct SemaphoreWorld : World {
    SemaphoreWorld(Order& o, int permits)
        : World(o), semaphore(static_cast<std::size_t>(permits)) {}
    SemaphoreWorld(const SemaphoreWorld&) = delete;
    SemaphoreWorld& operator=(const SemaphoreWorld&) = delete;
    ~SemaphoreWorld() { end(); }

    Coroutine<> hold(std::string name) {
        const Permit permit = co_await semaphore.acquire();
        most = std::max(most, ++inside);
        const Future<> over = outcome(order, name);
        try {
            co_await over;
        } catch (const Cancelled&) { // NOLINT(bugprone-empty-catch): then it ends, too
        }
        --inside;
    }

    Semaphore semaphore;
    int inside = 0;
    int most = 0;
};

TEST_CASE("a semaphore in every order") {
    check_every_order(
        {.title = "Tasks wait for permits; the first ones may be cancelled.",
         .things = {{"task", "tasks", 1, 3},
                    {"permit", "permits", 1, 2},
                    {"cancel", "cancels", 0, 2}},
         .makes_sense = no_more_cancels_than_tasks,
         .play =
             [](Order& order, const Numbers& numbers) {
                 SemaphoreWorld world(order, numbers[1]);
                 for (int i = 1; i <= numbers[0]; ++i)
                     world.start(world.hold(fmt::format("task {}", i)));
                 world.cancel_some(numbers[2], "task");
                 order.run(world.loop);
                 world.rethrow_errors();
                 order.promise(world.most <= numbers[1], "never more tasks than permits");
                 order.promise(world.not_done() == 0, "each task gets its turn");
                 order.promise(static_cast<int>(world.semaphore.available())
                                   == numbers[1],
                               "each permit comes back");
             }},
        500);
}

TEST_CASE("a semaphore one of whose tasks is destroyed, in every order") {
    check_every_order(
        {.title = "Task 1 is in a loop of its own, which closes at some moment.",
         .play =
             [](Order& order, const Numbers&) {
                 SemaphoreWorld world(order, 1);
                 std::optional<Permit> ours;
                 world.run([](auto& w, auto& permit) -> Coroutine<> {
                     permit.emplace(co_await w.semaphore.acquire());
                 }(world, ours));
                 World there(order);
                 there.start(world.hold("task 1"));
                 there.turns(1);
                 world.start(world.hold("task 2"));
                 order.event("the permit comes back", [&ours] { ours.reset(); });
                 order.event("task 1's loop closes", [&there] { there.end(); });
                 world.watch_time();
                 order.run(world.loop);
                 order.promise(world.not_done() == 0, "each task gets its turn");
             }},
        5);
}

struct EventWorld : World {
    using World::World;
    EventWorld(const EventWorld&) = delete;
    EventWorld& operator=(const EventWorld&) = delete;
    ~EventWorld() { end(); }

    Coroutine<> wait() {
        co_await event.wait();
        order.promise(was_ever_set, "no waiter wakes before it is set");
    }

    Event event;
    bool was_ever_set = false;
};

TEST_CASE("an event in every order") {
    check_every_order(
        {.title = "Waiters wait until an event is set; it may be cleared.",
         .things = {{"waiter", "waiters", 1, 3},
                    {"clear", "clears", 0, 1},
                    {"cancel", "cancels", 0, 2}},
         .makes_sense = no_more_cancels_than_tasks,
         .play =
             [](Order& order, const Numbers& numbers) {
                 EventWorld world(order);
                 for (int i = 0; i < numbers[0]; ++i)
                     world.start(world.wait());
                 order.event("set", [&world] {
                     world.event.set();
                     world.was_ever_set = true;
                 });
                 for (int i = 0; i < numbers[1]; ++i)
                     order.event("clear", [&world] { world.event.clear(); });
                 world.cancel_some(numbers[2], "waiter");
                 order.run(world.loop);
                 world.rethrow_errors();
                 order.promise(world.not_done() == 0 || !world.event.is_set(),
                               "no waiter sleeps while it is set");
                 order.promise(numbers[1] > 0 || world.not_done() == 0,
                               "all waiters wake");
             }},
        300);
}

// ---- The group ----

struct GroupWorld : World {
    GroupWorld(Order& o, Numbers n) : World(o), numbers(std::move(n)) {}

    bool one_fails() const { return numbers[1] > 0; }

    Coroutine<> child(TaskGroup& group, std::string name, bool fails, bool starts) {
        struct Alive {
            explicit Alive(int& n) : number(n) { ++number; }
            Alive(const Alive&) = delete;
            Alive& operator=(const Alive&) = delete;
            ~Alive() { --number; }
            int& number;
        };
        const Alive here(alive);
        std::exception_ptr error;
        try {
            co_await outcome(order, name, fails);
        } catch (...) {
            error = std::current_exception();
        }
        if (starts)
            group.start(until_cancelled());
        co_await stage3::next_turn();
        if (error)
            std::rethrow_exception(error);
    }

    static Coroutine<> until_cancelled() {
        const Future<> never;
        co_await never;
    }

    Coroutine<> body(TaskGroup& group) {
        for (int i = 1; i <= numbers[0]; ++i)
            group.start(child(group, fmt::format("child {}", i), one_fails() && i == 1,
                              numbers[2] > 0 && i == 1));
        if (numbers[3] > 0)
            co_await outcome(order, "the body");
    }

    Coroutine<> parent() {
        has_begun = true;
        {
            TaskGroup group;
            std::exception_ptr error;
            try {
                co_await group.run(body(group));
            } catch (...) {
                error = std::current_exception();
            }
            has_ended = true;
            order.promise(alive == 0, "no child outlives its group");
            try {
                if (error)
                    std::rethrow_exception(error);
            } catch (const Rainy&) {
                has_thrown = true;
            }
        }
        // A request that came too late for the group comes here.
        co_await outcome(order, "what comes after the group");
    }

    const Numbers numbers;
    int alive = 0;
    bool has_begun = false;
    bool has_ended = false;
    bool has_thrown = false;
    bool was_asked = false;
};

TEST_CASE("a group in every order") {
    check_every_order(
        {.title = "Children end when they like, and need a turn for it.",
         .things = {{"child", "children", 1, 2},
                    {"failure", "failures", 0, 1},
                    {"late child", "late children", 0, 1},
                    {"body that waits", "bodies that wait", 0, 1},
                    {"cancel", "cancels", 0, 1}},
         .makes_sense =
             [](const Numbers& numbers) {
                 return (numbers[0] == 1 || numbers[2] + numbers[3] < 2)
                        && numbers[2] <= numbers[1] + numbers[4];
             },
         .play =
             [](Order& order, const Numbers& numbers) {
                 GroupWorld world(order, numbers);
                 world.start(world.parent());
                 const Task<>& task = world.tasks.front();
                 if (numbers[4] > 0)
                     order.event("cancel the parent", [&world] {
                         world.was_asked = world.tasks.front().cancel();
                     });
                 order.run(world.loop);
                 order.promise(task.done(), "the group's task ends");
                 order.promise(world.has_ended || !world.has_begun, "the group ends");
                 order.promise(world.alive == 0, "no child outlives its group");
                 order.promise(world.reports.empty(), "nothing is reported");
                 order.promise(world.was_asked == task.cancelled(),
                               "its task is cancelled if it was asked to end, and only "
                               "then");
                 if (world.one_fails() && !world.was_asked)
                     order.promise(world.has_thrown, "a failure isn't lost");
             }},
        5000);
}

// ---- The time limit ----

struct LimitWorld : World {
    LimitWorld(Order& o, const Numbers& numbers)
        : World(o), fails(numbers[0] > 0), refuses(numbers[1] > 0) {}

    Coroutine<int> work() {
        ++alive;
        std::exception_ptr error;
        try {
            co_await outcome(order, "it", fails);
        } catch (...) {
            error = std::current_exception();
        }
        co_await stage3::next_turn();
        --alive;
        if (error && !refuses)
            std::rethrow_exception(error);
        co_return 42;
    }

    Coroutine<> limited() {
        try {
            const int value = co_await wait_for(work(), 10ms);
            how = value == 42 ? "a value" : "a wrong value";
        } catch (const Timeout&) {
            how = "late";
        } catch (const Rainy&) {
            how = "failed";
        }
        order.promise(alive == 0, "what is limited has ended");
        co_await outcome(order, "what comes after the limit");
    }

    const bool fails;
    const bool refuses; ///< to end when it is asked to
    int alive = 0;
    bool was_asked = false;
    std::string how;
};

TEST_CASE("a time limit in every order") {
    check_every_order(
        {.title = "It ends, its time is up, or its task is cancelled.",
         .things = {{"failure", "failures", 0, 1},
                    {"refusal", "refusals", 0, 1},
                    {"cancel", "cancels", 0, 1}},
         .play =
             [](Order& order, const Numbers& numbers) {
                 LimitWorld world(order, numbers);
                 world.start(world.limited());
                 if (numbers[2] > 0)
                     order.event("cancel", [&world] {
                         world.was_asked = world.tasks.front().cancel();
                     });
                 order.run(world.loop);
                 const Task<>& task = world.tasks.front();
                 order.promise(task.done(), "it ends");
                 order.promise(world.was_asked == task.cancelled(),
                               "a request to end isn't lost, and a late end is none");
                 if (world.refuses && !world.was_asked)
                     order.promise(world.how == "a value",
                                   "a value that comes in spite of the limit wins");
                 if (world.fails && !world.refuses)
                     order.promise(world.how != "a value", "an error isn't lost");
             }},
        1000);
}

} // namespace
