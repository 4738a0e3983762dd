#include "task.h"

#include <doctest/doctest.h>

#include <chrono>
#include <exception>
#include <ostream> // doctest wants it
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;
using yours::Cancelled;
using yours::Coroutine;
using yours::Future;
using yours::Loop;
using yours::Task;

namespace {

/// What a test is about: a loop, two futures to wait for, and what was reported.
struct Story {
    Loop loop;
    Future future{loop};
    Future other{loop};
    std::string told;

    void say(const std::string& what) { told += (told.empty() ? "" : ", ") + what; }

    /// Turns, and never sleeps.
    void turn(int times = 1) {
        for (; times > 0; --times)
            loop.EventLoop::turn(0ms);
    }
};

/// Reports when it is destroyed.
class Lent {
  public:
    Lent(Story& story, std::string name) : story_(story), name_(std::move(name)) {}
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { story_.say(name_ + " gives back"); }

  private:
    Story& story_;
    std::string name_;
};

/// How a task has ended.
std::string end_of(const Task& task) {
    if (!task.done())
        return "not done";
    try {
        task.throw_if_failed();
        return "well";
    } catch (const Cancelled&) {
        return "cancelled";
    } catch (const std::exception& error) {
        return error.what();
    }
}

Coroutine<> inner(Story& story) {
    const Lent lent(story, "inner");
    story.say("inner waits");
    co_await story.future;
    story.say("inner goes on");
}

Coroutine<> outer(Story& story) {
    const Lent lent(story, "outer");
    co_await inner(story);
    story.say("outer goes on");
}

Coroutine<> stubborn(Story& story) {
    try {
        co_await inner(story);
    } catch (const Cancelled&) {
        story.say("no, thanks");
    }
    co_await story.other;
    story.say("stubborn goes on");
}

Coroutine<> wait_for_task(Story& story, Task& task) {
    story.say("waits for a task");
    co_await task;
    story.say("has waited");
}

Coroutine<> fail(Story& story) {
    co_await story.future;
    throw std::runtime_error("it rains");
}

} // namespace

TEST_CASE("a task is the future of its own end") {
    Story story;
    Task task(story.loop, outer(story));
    REQUIRE_MESSAGE(story.told.empty(), "making a task runs none of it.");
    story.turn();
    REQUIRE_MESSAGE(story.told == "inner waits",
                    "one turn later, the task has begun. Reported: " << story.told);
    REQUIRE_MESSAGE(!task.done(), "the task is done, but its coroutine still waits.");
    story.future.set_result();
    story.turn();
    CHECK(story.told
          == "inner waits, inner goes on, inner gives back, outer goes on, outer gives "
             "back");
    REQUIRE_MESSAGE(task.done(), "its coroutine has ended, but the task is not done.");
    REQUIRE_MESSAGE(
        end_of(task) == "well",
        "its coroutine has returned, but the task has failed: " << end_of(task));
}

TEST_CASE("a task keeps what its coroutine threw") {
    Story story;
    Task task(story.loop, fail(story));
    story.turn();
    story.future.set_result();
    bool left_the_turn = false;
    try {
        story.turn();
    } catch (const std::runtime_error&) {
        left_the_turn = true;
    }
    REQUIRE_MESSAGE(!left_the_turn,
                    "what a task's coroutine threw came out of the loop's turn, which "
                    "has no use for it: keep it in the task.");
    for (const std::string time : {"first", "second"})
        REQUIRE_MESSAGE(
            end_of(task) == "it rains",
            "the coroutine has thrown \"it rains\". A caller that asks the task for the "
                << time << " time hears: " << end_of(task));
}

TEST_CASE("a task can be awaited") {
    Story story;
    SUBCASE("and returns") {
        Task task(story.loop, outer(story));
        Task waiter(story.loop, wait_for_task(story, task));
        story.turn();
        story.future.set_result();
        story.turn(2);
        REQUIRE_MESSAGE(
            end_of(waiter) == "well",
            "the task has ended, and the one that waited for it: " << end_of(waiter));
    }
    SUBCASE("and throws") {
        Task task(story.loop, fail(story));
        Task waiter(story.loop, wait_for_task(story, task));
        story.turn();
        story.future.set_result();
        story.turn(2);
        REQUIRE_MESSAGE(
            end_of(waiter) == "it rains",
            "co_await task throws what the task threw. The one that waited for it: "
                << end_of(waiter));
    }
}

TEST_CASE("run_until_complete ends as its task does") {
    Story story;
    story.loop.call_later(2ms, [&] { story.future.set_result(); });
    story.loop.call_later(5s, [] { throw std::runtime_error("it turns for ever"); });
    SUBCASE("returns") {
        Task task(story.loop, outer(story));
        run_until_complete(story.loop, task);
        REQUIRE_MESSAGE(task.done(),
                        "run_until_complete has returned, but the task is not done.");
    }
    SUBCASE("throws") {
        Task task(story.loop, fail(story));
        std::string thrown = "nothing";
        try {
            run_until_complete(story.loop, task);
        } catch (const std::runtime_error& error) {
            thrown = error.what();
        }
        REQUIRE_MESSAGE(thrown == "it rains",
                        "the task has failed with \"it rains\", so run_until_complete "
                        "throws that. It has thrown: "
                            << thrown);
    }
}

TEST_CASE("a request to end is thrown where the task waits") {
    Story story;
    Task task(story.loop, outer(story));
    story.turn();
    story.told.clear();
    const bool asked = task.cancel();
    REQUIRE_MESSAGE(story.told.empty(), "something ran inside cancel: " << story.told);
    REQUIRE_MESSAGE(asked, "the task waits, so cancel asks it to end and returns true.");
    REQUIRE_MESSAGE(!task.done(), "the task is done right after cancel, before its "
                                  "coroutine has even heard of it.");
    REQUIRE_MESSAGE(story.future.done(),
                    "the task waits for a future: cancel that, and the rest follows.");
    story.turn();
    REQUIRE_MESSAGE(story.told == "inner gives back, outer gives back",
                    "in the next turn, Cancelled is thrown where the innermost coroutine "
                    "waits, and travels outwards. Reported: "
                        << story.told);
    REQUIRE_MESSAGE(
        end_of(task) == "cancelled",
        "no handler has caught Cancelled, so the task has ended with it. It is: "
            << end_of(task));
}

TEST_CASE("a task may refuse a request to end") {
    Story story;
    Task task(story.loop, stubborn(story));
    story.turn();
    story.told.clear();
    task.cancel();
    story.turn(2);
    REQUIRE_MESSAGE(story.told == "inner gives back, no, thanks",
                    "its coroutine catches Cancelled. Reported: " << story.told);
    REQUIRE_MESSAGE(!story.other.done(),
                    "the task was asked once, and refused. But the next future that it "
                    "waits for was cancelled as well.");
    REQUIRE_MESSAGE(
        end_of(task) == "not done",
        "the task refused, and waits for something else. It is: " << end_of(task));
    story.other.set_result();
    story.turn();
    REQUIRE_MESSAGE(end_of(task) == "well",
                    "the task refused, and returned. It is: " << end_of(task));
}

TEST_CASE("a task that waits for a task passes the request on") {
    Story story;
    SUBCASE("and learns how that ends") {
        Task child(story.loop, outer(story));
        Task parent(story.loop, wait_for_task(story, child));
        story.turn();
        REQUIRE(parent.cancel());
        REQUIRE_MESSAGE((!child.done() && !parent.done()),
                        "right after cancel, neither the task nor the one that it waits "
                        "for is done.");
        story.turn();
        REQUIRE_MESSAGE(end_of(child) == "cancelled",
                        "the task waits for another one, so that is asked in its place. "
                        "The other one: "
                            << end_of(child));
        REQUIRE_MESSAGE(!parent.done(),
                        "the parent has ended before the task that it waits for.");
        story.turn();
        REQUIRE_MESSAGE(end_of(parent) == "cancelled",
                        "the task it waited for was cancelled, so co_await throws "
                        "Cancelled. The parent: "
                            << end_of(parent));
    }
    SUBCASE("and that task refuses") {
        Task child(story.loop, stubborn(story));
        Task parent(story.loop, wait_for_task(story, child));
        story.turn();
        parent.cancel();
        story.turn();
        story.other.set_result();
        story.turn(3);
        REQUIRE_MESSAGE(end_of(child) == "well", "the other one: " << end_of(child));
        REQUIRE_MESSAGE(end_of(parent) == "well",
                        "the task it waits for was asked in its place, and refused. So "
                        "the parent carries on as well. It is: "
                            << end_of(parent));
    }
}

TEST_CASE("a task cancelled between result and resumption throws") {
    Story story;
    Task task(story.loop, outer(story));
    story.turn();
    story.future.set_result();
    REQUIRE_MESSAGE(task.cancel(), "the task is not done: it can be asked.");
    story.turn();
    REQUIRE_MESSAGE(end_of(task) == "cancelled",
                    "what the task waited for has happened, but its turn had not come "
                    "when it was asked: its co_await still throws. It ended: "
                        << end_of(task));
}

namespace {

/// Counts how often it was asked.
class Asked : public yours::Future {
  public:
    using Future::Future;
    bool cancel() override {
        ++times;
        return Future::cancel();
    }
    int times = 0;
};

Coroutine<> wait_for_it(yours::Future& future) { co_await future; }

} // namespace

TEST_CASE("cancel also asks what a ready task waited for") {
    Story story;
    Asked asked(story.loop);
    Task task(story.loop, wait_for_it(asked));
    story.turn();
    asked.set_result();
    task.cancel();
    CHECK_MESSAGE(asked.times == 1,
                  "what the task waits for is done; ask it nevertheless. It returns "
                  "false, but may want to know: a time limit (Y08) does.");
    story.turn();
    CHECK(end_of(task) == "cancelled");
}

namespace {

Coroutine<> ask_itself(Story& story, Task*& self) {
    self->cancel();
    story.say("has asked itself");
    co_await inner(story);
}

Coroutine<> ask_and_refuse(Story& story, Task*& self) {
    self->cancel();
    co_await stubborn(story);
}

} // namespace

TEST_CASE("a task that cancels itself throws at its next wait") {
    Story story;
    Task* self = nullptr;
    SUBCASE("and ends") {
        Task task(story.loop, ask_itself(story, self));
        self = &task;
        story.turn();
        REQUIRE_MESSAGE(story.told == "has asked itself, inner waits",
                        "a request does nothing to a task that runs until it waits for "
                        "something. Reported: "
                            << story.told);
        story.turn();
        REQUIRE_MESSAGE(
            end_of(task) == "cancelled",
            "the task was asked while it ran, so its next wait throws. It is: "
                << end_of(task));
    }
    SUBCASE("and refuses") {
        Task task(story.loop, ask_and_refuse(story, self));
        self = &task;
        story.turn(3);
        REQUIRE_MESSAGE(!story.other.done(),
                        "the task was asked while it ran: that is thrown at its next "
                        "wait. But it was thrown again at the wait after that.");
        story.other.set_result();
        story.turn();
        REQUIRE_MESSAGE(end_of(task) == "well",
                        "the task refused, and returned. It is: " << end_of(task));
    }
}

TEST_CASE("a task cancelled before it begins runs no line") {
    Story story;
    Task task(story.loop, outer(story));
    REQUIRE_MESSAGE(task.cancel(),
                    "the task has not begun, so it is not done: it can be asked.");
    REQUIRE_MESSAGE(!task.done(), "cancel only asks: the task ends when its turn comes.");
    story.turn();
    REQUIRE_MESSAGE(
        story.told.empty(),
        "the task was asked before it began, so no line of it runs. Reported: "
            << story.told);
    REQUIRE_MESSAGE(
        end_of(task) == "cancelled",
        "the task was asked before it began, so it ends when its turn comes. It is: "
            << end_of(task));
}

namespace {

Coroutine<> ask_itself_and_end(Task*& self, bool well) {
    self->cancel();
    if (!well)
        throw std::runtime_error("it rains");
    co_return;
}

} // namespace

TEST_CASE("a request is never lost") {
    Story story;
    Task* self = nullptr;
    Task task(story.loop, ask_itself_and_end(self, true));
    self = &task;
    Task parent(story.loop, wait_for_task(story, task));
    story.turn(2);
    REQUIRE_MESSAGE(
        end_of(task) == "cancelled",
        "the task was asked while it ran, and never came to a wait that could throw. The "
        "request must not get lost: it ends cancelled. It is: "
            << end_of(task));
    REQUIRE(end_of(parent) == "cancelled");
}

TEST_CASE("an error says more than a request does") {
    Story story;
    Task* self = nullptr;
    Task task(story.loop, ask_itself_and_end(self, false));
    self = &task;
    story.turn();
    REQUIRE_MESSAGE(end_of(task) == "it rains",
                    "the task was asked while it ran, and threw something else: that is "
                    "what it has failed with. It is: "
                        << end_of(task));
}

TEST_CASE("two requests before its turn cancel a task once") {
    Story story;
    Task task(story.loop, stubborn(story));
    story.turn();
    task.cancel();
    REQUIRE_MESSAGE(task.cancel(), "the task is not done: it can be asked again.");
    story.turn(2);
    REQUIRE_MESSAGE(!story.other.done(),
                    "the task was asked twice before its turn came, and Cancelled was "
                    "thrown twice. Once is enough.");
    story.other.set_result();
    story.turn();
    REQUIRE_MESSAGE(end_of(task) == "well", "it is: " << end_of(task));
}

TEST_CASE("a task that is done can't be cancelled") {
    Story story;
    Task task(story.loop, outer(story));
    story.turn();
    story.future.set_result();
    story.turn();
    REQUIRE_MESSAGE(
        !task.cancel(),
        "the task has already ended: it's too late to ask, so cancel returns false.");
    REQUIRE_MESSAGE(
        end_of(task) == "well",
        "the task had ended well, and was cancelled after that. It is: " << end_of(task));
}
