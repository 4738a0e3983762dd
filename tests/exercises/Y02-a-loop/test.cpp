#include "event_loop.h"
#include "tests/support/socket_pair.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <string>

#include <sys/socket.h>
#include <sys/time.h>

using common::Events;
using namespace std::chrono_literals;
using yours::EventLoop;
using yours::Runnable;
using yours::RunQueue;

namespace {

/// What was reported, for a message.
std::string said(const std::string& told) { return told.empty() ? "nothing" : told; }

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// Reports its name when it runs.
class Named final : public Runnable {
  public:
    Named(std::string& told, std::string name) : told_(told), name_(std::move(name)) {}
    void run() override { told_ += name_ + " "; }

  private:
    std::string& told_;
    std::string name_;
};

/// Three of them, and what they have reported.
struct Three {
    std::string told;
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

/// Makes itself ready whenever it runs, a hundred times at most.
class Again final : public Runnable {
  public:
    explicit Again(EventLoop& loop) : loop_(loop) { loop.make_ready(*this); }
    void run() override {
        if (++times < 100)
            loop_.make_ready(*this);
    }
    int times = 0;

  private:
    EventLoop& loop_;
};

void send_byte(const common::Socket& socket) {
    REQUIRE(::send(socket.fd(), "x", 1, 0) == 1);
}
void take_byte(const common::Socket& socket) {
    char byte = 0;
    REQUIRE(::recv(socket.fd(), &byte, 1, 0) == 1);
}

/// Wakes a loop after a while, as a server would: a byte arrives at a socket that the
/// loop watches. So a sleep that would never end does end, and the test can say what is
/// wrong.
class Alarm {
  public:
    Alarm(EventLoop& loop, Milliseconds delay) : loop_(loop) {
        loop.watch(pair_.near.fd(), Events::read, [this] { rang_ = true; });
        far_end = pair_.far.fd();
        std::signal(SIGALRM, [](int) { static_cast<void>(::send(far_end, "x", 1, 0)); });
        ring_after(delay);
    }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm() {
        ring_after(0ms); // never
        loop_.unwatch(pair_.near.fd());
    }

    /// Whether it was this that ended a turn.
    bool rang() const { return rang_; }

  private:
    static void ring_after(Milliseconds delay) {
        itimerval timer{};
        timer.it_value.tv_sec = static_cast<time_t>(delay.count() / 1000);
        timer.it_value.tv_usec = static_cast<suseconds_t>(delay.count() % 1000 * 1000);
        ::setitimer(ITIMER_REAL, &timer, nullptr);
    }

    static inline volatile std::sig_atomic_t far_end = -1;

    EventLoop& loop_;
    tests::SocketPair pair_;
    bool rang_ = false;
};

/// Whether sockets are watched.
bool sockets_wake_it = false;

/// Opens a test in which only a socket may end a sleep.
void needs_sockets() {
    if (!sockets_wake_it)
        FAIL("Skipped, because it could sleep forever: first make sure that sockets are "
             "watched.");
}

} // namespace

// ---- The queue ----

TEST_CASE("the queue is first in and first out") {
    Three three;
    RunQueue queue;
    CHECK(queue.empty());
    queue.push(three.a);
    REQUIRE_MESSAGE(!queue.empty(),
                    "a was put into the queue, and the queue is still empty.");
    queue.push(three.b);
    queue.push(three.c);
    const std::string out = three.all_of(queue);
    REQUIRE_MESSAGE(out == "a b c ",
                    "a, b and c were put in, and these came out: " << said(out));
    queue.push(three.c);
    CHECK_MESSAGE(three.all_of(queue) == "c ", "an empty queue can be used again.");
}

TEST_CASE("an element that has come out is no longer linked") {
    Three three;
    RunQueue queue;
    RunQueue another;
    queue.push(three.a);
    queue.push(three.b);
    REQUIRE_FALSE(queue.empty());
    another.push(queue.pop());
    const std::string out = three.all_of(another);
    CHECK_MESSAGE(out == "a ",
                  "a has come out of one queue and was put into another, and the element "
                  "after it came along. pop must clear the `next_` of the one that it "
                  "takes out. In the other queue were: "
                      << said(out));
}

TEST_CASE("a queue is appended to another") {
    Three three;
    RunQueue ready;
    RunQueue waiters;
    ready.append(waiters);
    CHECK_MESSAGE(ready.empty(), "both queues were empty.");
    waiters.push(three.b);
    REQUIRE_FALSE(waiters.empty());
    std::string expected;
    SUBCASE("to one that is not empty, and then one more is pushed") {
        ready.push(three.a);
        ready.append(waiters);
        ready.push(three.c);
        expected = "a b c ";
    }
    SUBCASE("to one that was emptied, and then one more is pushed") {
        ready.push(three.c);
        ready.pop();
        waiters.push(three.c);
        ready.append(waiters);
        ready.push(three.a);
        expected = "b c a ";
    }
    CHECK_MESSAGE(waiters.empty(), "the elements that were appended to another queue are "
                                   "still in their own as well: leave that empty.");
    const std::string out = three.all_of(ready);
    CHECK_MESSAGE(out == expected, "one queue was appended to the other. Expected: "
                                       << expected << "and these came out: " << said(out)
                                       << "(Which one is the last now?)");
    waiters.push(three.c);
    CHECK_MESSAGE(three.all_of(waiters) == "c ",
                  "a queue that was appended to another must be usable again.");
}

TEST_CASE("appending an empty queue loses nothing") {
    Three three;
    RunQueue ready;
    RunQueue nobody;
    ready.push(three.a);
    ready.append(nobody);
    ready.push(three.b);
    const std::string out = three.all_of(ready);
    CHECK_MESSAGE(out == "a b ", "an empty queue was appended between a and b, which "
                                 "changes nothing. These came out: "
                                     << said(out));
}

// ---- One turn ----

TEST_CASE("a turn runs what is ready") {
    Three three;
    EventLoop loop;
    loop.make_ready(three.a);
    loop.make_ready(three.b);
    CHECK_MESSAGE(three.told.empty(), "make_ready runs nothing; a turn does.");
    loop.turn(0ms);
    CHECK_MESSAGE(three.told == "a b ",
                  "a and b were ready, and these ran in the turn: " << said(three.told));
    loop.make_ready(three.c);
    loop.turn(0ms);
    CHECK_MESSAGE(
        three.told == "a b c ",
        "what was made ready once runs once. Then c was made ready. In both turns ran: "
            << said(three.told));
}

TEST_CASE("what is made ready in a turn runs in the next one") {
    EventLoop loop;
    Again again(loop);
    loop.turn(0ms);
    CHECK_MESSAGE(again.times == 1,
                  "a Runnable that makes itself ready whenever it runs has run "
                      << again.times
                      << " times in one turn: the loop would never look at a socket "
                         "again. First take out what is ready now, then run that.");
    loop.turn(0ms);
    CHECK_MESSAGE((again.times == 2 || again.times == 100),
                  "what was made ready in the first turn runs in the second.");
}

TEST_CASE("the callback of a socket is called as long as it is ready") {
    EventLoop loop;
    const Alarm rescue(loop, 1s);
    const tests::SocketPair one;
    const tests::SocketPair two;
    std::string called;
    loop.watch(one.near.fd(), Events::read, [&] { called += "one "; });
    loop.watch(two.near.fd(), Events::read, [&] { called += "two "; });
    loop.turn(0ms);
    CHECK_MESSAGE(called.empty(),
                  "nothing has arrived, and a callback was called: " << said(called));
    send_byte(two.far);
    loop.turn(1s);
    REQUIRE_MESSAGE(
        called == "two ",
        "a byte has arrived at the second of two sockets that are watched. Called: "
            << said(called));
    sockets_wake_it = true;
    loop.turn(1s);
    CHECK_MESSAGE(
        called == "two two ",
        "the byte was not read, so the callback is called again in each turn. Called: "
            << said(called));
    take_byte(two.near);
    send_byte(one.far);
    called.clear();
    loop.turn(1s);
    CHECK_MESSAGE(called == "one ", "called were: " << said(called));

    called.clear();
    loop.unwatch(one.near.fd());
    loop.turn(0ms);
    CHECK_MESSAGE(called.empty(), "called after `unwatch`: " << said(called));
    loop.watch(one.near.fd(), Events::read, [&] { called += "anew "; });
    loop.turn(1s);
    CHECK_MESSAGE(called == "anew ",
                  "a socket can be watched again. Called: " << said(called));
}

TEST_CASE("a socket can be watched for writing") {
    EventLoop loop;
    const tests::SocketPair pair;
    std::string called;
    loop.watch(pair.near.fd(), Events::write, [&] { called += "write "; });
    loop.turn(1s);
    CHECK_MESSAGE(called == "write ", "the socket has room. Called: " << said(called));
}

TEST_CASE("what a callback makes ready runs in the same turn") {
    Three three;
    EventLoop loop;
    const tests::SocketPair pair;
    send_byte(pair.far);
    loop.watch(pair.near.fd(), Events::read, [&] {
        three.told += "callback ";
        take_byte(pair.near);
        loop.make_ready(three.a);
    });
    loop.turn(1s);
    CHECK_MESSAGE(three.told == "callback a ",
                  "a turn first asks the selector and then runs what is ready, including "
                  "what a callback has made ready. In the turn came: "
                      << said(three.told));
}

TEST_CASE("the loop checks its sockets however busy it is") {
    EventLoop loop;
    const tests::SocketPair pair;
    Again again(loop);
    bool called = false;
    loop.watch(pair.near.fd(), Events::read, [&] { called = true; });
    send_byte(pair.far);
    loop.turn(0ms);
    CHECK_MESSAGE(
        called,
        "a byte has arrived, and no callback was called, because something else was "
        "ready to run. If something always is, no socket would ever be looked at.");
}

// ---- Sleeping ----

TEST_CASE("a turn does not sleep if something is ready") {
    needs_sockets();
    Three three;
    EventLoop loop;
    const Alarm rescue(loop, 3s);
    loop.make_ready(three.a);
    loop.turn();
    CHECK_MESSAGE(
        !rescue.rang(),
        "something was ready to run, and the turn slept until something arrived at a "
        "socket. Ask the selector in this case as well, but with a timeout of 0.");
    CHECK(three.told == "a ");
}

TEST_CASE("a turn sleeps no longer than it may") {
    needs_sockets();
    EventLoop loop;
    const Alarm rescue(loop, 3s);
    const auto start = Clock::now();
    loop.turn(30ms);
    const auto passed = std::chrono::duration_cast<Milliseconds>(Clock::now() - start);
    CHECK_MESSAGE(!rescue.rang(), "turn(30ms) slept until something arrived, long after "
                                  "its time was up. Does the selector get the timeout?");
    CHECK_MESSAGE(
        passed >= 20ms,
        "turn(30ms) had nothing to do and returned after "
            << passed.count()
            << " ms. A loop that doesn't sleep keeps the processor busy for nothing.");
}

TEST_CASE("a turn without a timeout sleeps until a socket is ready") {
    needs_sockets();
    EventLoop loop;
    const Alarm alarm(loop, 30ms);
    loop.turn();
    CHECK_MESSAGE(alarm.rang(),
                  "nothing was ready, nor was any socket, and turn() returned.");
}
