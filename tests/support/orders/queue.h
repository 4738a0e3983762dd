// A queue of the small runtime, in every order of its puts, cancels and joins. The
// includer includes its queue.h.
#pragma once

#include "tests/support/orders/world.h"

namespace orders {

struct QueueWorld : World<small_runtime::EventLoop> {
    using World::World;
    QueueWorld(const QueueWorld&) = delete;
    QueueWorld& operator=(const QueueWorld&) = delete;
    ~QueueWorld() { end(); }

    small_runtime::Coroutine<> get_one(int getter) {
        tests::Actor actor(order, "getter " + std::to_string(getter));
        actor.calls("get", &queue);
        const int item = co_await queue.get();
        actor.does("takes " + std::to_string(item));
        order.promise(std::ranges::count(taken, item) == 0, "no item is taken twice");
        check_turn(getter);
        taken.push_back(item);
        queue.task_done();
        times_nothing_left += taken.size() == put.size() ? 1 : 0;
    }

    void check_turn(int getter) {
        if (getter <= getters_at_first) {
            order.promise(getter > last_getter, "getters are served in turn");
            last_getter = getter;
        } else if (is_late_in_line) { // has an item that wasn't for one of the others
            order.promise(put.size() > taken.size()
                                           + static_cast<std::size_t>(getters_at_first
                                                                      - last_getter),
                          "no getter jumps the line");
        }
    }

    void put_one(int item) {
        put.push_back(item);
        queue.put(item);
    }

    /// The small queue can be joined only until nothing has been left once.
    small_runtime::Coroutine<> join() {
        ++joins;
        const bool is_first_time = times_nothing_left == 0;
        const bool is_nothing_left = taken.size() == put.size();
        times_nothing_left += is_nothing_left ? 1 : 0;
        co_await queue.join();
        ++joined;
        order.promise(!is_first_time || is_nothing_left || times_nothing_left > 0,
                      "join doesn't end before all is done");
    }

    small_runtime::Queue<int> queue{loop};
    std::vector<int> put, taken;
    int getters_at_first = 0;
    bool is_late_in_line =
        false; ///< a getter comes when others wait, and none is cancelled
    int last_getter = 0;
    int times_nothing_left = 0;
    int joins = 0;
    int joined = 0;
};

inline void play_queue(tests::Order& order, const tests::Numbers& numbers) {
    const int getters = numbers[0];
    const int cancels = numbers[3];
    const int puts = numbers[4];
    QueueWorld world(order);
    world.getters_at_first = getters;
    world.is_late_in_line = cancels == 0;
    for (int i = 1; i <= getters; ++i)
        world.tasks.emplace_back(world.loop, world.get_one(i));
    if (numbers[1] > 0)
        order.event("getter " + std::to_string(getters + 1) + " comes",
                    [&world, getters] {
                        world.tasks.emplace_back(world.loop, world.get_one(getters + 1));
                    });
    for (int i = 1; i <= numbers[2]; ++i)
        order.event("join " + std::to_string(i),
                    [&world] { world.tasks.emplace_back(world.loop, world.join()); });
    for (int i = 1; i <= puts; ++i)
        order.event("put " + std::to_string(i), [&world, i] { world.put_one(i); });
    auto task = world.tasks.begin();
    for (int i = 1; i <= cancels; ++i, ++task)
        order.event("cancel getter " + std::to_string(i), [task] { task->cancel(); });
    order.run(world.loop);

    const std::size_t left = world.put.size() - world.taken.size();
    order.promise(left == 0
                      || world.not_done()
                             == static_cast<std::size_t>(world.joins - world.joined),
                  "no getter sleeps while there is an item");
    order.promise(cancels > 0 || numbers[1] > 0
                      || std::ranges::equal(
                          world.taken, std::span(world.put).first(world.taken.size())),
                  "items leave in the order in which they came");
    // What is left is in the queue.
    for (std::size_t i = 0; i < left; ++i)
        world.tasks.emplace_back(world.loop, world.get_one(100 + static_cast<int>(i)));
    world.tasks.emplace_back(world.loop, world.join());
    order.run(world.loop);
    order.promise(world.taken.size() == world.put.size(), "no item is lost");
    order.promise(world.joined == world.joins, "join ends when all is done");
}

inline const tests::OrderPrograms queues{
    .title = "Getters wait at a queue, and some of them are cancelled.",
    .things = {{"getter", "getters", 1, 3},
               {"late getter", "late getters", 0, 1},
               {"join", "joins", 0, 2},
               {"cancel", "cancels", 0, 2},
               {"put", "puts", 0, 3}},
    .makes_sense =
        [](const tests::Numbers& numbers) {
            const int extra = numbers[1] + numbers[2];
            return numbers[3] <= numbers[0]
                   && (extra == 0
                       || (numbers[0] < 3 && numbers[3] + extra + numbers[4] <= 4));
        },
    .play = play_queue,
};

} // namespace orders
