#include "exercise.h"
#include "jumping_queue.h"
#include "stage3_queue_crawler/small/queue.h"
#include "stage3_queue_crawler/small/task.h"

namespace small_runtime = stage3::small;
#include "tests/support/orders/world.h"

using namespace stage3::small;
using tests::Numbers;
using tests::Order;

namespace {

/// Getters at a queue of either kind, and what happens to them.
template <class SomeQueue>
struct World : orders::World<EventLoop> {
    using orders::World<EventLoop>::World;
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() { end(); }

    Coroutine<> get_one(int getter) {
        tests::Actor actor(order, "getter " + std::to_string(getter));
        story.came.push_back(getter);
        actor.calls("get", &queue);
        const int item = co_await queue.get();
        actor.does("takes item " + std::to_string(item));
        story.taken.push_back({getter, item});
    }

    SomeQueue queue{loop};
    Story story;
    int items = 0;
};

/// All that happens to a queue of this kind.
template <class SomeQueue>
Story play(Order& order, const Numbers& numbers) {
    World<SomeQueue> world(order);
    for (int i = 1; i <= numbers[0]; ++i)
        world.tasks.emplace_back(world.loop, world.get_one(i));
    for (int i = 1; i <= numbers[1]; ++i)
        order.event("getter " + std::to_string(numbers[0] + i) + " comes",
                    [&world, getter = numbers[0] + i] {
                        world.tasks.emplace_back(world.loop, world.get_one(getter));
                    });
    for (int i = 1; i <= numbers[2]; ++i)
        order.event("put", [&world] { world.queue.put(++world.items); });
    order.run(world.loop);
    return world.story;
}

/// Was a getter overtaken?
bool one_was_overtaken(const Story& story) {
    for (std::size_t i = 0; i < story.came.size(); ++i)
        for (std::size_t k = i + 1; k < story.came.size(); ++k) {
            const auto item_of = [&](int getter) {
                for (const Taken& one : story.taken)
                    if (one.getter == getter)
                        return one.item;
                return 0;
            };
            const int earlier = item_of(story.came[i]);
            const int later = item_of(story.came[k]);
            if (later != 0 && (earlier == 0 || earlier > later))
                return true;
        }
    return false;
}

const std::vector<tests::OrderPrograms::Thing> things{
    {"getter", "getters", 1, 2},
    {"late getter", "late getters", 0, 1},
    {"put", "puts", 0, 3},
};

} // namespace

TEST_CASE("stories in which it is plain") {
    CHECK_MESSAGE(is_fair({.came = {}, .taken = {}}), "nothing happened: that is fair.");
    CHECK_MESSAGE(is_fair({.came = {3, 1, 2}, .taken = {{3, 1}, {1, 2}}}),
                  "getters 3, 1 and 2 came in this order, and have item 1, item 2 and no "
                  "item: that is fair.");
    REQUIRE_MESSAGE(!is_fair({.came = {3, 1}, .taken = {{1, 1}, {3, 2}}}),
                    "getter 3 came first, but getter 1 has item 1: that is unfair.");
    CHECK_MESSAGE(
        !is_fair({.came = {3, 1}, .taken = {{1, 1}}}),
        "getter 3 came first and has no item, but getter 1 has item 1: that is unfair.");
}

TEST_CASE("page 12's queue keeps your promise, in every order") {
    tests::check_every_order({.title = "Page 12's queue, judged by your promise.",
                              .things = things,
                              .play = [](Order& order, const Numbers& numbers) {
                                  order.promise(
                                      is_fair(play<Queue<int>>(order, numbers)),
                                      "is_fair is true where no getter was overtaken");
                              }});
}

TEST_CASE("the jumping queue breaks your promise, in every order in which it is unfair") {
    int unfair = 0;
    tests::check_every_order({.title = "The jumping queue, judged by your promise.",
                              .things = things,
                              .play = [&](Order& order, const Numbers& numbers) {
                                  const Story story = play<JumpingQueue>(order, numbers);
                                  if (!one_was_overtaken(story))
                                      return;
                                  ++unfair;
                                  order.promise(
                                      !is_fair(story),
                                      "is_fair is false where a getter was overtaken");
                              }});
    CHECK(unfair > 0);
}
