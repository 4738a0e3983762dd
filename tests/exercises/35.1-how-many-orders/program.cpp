#include "questions.h"
#include "stage3_queue_crawler/small/queue.h"
#include "stage3_queue_crawler/small/task.h"
#include "tests/support/every_order.h"

#include <chrono>
#include <cstddef>
#include <list>

namespace {

using namespace stage3::small;

Coroutine<> take_one(Queue<int>& queue) { co_await queue.get(); }

/// Getters that wait at a queue, items that are put in, and getters that are cancelled.
int orders_of(int getters, int puts, int cancels = 0) {
    const tests::OrderPrograms program{
        .title = "A queue.",
        .play =
            [=](tests::Order& order, const tests::Numbers&) {
                EventLoop loop;
                Queue<int> queue(loop);
                std::list<Task> tasks;
                for (int i = 0; i < getters; ++i)
                    tasks.emplace_back(loop, take_one(queue));
                for (int i = 0; i < puts; ++i)
                    order.event("put", [&queue, i] { queue.put(i); });
                auto task = tasks.begin();
                for (int i = 0; i < cancels; ++i, ++task)
                    order.event("cancel", [task] { task->cancel(); });
                order.run(loop);
                for (Task& one :
                     tasks) // a task must not be destroyed before it has ended
                    one.cancel();
                while (loop.has_ready())
                    loop.turn(std::chrono::milliseconds(0));
            },
    };
    return static_cast<int>(tests::every_order(program).orders);
}

/// Events that make nothing ready, on a loop that has nothing to do.
int orders_of_events(int number) {
    const tests::OrderPrograms program{
        .title = "Events.",
        .play =
            [=](tests::Order& order, const tests::Numbers&) {
                EventLoop loop;
                for (int i = 0; i < number; ++i)
                    order.event("event", [] {});
                order.run(loop);
            },
    };
    return static_cast<int>(tests::every_order(program).orders);
}

} // namespace

Answers run_program() {
    Answers answers;
    answers.one_event = orders_of_events(1);
    answers.three_events = orders_of_events(3);
    answers.one_put = orders_of(1, 1);
    answers.more_getters = orders_of(5, 1);
    answers.two_puts = orders_of(2, 2);
    answers.one_getter = orders_of(1, 2);
    answers.one_cancel = orders_of(1, 0, 1);
    answers.put_and_cancel = orders_of(1, 1, 1);
    return answers;
}
