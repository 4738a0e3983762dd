// Every order in which outside events can come between the turns of the small runtime:
// its tasks, queue, group and time limit.
#include "stage3_queue_crawler/small/group.h"
#include "stage3_queue_crawler/small/loop.h"
#include "stage3_queue_crawler/small/queue.h"
#include "stage3_queue_crawler/small/task.h"

namespace small_runtime = stage3::small;

#include "tests/support/orders/queue.h"
#include "tests/support/orders/task.h"
#include "tests/support/orders/time_limit.h"

using namespace stage3::small;
using orders::Rain;
using tests::Numbers;
using tests::Order;

namespace {

TEST_CASE("page 11's task in every order") {
    tests::check_every_order(orders::tasks, 500);
}

TEST_CASE("page 12's queue in every order") {
    tests::check_every_order(orders::queues, 9000);
}

TEST_CASE("page 14's time limit in every order") {
    tests::check_every_order(orders::limits, 400);
}

// ---- The group ----

struct GroupWorld : orders::World<EventLoop> {
    using World::World;
    GroupWorld(const GroupWorld&) = delete;
    GroupWorld& operator=(const GroupWorld&) = delete;
    ~GroupWorld() { end(); }
    Group group{loop};
    int alive = 0;
    bool has_ended = false;
    std::string how;
};

/// Resolves a future in the loop's next turn.
class NextTurn final : public Runnable {
  public:
    NextTurn(EventLoop& loop, Future& future) : future_(future) {
        loop.make_ready(*this);
    }
    void run() override { future_.set_result(); }

  private:
    Future& future_;
};

/// Waits until it is asked to end.
Coroutine<> wait_forever(GroupWorld& state) {
    Future never(state.loop);
    co_await never;
}

/// Its end takes a turn more, even if it was asked for.
Coroutine<> child(GroupWorld& state, std::string name, bool fails, bool starts) {
    ++state.alive;
    const auto over = state.outcome(name + (fails ? " fails" : " is done"), fails);
    std::exception_ptr error;
    try {
        co_await *over;
    } catch (...) {
        error = std::current_exception();
    }
    if (starts)
        state.group.start(wait_forever(state));
    Future turn(state.loop);
    NextTurn next(state.loop, turn);
    try {
        co_await turn;
    } catch (const Cancelled&) { // NOLINT(bugprone-empty-catch): it ends anyway
    }
    --state.alive;
    if (error)
        std::rethrow_exception(error);
}

Coroutine<> wait(GroupWorld& state) {
    try {
        co_await state.group.wait();
        state.how = "returned";
    } catch (const Rain&) {
        state.how = "threw";
    } catch (const Cancelled&) {
        state.how = "was cancelled";
    }
    state.has_ended = true;
    state.order.promise(state.alive == 0, "no child outlives its group");
}

void play_group(Order& order, const Numbers& numbers) {
    const bool one_fails = numbers[1] > 0;
    const bool starts_another = numbers[2] > 0;
    const bool is_cancelled = numbers[3] > 0;
    GroupWorld world(order);
    for (int i = 1; i <= numbers[0]; ++i)
        world.group.start(child(world, "child " + std::to_string(i), one_fails && i == 1,
                                starts_another && i == 1));
    world.tasks.emplace_back(world.loop, wait(world));
    if (is_cancelled)
        order.event("cancel", [&world] { world.tasks.front().cancel(); });
    order.run(world.loop);
    order.promise(world.has_ended, "the group ends");
    order.promise(world.tasks.front().done(), "its task ends");
    world.tasks.front().throw_if_failed();
    order.promise(is_cancelled || world.how == (one_fails ? "threw" : "returned"),
                  "it says how it has ended");
}

const tests::OrderPrograms groups{
    .title = "Page 14's group: children end when they like, and need a turn for it. One "
             "may start another child as it ends, which waits until it is asked to end.",
    .things = {{"child", "children", 1, 3},
               {"failure", "failures", 0, 1},
               {"late child", "late children", 0, 1},
               {"cancel", "cancels", 0, 1}},
    .makes_sense =
        [](const Numbers& numbers) {
            return numbers[2] <= numbers[1] + numbers[3]
                   && numbers[0] + numbers[1] + numbers[3] <= 4;
        },
    .play = play_group,
};

TEST_CASE("page 14's group in every order") { tests::check_every_order(groups, 5000); }

} // namespace
