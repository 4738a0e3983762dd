#include "coroutine.h"
#include "queue.h"
#include "task.h"
#include "tests/exercises/track/task_kit.h"

namespace small_runtime = yours;

#include "tests/support/orders/queue.h"

using yours::Coroutine;
using yours::Queue;
using yours::Task;

namespace {

/// A loop, a queue, and what was reported.
struct Line : track::Story {
    Queue<int> queue{loop};
};

/// Takes one item, and doesn't say that it's dealt with.
Coroutine<> take(Line& line, std::string name) {
    const int item = co_await line.queue.get();
    line.say(name + " has " + std::to_string(item));
}

Coroutine<> take_three(Line& line) {
    for (int i = 0; i < 3; ++i)
        co_await take(line, "it");
}

Coroutine<> wait_for_all(Line& line, std::string name) {
    co_await line.queue.join();
    line.say(name + " has waited");
}

} // namespace

TEST_CASE_FIXTURE(Line, "Q1: the items leave in the order in which they came") {
    for (const int item : {3, 1, 2})
        queue.put(item);
    const Task a(loop, take(*this, "a"));
    const Task b(loop, take(*this, "b"));
    turn();
    REQUIRE_MESSAGE(news() == "a has 3, b has 1",
                    "the items are there, so no task has to wait: a takes the first one "
                    "and b the second, each in its first turn.");
    const Task c(loop, take(*this, "c"));
    turn();
    REQUIRE(told == "c has 2");
}

TEST_CASE_FIXTURE(Line, "Q5: get waits for an item") {
    const Task a(loop, take(*this, "a"));
    turn(2);
    REQUIRE_MESSAGE(
        (told.empty() && !a.done()),
        reported("the queue is empty: a should wait in get until there is an item."));
    queue.put(1);
    REQUIRE_MESSAGE(told.empty(), reported("a task ran inside put."));
    turn();
    REQUIRE_MESSAGE(told == "a has 1",
                    reported("a waited, and an item came: in the next turn, a has it."));
}

TEST_CASE_FIXTURE(Line, "Q6: get does not give up control if there is an item") {
    for (const int item : {1, 2, 3})
        queue.put(item);
    const Task task(loop, take_three(*this));
    turn();
    REQUIRE_MESSAGE(told == "it has 1, it has 2, it has 3",
                    "three items are there, and a task takes them, one after the other. "
                    "There is nothing to wait for. In its first turn it reported: "
                        << told);
}

TEST_CASE_FIXTURE(Line, "Q13: waiting tasks are served in turn") {
    const Task a(loop, take(*this, "a"));
    const Task b(loop, take(*this, "b"));
    const Task c(loop, take(*this, "c"));
    turn();
    for (const std::string wanted : {"a has 1", "b has 2", "c has 3"}) {
        queue.put(wanted.back() - '0');
        turn();
        REQUIRE_MESSAGE(
            told == wanted,
            reported("a, b and c wait, in this order, and one item comes: it belongs to "
                     "a. The next one is b's, and the last one c's."));
        told.clear();
    }
}

TEST_CASE_FIXTURE(Line, "Q7: as many waiting tasks wake as there are items") {
    const Task a(loop, take(*this, "a"));
    const Task b(loop, take(*this, "b"));
    turn();
    queue.put(1);
    queue.put(2);
    turn();
    REQUIRE_MESSAGE(
        told == "a has 1, b has 2",
        reported("a and b wait, and two items come: the first belongs to a."));
}

TEST_CASE_FIXTURE(Line, "Q14: no task jumps the line") {
    const Task a(loop, take(*this, "a"));
    turn();
    const Task late(loop, take(*this, "late"));
    queue.put(1); // late's turn comes before a's
    turn();
    REQUIRE_MESSAGE(
        news() == "a has 1",
        "a waits, and an item comes. Before a's turn, the task \"late\" asks for one. "
        "But the item has belonged to a since it came, so late has to wait.");
    queue.put(2);
    turn();
    REQUIRE_MESSAGE(told == "late has 2", "Told: " << told);
}

// ---- Until all is dealt with ----

TEST_CASE_FIXTURE(Line, "J3: join waits for task_done of every item, not only until they "
                        "are taken") {
    queue.put(1);
    queue.put(2);
    const Task joiner(loop, wait_for_all(*this, "one"));
    turn();
    REQUIRE_MESSAGE(told.empty(), "join has ended, and no task has taken anything.");
    const Task a(loop, take(*this, "a"));
    const Task b(loop, take(*this, "b"));
    turn(2);
    REQUIRE_MESSAGE(news() == "a has 1, b has 2",
                    "the queue is empty, but a and b still work, and may put in more: "
                    "join must wait until they have called task_done.");
    queue.task_done();
    queue.put(3);
    queue.task_done();
    turn(2);
    REQUIRE_MESSAGE(news().empty(),
                    "two of three items are dealt with, and join has ended already.");
    const Task c(loop, take(*this, "c"));
    turn(2);
    REQUIRE_MESSAGE(news() == "c has 3",
                    "the last item is taken, but not dealt with: join must wait.");
    queue.task_done();
    REQUIRE_MESSAGE(told.empty(), "a task ran inside task_done.");
    turn();
    REQUIRE_MESSAGE(told == "one has waited",
                    reported("everything is dealt with, so join ends."));
}

TEST_CASE_FIXTURE(Line, "J1: join returns at once if nothing is unfinished") {
    const Task first(loop, wait_for_all(*this, "one"));
    turn();
    REQUIRE_MESSAGE(
        news() == "one has waited",
        "nothing was put in, so there is nothing to wait for, but join waits forever.");
    queue.put(1);
    queue.task_done();
    const Task second(loop, wait_for_all(*this, "two"));
    turn();
    REQUIRE_MESSAGE(
        told == "two has waited",
        reported(
            "everything was dealt with before join was called, so it ends at once."));
}

TEST_CASE_FIXTURE(Line, "J5: task_done only counts: it needs no get") {
    queue.put(1);
    const Task joiner(loop, wait_for_all(*this, "one"));
    turn();
    REQUIRE(told.empty());
    queue.task_done();
    turn();
    REQUIRE_MESSAGE(told == "one has waited",
                    "an item was dealt with, though no task has taken it, and join waits "
                    "forever.");
}

TEST_CASE_FIXTURE(Line, "J6: all tasks that join wake when the count is 0") {
    queue.put(1);
    const Task one(loop, wait_for_all(*this, "one"));
    const Task two(loop, wait_for_all(*this, "two"));
    turn();
    queue.task_done();
    const Task late(loop, wait_for_all(*this, "late"));
    turn(2);
    for (const Task* task : {&one, &two, &late})
        REQUIRE_MESSAGE(task->done(), reported("everything is dealt with, so join ends "
                                               "for every task that waits for it."));
}

TEST_CASE_FIXTURE(Line, "J7: an item that comes after the last task_done does not hold "
                        "back the tasks it woke") {
    queue.put(1);
    const Task joiner(loop, wait_for_all(*this, "one"));
    turn();
    queue.task_done();
    queue.put(2);
    turn();
    REQUIRE_MESSAGE(
        told == "one has waited",
        reported(
            "everything was dealt with, and join had ended when another item came."));
}

// ---- Cancelled ----

TEST_CASE_FIXTURE(Line, "Q8: a cancelled get leaves the line, and swallows nothing") {
    Task a(loop, take(*this, "a"));
    const Task b(loop, take(*this, "b"));
    turn();
    a.cancel();
    turn();
    REQUIRE(a.done());
    queue.put(1);
    turn(2);
    REQUIRE_MESSAGE(told == "b has 1",
                    reported("a waited in front of b, was cancelled, and is gone. An "
                             "item comes, and b doesn't get it: is a still in line?"));
}

TEST_CASE_FIXTURE(
    Line, "Q15: a served get that is cancelled loses nothing if no other task waits") {
    Task a(loop, take(*this, "a"));
    turn();
    queue.put(1); // a's
    queue.put(2);
    a.cancel();
    SUBCASE("it goes back to the queue") { turn(2); }
    SUBCASE("a task that comes in between finds it") {}
    const Task b(loop, take(*this, "b"));
    const Task c(loop, take(*this, "c"));
    turn(3);
    REQUIRE_MESSAGE(
        told.find("has 1") != std::string::npos,
        reported("the item belonged to a, which was cancelled before its turn. So a "
                 "never takes it, nor does any other task: it's lost."));
    REQUIRE_MESSAGE(
        told == "b has 1, c has 2",
        reported("the first item belonged to a, which was cancelled before its turn. No "
                 "other task waits, so it goes back to the front of the queue."));
}

TEST_CASE_FIXTURE(Line,
                  "Q9: a get that is cancelled after it was served passes the item on") {
    Task a(loop, take(*this, "a"));
    const Task b(loop, take(*this, "b"));
    turn();
    SUBCASE("the item came before the request") {
        queue.put(1); // a's
        a.cancel();
    }
    SUBCASE("the item came after the request, and before its turn") {
        a.cancel();
        queue.put(1);
    }
    turn(3);
    REQUIRE_MESSAGE(
        told == "b has 1",
        reported("the item belonged to a, which was cancelled before its turn. b has "
                 "been waiting for one all along, but doesn't get it."));
}

TEST_CASE_FIXTURE(Line, "Q16: the queue is fair and loses nothing at the same time") {
    Task a(loop, take(*this, "a")), b(loop, take(*this, "b"));
    const Task c(loop, take(*this, "c")), d(loop, take(*this, "d"));
    turn();
    const Task late(loop, take(*this, "late"));
    queue.put(1);
    queue.put(2);
    a.cancel();
    b.cancel();
    turn(3);
    REQUIRE_MESSAGE(
        told == "c has 1, d has 2",
        reported(
            "two items belonged to a and b, which were cancelled before their turn. The "
            "items go to c and d, which wait, and not to \"late\", which came last."));
}

TEST_CASE_FIXTURE(Line, "an item that goes back to the queue counts once") {
    Task a(loop, take(*this, "a"));
    turn();
    queue.put(1); // a's
    a.cancel();
    const Task joiner(loop, wait_for_all(*this, "one"));
    turn(3);
    REQUIRE_MESSAGE(
        told.empty(),
        "item 1 went back to the queue, and isn't dealt with: join must wait for it.");
    const Task b(loop, take(*this, "b"));
    turn();
    queue.task_done();
    turn(2);
    REQUIRE_MESSAGE(
        told == "b has 1, one has waited",
        reported("item 1 went back to the queue, was taken again, and is dealt with, so "
                 "join ends. The item was put in once, and counts once."));
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

TEST_CASE_FIXTURE(track::Story, "the queue passes items that can only be moved") {
    Queue<Parcel> queue(loop);
    const Task waits(loop, take_parcel(queue, told));
    Task gone(loop, take_parcel(queue, told));
    turn();
    for (const int number : {1, 2, 3})
        queue.put(Parcel(number));
    gone.cancel();
    turn(3);
    const Task late(loop, take_parcel(queue, told));
    turn();
    REQUIRE_MESSAGE(told == " 1 2", "Told:" << told);
}

TEST_CASE("O2: in every order, no task sleeps beside an item, and no item is lost") {
    if (!tests::a_case_has_failed())
        tests::check_every_order(orders::queues);
}
