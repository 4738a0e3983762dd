#include "loop.h"
#include "queue.h"
#include "task.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <ostream> // doctest wants it
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using yours::Cancelled;
using yours::Coroutine;
using yours::Loop;
using yours::Queue;
using yours::Task;

namespace {

/// What a test is about: a loop, a queue, and what was reported.
struct Story {
    Loop loop;
    Queue<int> queue{loop};
    std::string told;

    void say(const std::string& what) { told += (told.empty() ? "" : ", ") + what; }

    /// What was reported since the last time.
    std::string news() { return std::exchange(told, ""); }

    /// Turns, and never sleeps.
    void turn(int times = 1) {
        for (; times > 0; --times)
            loop.EventLoop::turn(0ms);
    }
};

/// Takes one item, and doesn't say that it's dealt with.
Coroutine<> take(Story& story, std::string name) {
    try {
        const int item = co_await story.queue.get();
        story.say(name + " has " + std::to_string(item));
    } catch (const std::exception& error) {
        story.say(name + " hears: " + error.what());
    }
}

Coroutine<> wait_for_all(Story& story, std::string name) {
    co_await story.queue.join();
    story.say(name + " has waited");
}

} // namespace

TEST_CASE("items come out in the order in which they went in") {
    Story story;
    for (const int item : {1, 2, 3})
        story.queue.put(item);
    Task a(story.loop, take(story, "a"));
    Task b(story.loop, take(story, "b"));
    story.turn();
    REQUIRE_MESSAGE(story.news() == "a has 1, b has 2",
                    "the items are there, so no task has to wait: a takes the first one "
                    "and b the second, each in its first turn.");
    Task c(story.loop, take(story, "c"));
    story.turn();
    REQUIRE(story.news() == "c has 3");
}

TEST_CASE("a task that finds the queue empty waits") {
    Story story;
    Task a(story.loop, take(story, "a"));
    story.turn(2);
    REQUIRE_MESSAGE(
        (story.told.empty() && !a.done()),
        "the queue is empty: a should wait in get until there is an item. Reported: "
            << story.told);
    story.queue.put(1);
    REQUIRE_MESSAGE(story.told.empty(),
                    "a task ran inside put. Reported: " << story.told);
    story.turn();
    REQUIRE_MESSAGE(story.told == "a has 1",
                    "a waited, and an item came: in the next turn, a has it. Reported: "
                        << story.told);
}

TEST_CASE("the task that has waited longest is served first") {
    Story story;
    Task a(story.loop, take(story, "a"));
    Task b(story.loop, take(story, "b"));
    Task c(story.loop, take(story, "c"));
    story.turn();
    story.queue.put(1);
    story.turn();
    REQUIRE_MESSAGE(
        story.news() == "a has 1",
        "a, b and c wait, in this order, and one item comes: it belongs to a.");
    story.queue.put(2);
    story.queue.put(3);
    story.turn();
    REQUIRE_MESSAGE(story.told == "b has 2, c has 3",
                    "b and c wait, and two items come: the first belongs to b. Reported: "
                        << story.told);
}

TEST_CASE("no task jumps the line") {
    Story story;
    Task a(story.loop, take(story, "a"));
    story.turn();
    Task late(story.loop, take(story, "late"));
    story.queue.put(1); // late's turn comes before a's
    story.turn();
    REQUIRE_MESSAGE(
        story.news() == "a has 1",
        "a waits, and an item comes. Before a's turn, the task \"late\" asks for one. "
        "But the item has belonged to a since it came, so late has to wait.");
    story.queue.put(2);
    story.turn();
    REQUIRE_MESSAGE(story.told == "late has 2", "Told: " << story.told);
}

TEST_CASE("join waits until everything is dealt with") {
    Story story;
    story.queue.put(1);
    story.queue.put(2);
    Task one(story.loop, wait_for_all(story, "one"));
    Task two(story.loop, wait_for_all(story, "two"));
    story.turn();
    REQUIRE_MESSAGE(story.told.empty(),
                    "join has ended, and no task has taken anything.");
    Task a(story.loop, take(story, "a"));
    Task b(story.loop, take(story, "b"));
    story.turn(2);
    REQUIRE_MESSAGE(story.news() == "a has 1, b has 2",
                    "the queue is empty, but a and b still work, and may put in more: "
                    "join must wait until they have called task_done.");
    story.queue.task_done();
    story.queue.put(3);
    story.queue.task_done();
    story.turn(2);
    REQUIRE_MESSAGE(story.news().empty(),
                    "two of three are dealt with, and join has ended.");
    Task c(story.loop, take(story, "c"));
    story.turn(2);
    REQUIRE_MESSAGE(story.news() == "c has 3",
                    "the last item is taken, but not dealt with: join must wait.");
    story.queue.task_done();
    REQUIRE_MESSAGE(story.told.empty(), "a task ran inside task_done.");
    story.turn();
    REQUIRE_MESSAGE(story.told == "one has waited, two has waited",
                    "everything is dealt with, so join ends for every task that waits "
                    "for it. Reported: "
                        << story.told);
}

TEST_CASE("join returns at once if nothing was put in") {
    Story story;
    Task joiner(story.loop, wait_for_all(story, "one"));
    story.turn(2);
    REQUIRE_MESSAGE(
        story.told == "one has waited",
        "nothing was put in, so there is nothing to wait for, but join waits forever.");
}

TEST_CASE("join returns at once if everything was dealt with before") {
    Story story;
    Task a(story.loop, take(story, "a"));
    story.turn();
    story.queue.put(1);
    story.turn();
    story.queue.task_done();
    story.turn();
    Task joiner(story.loop, wait_for_all(story, "one"));
    story.turn(2);
    REQUIRE_MESSAGE(
        story.told == "a has 1, one has waited",
        "everything was dealt with before join was called, so it ends at once. Reported: "
            << story.told);
}

TEST_CASE("a task that is cancelled leaves the line") {
    Story story;
    Task a(story.loop, take(story, "a"));
    Task b(story.loop, take(story, "b"));
    story.turn();
    a.cancel();
    story.turn();
    REQUIRE(a.done());
    story.queue.put(1);
    story.turn(2);
    REQUIRE_MESSAGE(story.told == "b has 1",
                    "a waited in front of b, was cancelled, and is gone. An item comes, "
                    "and b doesn't get it: is a still in line? Reported: "
                        << story.told);
}

TEST_CASE("an item that was given but not taken is not lost") {
    Story story;
    Task a(story.loop, take(story, "a"));
    SUBCASE("it goes back to the queue") {
        story.turn();
        story.queue.put(1); // a's
        story.queue.put(2);
        a.cancel();
        story.turn(2);
        Task b(story.loop, take(story, "b"));
        Task c(story.loop, take(story, "c"));
        story.turn();
        REQUIRE_MESSAGE(story.told.find("has 1") != std::string::npos,
                        "the item belonged to a, which was cancelled before its turn. So "
                        "a never takes it, nor does any other task: it's lost. Reported: "
                            << story.told);
        REQUIRE_MESSAGE(
            story.told == "b has 1, c has 2",
            "the first item belonged to a, which was cancelled before its turn. No other "
            "task waits, so it goes back to the front of the queue. Reported: "
                << story.told);
    }
    SUBCASE("it goes to the next task in line") {
        Task b(story.loop, take(story, "b"));
        story.turn();
        story.queue.put(1); // a's
        a.cancel();
        story.turn(3);
        REQUIRE_MESSAGE(
            story.told == "b has 1",
            "the item belonged to a, which was cancelled before its turn. b has been "
            "waiting for one all along, but doesn't get it. Reported: "
                << story.told);
    }
    SUBCASE("even if it came after the request") {
        Task b(story.loop, take(story, "b"));
        story.turn();
        a.cancel();
        story.queue.put(1);
        story.turn(3);
        REQUIRE_MESSAGE(story.told == "b has 1",
                        "a waited in front of b, and was cancelled; before its turn, an "
                        "item came. Only b is there to take it. Reported: "
                            << story.told);
    }
    SUBCASE("a task that comes in between finds it") {
        story.turn();
        story.queue.put(1); // a's
        a.cancel();
        Task b(story.loop, take(story, "b"));
        story.turn(3);
        REQUIRE_MESSAGE(story.told == "b has 1", "Told: " << story.told);
    }
    SUBCASE("join still waits for it") {
        Task joiner(story.loop, wait_for_all(story, "one"));
        story.queue.put(1);
        Task other(story.loop, take(story, "b")); // waits: 1 is a's, who comes first
        story.turn();
        const std::string first = story.news();
        REQUIRE(first == "a has 1");
        story.queue.put(2); // other's
        other.cancel();
        story.turn(3);
        story.queue.task_done(); // of 1
        story.turn(2);
        REQUIRE_MESSAGE(
            story.news().empty(),
            "2 went back to the queue, and isn't dealt with: join must wait for it.");
        Task c(story.loop, take(story, "c"));
        story.turn();
        story.queue.task_done();
        story.turn(2);
        REQUIRE_MESSAGE(story.told == "c has 2, one has waited",
                        "2 went back to the queue, was taken again, and is dealt with, "
                        "so join ends. It was put in once, and counts once. Reported: "
                            << story.told);
    }
    REQUIRE(a.done());
}

namespace {

/// It has no default, and can't be copied.
class Parcel {
  public:
    explicit Parcel(int number) : number_(std::make_unique<int>(number)) {}
    int number() const { return number_ ? *number_ : 0; }

  private:
    std::unique_ptr<int> number_;
};

Coroutine<> take_parcel(Queue<Parcel>& queue, std::string& told) {
    const Parcel parcel = co_await queue.get();
    told += " " + std::to_string(parcel.number());
}

} // namespace

TEST_CASE("the queue passes items that can only be moved") {
    Loop loop;
    Queue<Parcel> queue(loop);
    std::string told;
    Task waits(loop, take_parcel(queue, told));
    Task gone(loop, take_parcel(queue, told));
    loop.EventLoop::turn(0ms);
    queue.put(Parcel(1));
    queue.put(Parcel(2));
    queue.put(Parcel(3));
    gone.cancel();
    for (int i = 0; i < 3; ++i)
        loop.EventLoop::turn(0ms);
    Task late(loop, take_parcel(queue, told));
    loop.EventLoop::turn(0ms);
    REQUIRE_MESSAGE(told == " 1 2", "Told:" << told);
}

namespace {

/// Takes items forever, and notes them.
Coroutine<> work(Queue<int>& queue, std::vector<int>& dealt_with) {
    while (true) {
        const int item = co_await queue.get();
        ++dealt_with.at(static_cast<std::size_t>(item));
        queue.task_done();
    }
}

/// Takes one, and is never done with it.
Coroutine<> hold(Queue<int>& queue) {
    const int item = co_await queue.get();
    (void)item;
}

} // namespace

TEST_CASE("no item is lost when many tasks are cancelled") {
    Loop loop;
    Queue<int> queue(loop);
    queue.put(0);
    Task holder(loop, hold(queue)); // so that join doesn't end before the end
    loop.EventLoop::turn(0ms);
    std::vector<int> dealt_with(300);
    std::list<Task> workers;
    for (int item = 0; item < 300; ++item) {
        workers.emplace_back(loop, work(queue, dealt_with));
        if (item % 3 != 0)
            loop.EventLoop::turn(0ms);
        queue.put(item);
        if (item % 2 == 0)
            workers.back().cancel();
        if (item % 5 == 0)
            workers.front().cancel();
        if (item % 7 == 0)
            loop.EventLoop::turn(0ms);
        while (!workers.empty() && workers.front().done())
            workers.pop_front();
    }
    workers.emplace_back(loop, work(queue, dealt_with));
    for (int i = 0; i < 5; ++i)
        loop.EventLoop::turn(0ms);
    int lost = 0;
    int twice = 0;
    for (const int times : dealt_with) {
        lost += times == 0 ? 1 : 0;
        twice += times > 1 ? 1 : 0;
    }
    REQUIRE_MESSAGE(lost == 0, lost << " of 300 items were lost, while workers came, "
                                       "waited, and were cancelled.");
    REQUIRE_MESSAGE(twice == 0, twice << " of 300 items were dealt with twice.");
    REQUIRE_MESSAGE(!queue.join().done(),
                    "one item is not dealt with, but join has ended.");
    queue.task_done();
    REQUIRE_MESSAGE(queue.join().done(),
                    "all items are dealt with, but join doesn't end.");
    for (Task& worker : workers)
        worker.cancel();
    for (int i = 0; i < 3; ++i)
        loop.EventLoop::turn(0ms);
}
