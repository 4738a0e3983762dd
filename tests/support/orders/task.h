// A task of the small runtime that is asked to end, in every order: a parent waits for a
// child, which waits for an answer. The includer includes its task.h.
#pragma once

#include "tests/support/orders/world.h"

namespace orders {

/// What the child does when it is asked to end.
enum class Asked : std::uint8_t { ends, refuses, fails };

struct TaskWorld : World<small_runtime::EventLoop> {
    using World::World;
    TaskWorld(const TaskWorld&) = delete;
    TaskWorld& operator=(const TaskWorld&) = delete;
    ~TaskWorld() { end(); }

    small_runtime::Coroutine<> child() {
        if (cancels_itself)
            requests += tasks.front().cancel() ? 1 : 0;
        bool was_interrupted = false;
        try {
            const auto answer =
                has_answer ? outcome(is_error ? "the answer is an error" : "the answer",
                                     is_error)
                           : std::make_shared<small_runtime::Future>(loop);
            co_await *answer;
            end_of_child = "well";
        } catch (const small_runtime::Cancelled&) {
            was_interrupted = true;
        } catch (const Rain&) {
            end_of_child = "failed";
            throw;
        }
        if (!was_interrupted)
            co_return;
        ++interruptions;
        end_of_child = if_asked == Asked::ends ? "cancelled" : "failed";
        if (if_asked == Asked::ends)
            throw small_runtime::Cancelled();
        if (if_asked == Asked::fails)
            throw Rain();
        try { // it finishes what it was about
            const auto goodbye = outcome("the goodbye");
            co_await *goodbye;
        } catch (const small_runtime::Cancelled&) {
            ++interruptions;
        }
        end_of_child = "well";
    }

    small_runtime::Coroutine<> parent() {
        try {
            co_await tasks.front();
            end_of_parent = "well";
        } catch (const small_runtime::Cancelled&) {
            end_of_parent = "cancelled";
        } catch (const Rain&) {
            end_of_parent = "failed";
        }
    }

    bool has_answer = false;
    bool is_error = false;
    bool cancels_itself = false; ///< the child, first of all
    Asked if_asked = Asked::ends;

    int interruptions = 0;
    int requests = 0;
    std::string end_of_child = "not done";
    std::string end_of_parent = "not done";
};

inline void play_task(tests::Order& order, const tests::Numbers& numbers) {
    TaskWorld world(order);
    world.has_answer = numbers[0] > 0;
    world.is_error = numbers[0] > 1;
    world.if_asked = static_cast<Asked>(numbers[1]);
    world.cancels_itself = numbers[2] > 0;
    world.tasks.emplace_back(world.loop, world.child());
    world.tasks.emplace_back(world.loop, world.parent());
    small_runtime::Task& child = world.tasks.front();
    small_runtime::Task& parent = world.tasks.back();
    bool child_was_asked = world.cancels_itself;
    bool parent_was_asked = false;
    bool came_too_late = false; // for the child, so that it's the parent's alone
    if (numbers[3] > 0)
        order.event("cancel the child", [&] {
            const bool was_done = child.done();
            child_was_asked = child.cancel() || child_was_asked;
            world.requests += was_done ? 0 : 1;
            order.promise(was_done || !child.done(), "cancel only asks");
        });
    for (int i = 0; i < numbers[4]; ++i)
        order.event("cancel the parent", [&] {
            came_too_late = came_too_late || child.done();
            const bool is_new = parent.cancel();
            parent_was_asked = parent_was_asked || is_new;
            world.requests += is_new ? 1 : 0;
        });
    order.run(world.loop);

    const bool ends = world.has_answer || child_was_asked || parent_was_asked;
    order.promise(child.done() == ends && parent.done() == ends,
                  "each task ends when it has an answer, or was asked to");
    if (!ends)
        return;
    order.promise(world.end_of_child != "not done" && world.end_of_parent != "not done",
                  "no task ends in the middle of its coroutine");
    order.promise(world.interruptions <= world.requests,
                  "a task is interrupted no more often than it is asked to end");
    const bool may_end_otherwise = world.is_error || world.if_asked != Asked::ends;
    order.promise(may_end_otherwise || !child_was_asked
                      || world.end_of_child == "cancelled",
                  "a request to the child isn't lost");
    order.promise(may_end_otherwise || !parent_was_asked
                      || world.end_of_parent == "cancelled",
                  "a request to the parent isn't lost");
    if (!came_too_late)
        order.promise(world.end_of_parent == world.end_of_child,
                      "the parent hears how its child has ended");
}

inline const tests::OrderPrograms tasks{
    .title = "A parent waits for a child, and the child for an answer. Both may be asked "
             "to end.",
    .things = {{"answer", "answers (one of them an error)", 0, 2},
               {"child that refuses", "children (one refuses, one fails)", 0, 2},
               {"child that asks itself", "", 0, 1},
               {"cancel of the child", "", 0, 1},
               {"cancel of the parent", "cancels of the parent", 0, 2}},
    .play = play_task,
};

} // namespace orders
