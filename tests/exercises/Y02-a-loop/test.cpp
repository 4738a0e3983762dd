#include "event_loop.h"
#include "tests/exercises/track/kit.h"
#include "tests/exercises/track/loop_kit.h"
#include "tests/support/socket_pair.h"

#include <sys/socket.h>

using common::Events;
using track::Again;
using track::Alarm;
using track::Clock;
using track::Milliseconds;
using track::Named;
using track::said;
using track::send_byte;
using yours::EventLoop;
using yours::RunQueue;

namespace {

/// Three Runnables, and what they have reported.
struct Three : track::Test<EventLoop> {
    Named a{told, "a"};
    Named b{told, "b"};
    Named c{told, "c"};

    /// Takes everything out of a queue, and returns what the elements report.
    std::string all_of(RunQueue& queue) {
        told.clear();
        for (int i = 0; i < 10 && !queue.empty(); ++i) // not forever
            queue.pop().run();
        return told;
    }
};

void take_byte(const common::Socket& socket) {
    char byte = 0;
    REQUIRE(::recv(socket.fd(), &byte, 1, 0) == 1);
}

/// Opens a test in which only a socket may end a sleep.
void needs_sockets() {
    EventLoop loop;
    const tests::SocketPair pair;
    bool called = false;
    loop.watch(pair.near.fd(), Events::read, [&] { called = true; });
    send_byte(pair.far);
    loop.turn(0ms);
    REQUIRE_MESSAGE(called, "Skipped, because it could sleep forever: first make sure "
                            "that sockets are watched.");
}

} // namespace

// ---- The queue ----

TEST_CASE_FIXTURE(Three, "the queue is first in and first out") {
    RunQueue queue;
    CHECK(queue.empty());
    queue.push(a);
    REQUIRE_MESSAGE(!queue.empty(),
                    "a was put into the queue, and the queue is still empty.");
    queue.push(b);
    queue.push(c);
    const std::string out = all_of(queue);
    REQUIRE_MESSAGE(out == "a b c ",
                    "a, b and c were put in, and these came out: " << said(out));
    queue.push(c);
    CHECK_MESSAGE(all_of(queue) == "c ", "an empty queue can be used again.");
}

TEST_CASE_FIXTURE(Three, "an element that has come out is no longer linked") {
    RunQueue queue;
    RunQueue another;
    queue.push(a);
    queue.push(b);
    REQUIRE_FALSE(queue.empty());
    another.push(queue.pop());
    const std::string out = all_of(another);
    CHECK_MESSAGE(out == "a ",
                  "a has come out of one queue and was put into another, and the element "
                  "after a came along. pop must clear the `next_` of the element that it "
                  "takes out. In the other queue were: "
                      << said(out));
}

TEST_CASE_FIXTURE(Three, "a queue is appended to another") {
    RunQueue ready;
    RunQueue waiters;
    ready.append(waiters);
    CHECK_MESSAGE(ready.empty(), "both queues were empty.");
    waiters.push(b);
    REQUIRE_FALSE(waiters.empty());
    std::string expected;
    SUBCASE("to one that is not empty, and then one more is pushed") {
        ready.push(a);
        ready.append(waiters);
        ready.push(c);
        expected = "a b c ";
    }
    SUBCASE("to one that was emptied, and then one more is pushed") {
        ready.push(c);
        ready.pop();
        waiters.push(c);
        ready.append(waiters);
        ready.push(a);
        expected = "b c a ";
    }
    CHECK_MESSAGE(waiters.empty(),
                  "the elements that were appended to another queue are still in their "
                  "own queue as well: append must leave that queue empty.");
    const std::string out = all_of(ready);
    CHECK_MESSAGE(out == expected, "one queue was appended to the other. Expected: "
                                       << expected << "and these came out: " << said(out)
                                       << "(Which one is the last now?)");
    waiters.push(c);
    CHECK_MESSAGE(all_of(waiters) == "c ",
                  "a queue that was appended to another must be usable again.");
}

TEST_CASE_FIXTURE(Three, "appending an empty queue loses nothing") {
    RunQueue ready;
    RunQueue nobody;
    ready.push(a);
    ready.append(nobody);
    ready.push(b);
    const std::string out = all_of(ready);
    CHECK_MESSAGE(out == "a b ", "an empty queue was appended between a and b, which "
                                 "changes nothing. These came out: "
                                     << said(out));
}

// ---- One turn ----

TEST_CASE_FIXTURE(Three, "L1: what is ready runs first in, first out, each once") {
    loop.make_ready(b);
    loop.make_ready(a);
    CHECK_MESSAGE(told.empty(), "make_ready runs nothing; a turn does.");
    turn();
    CHECK_MESSAGE(told == "b a ",
                  "b and a were ready, and these ran in the turn: " << said(told));
    loop.make_ready(c);
    turn();
    CHECK_MESSAGE(told == "b a c ", "an element that was made ready once runs once. Then "
                                    "c was made ready. In the two turns, these ran: "
                                        << said(told));
}

TEST_CASE_FIXTURE(Three, "the callback of a socket is called as long as it is ready") {
    const Alarm rescue(loop, 1s);
    const tests::SocketPair one, two;
    loop.watch(one.near.fd(), Events::read, [&] { told += "one "; });
    loop.watch(two.near.fd(), Events::read, [&] { told += "two "; });
    turn();
    CHECK_MESSAGE(told.empty(),
                  "nothing has arrived, and a callback was called: " << said(told));
    send_byte(two.far);
    loop.turn(1s);
    REQUIRE_MESSAGE(
        told == "two ",
        "a byte has arrived at the second of two sockets that are watched. Called: "
            << said(told));
    loop.turn(1s);
    CHECK_MESSAGE(
        told == "two two ",
        "the byte was not read, so the callback is called again in each turn. Called: "
            << said(told));
    take_byte(two.near);
    send_byte(one.far);
    told.clear();
    loop.turn(1s);
    CHECK_MESSAGE(told == "one ", "called were: " << said(told));
}

TEST_CASE_FIXTURE(Three, "E4: a socket that is no longer watched calls nothing, and can "
                         "be watched again") {
    const tests::SocketPair pair;
    loop.watch(pair.near.fd(), Events::write, [&] { told += "before "; });
    loop.watch(pair.far.fd(), Events::write, [] {});
    loop.unwatch(pair.near.fd());
    turn();
    CHECK_MESSAGE(told.empty(), "called after `unwatch`: " << said(told));
    loop.watch(pair.near.fd(), Events::write, [&] { told += "anew "; });
    turn();
    CHECK_MESSAGE(
        told == "anew ",
        "the socket has room to write, and is watched for that. Called: " << said(told));
}

TEST_CASE_FIXTURE(Three, "E5: a socket's callback may end its own watch, or that of "
                         "another socket that is ready") {
    const tests::SocketPair pair;
    SUBCASE("its own") {
        const Alarm rescue(loop, 1s);
        loop.watch(pair.near.fd(), Events::write,
                   [this, &pair, word = std::string("once ")] {
                       std::string& all = told;
                       loop.unwatch(pair.near.fd());
                       all += word; // a sanitizer sees whether it's still there
                   });
        turn(2);
        CHECK_MESSAGE(told == "once ",
                      "a callback has ended the watch of its own socket. It still runs "
                      "to its end, and is not called again. It reported: "
                          << said(told));
    }
    SUBCASE("that of another") {
        const auto watch = [&](int fd, int other) {
            loop.watch(fd, Events::write, [&, other] {
                told += "called ";
                loop.unwatch(other);
            });
        };
        watch(pair.near.fd(), pair.far.fd());
        watch(pair.far.fd(), pair.near.fd());
        turn();
        CHECK_MESSAGE(
            told == "called ",
            "two sockets were ready, and the callback of one has ended the watch of the "
            "other, before the other's callback was called. It must not be called any "
            "more, because the objects that it uses may be gone. Called: "
                << said(told));
    }
}

TEST_CASE_FIXTURE(Three,
                  "E3: what a socket's callback makes ready runs in the same turn") {
    const tests::SocketPair pair;
    send_byte(pair.far);
    loop.watch(pair.near.fd(), Events::read, [&] {
        told += "callback ";
        take_byte(pair.near);
        loop.make_ready(a);
    });
    loop.turn(1s);
    CHECK_MESSAGE(
        told == "callback a ",
        "a turn first asks the selector and then runs everything that is ready, "
        "including anything that a callback has made ready. In the turn, these ran: "
            << said(told));
}

TEST_CASE_FIXTURE(Three, "L2: what is made ready in a turn runs in the next one, after "
                         "the selector was asked") {
    const tests::SocketPair pair;
    Again again(loop);
    int called = 0;
    loop.watch(pair.near.fd(), Events::read, [&] { ++called; });
    send_byte(pair.far);
    turn();
    CHECK_MESSAGE(
        again.times == 1,
        "a Runnable that makes itself ready whenever it runs has run "
            << again.times
            << " times in one turn: the loop would never look at a socket again. First "
               "take out the elements that are ready now, then run those.");
    turn();
    CHECK_MESSAGE(
        (again.times == 2 || again.times == 100),
        "an element that was made ready in the first turn runs in the second turn.");
    CHECK_MESSAGE(
        called == 2,
        "a byte has arrived, and no callback was called, because something else was "
        "ready to run. If something is always ready, no socket would ever be looked at.");
}

// ---- Sleeping ----

TEST_CASE_FIXTURE(Three, "E1: while something is ready, no turn sleeps") {
    needs_sockets();
    const Alarm rescue(loop, 3s);
    loop.make_ready(a);
    loop.turn();
    CHECK_MESSAGE(
        !rescue.rang(),
        "something was ready to run, and the turn slept until something arrived at a "
        "socket. Ask the selector in this case as well, but with a timeout of 0.");
    CHECK(told == "a ");
}

TEST_CASE("E2: with nothing ready, a turn sleeps until a socket wakes it or the time is "
          "up") {
    needs_sockets();
    EventLoop loop;
    Alarm alarm(loop, 3s);
    const auto start = Clock::now();
    loop.turn(30ms);
    const auto passed = std::chrono::duration_cast<Milliseconds>(Clock::now() - start);
    CHECK_MESSAGE(!alarm.rang(), "turn(30ms) slept until something arrived, long after "
                                 "its time was up. Does the selector get the timeout?");
    CHECK_MESSAGE(
        passed >= 20ms,
        "turn(30ms) had nothing to do and returned after "
            << passed.count()
            << " ms. A loop that doesn't sleep keeps the processor busy for nothing.");
    Alarm::ring_after(30ms);
    loop.turn();
    CHECK_MESSAGE(alarm.rang(),
                  "nothing was ready, nor was any socket, and turn() returned.");
}
