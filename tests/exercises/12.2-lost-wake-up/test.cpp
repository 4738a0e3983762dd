#include "exercise.h"
#include "stage3_queue_crawler/small/task.h"

namespace small_runtime = stage3::small;
#include "tests/support/orders/world.h"

using stage3::small::Cancelled;
using stage3::small::Coroutine;
using stage3::small::EventLoop;
using stage3::small::Task;
using tests::Numbers;
using tests::Order;

namespace {

/// Workers that wait at your queue.
struct World : orders::World<EventLoop> {
    using orders::World<EventLoop>::World;
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() { end(); }

    Coroutine<> work(std::string name) {
        tests::Actor worker(order, std::move(name));
        worker.calls("get", &queue);
        const int item = co_await queue.get();
        worker.does("takes item " + std::to_string(item));
        taken.push_back(item);
    }

    SimpleQueue queue{loop};
    std::vector<int> taken;
};

bool was_cancelled(const Task& task) {
    try {
        task.throw_if_failed();
    } catch (const Cancelled&) {
        return true;
    }
    return false;
}

void play(Order& order, const Numbers& numbers) {
    World world(order);
    for (int i = 1; i <= numbers[0]; ++i)
        world.tasks.emplace_back(world.loop, world.work("worker " + std::to_string(i)));
    for (int i = 1; i <= numbers[2]; ++i)
        order.event("put " + std::to_string(i), [&world, i] { world.queue.put(i); });
    auto task = world.tasks.begin();
    for (int i = 1; i <= numbers[1]; ++i, ++task)
        order.event("cancel worker " + std::to_string(i), [task] { task->cancel(); });
    order.run(world.loop);
    const auto left = static_cast<std::size_t>(numbers[2]) - world.taken.size();
    order.promise(world.not_done() == 0 || left == 0,
                  "no worker sleeps while there is an item");
}

} // namespace

TEST_CASE("a waiting worker gets the item") {
    Order order({});
    World world(order);
    world.tasks.emplace_back(world.loop, world.work("worker"));
    world.loop.turn(0ms);
    world.queue.put(1);
    for (int i = 0; i < 2; ++i)
        world.loop.turn(0ms);
    CHECK(world.taken == std::vector{1});
}

TEST_CASE("a cancelled worker ends") {
    Order order({});
    World world(order);
    world.tasks.emplace_back(world.loop, world.work("worker"));
    world.loop.turn(0ms);
    world.tasks.front().cancel();
    for (int i = 0; i < 5; ++i)
        world.loop.turn(0ms);
    CHECK_MESSAGE(
        was_cancelled(world.tasks.front()),
        "the worker was cancelled while it waited, and it waits again. If `get` "
        "catches Cancelled, it must rethrow it, or the worker never hears of it.");
}

TEST_CASE("in every order, no worker sleeps while there is an item") {
    if (!tests::a_case_has_failed())
        tests::check_every_order(
            {.title = "Workers wait at your queue. Puts and cancels come when they like.",
             .things = {{"worker", "workers", 1, 3},
                        {"cancel", "cancels", 0, 2},
                        {"put", "puts", 0, 3}},
             .makes_sense =
                 [](const Numbers& numbers) { return numbers[1] <= numbers[0]; },
             .play = play});
}
