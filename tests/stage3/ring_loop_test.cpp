// The smallest loop on io_uring: what is lent comes back, whatever becomes of its frame.
//
// The variable OPERATIONS sets how many operations are cancelled at random moments.
#include "common/system/socket.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/socket_io.h"
#include "stage3_queue_crawler/small/task.h"
#include "tests/support/in_bulk.h"
#include "tests/support/prelude.h"
#include "tests/support/process.h"

#include <cerrno>
#include <list>
#include <random>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace stage3::small;

namespace {

/// Each is the other's peer. They block, as this loop wants it.
struct Pair {
    Pair() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        near = common::Socket(ends[0]);
        far = common::Socket(ends[1]);
    }
    void send(const std::string& bytes) {
        std::error_code error;
        CHECK(far.send(bytes, error) == bytes.size());
    }
    common::Socket near;
    common::Socket far;
};

struct Outcome {
    std::string bytes = {};
    bool was_cancelled = false;
};

Coroutine<> receive(EventLoop& loop, common::Socket& socket, Outcome& outcome) {
    try {
        outcome.bytes = co_await stage3::small::receive(loop, socket);
    } catch (const Cancelled&) {
        outcome.was_cancelled = true;
    }
}

/// Turns until the kernel has handed back everything. False if that takes a second.
bool all_comes_back(EventLoop& loop) {
    for (int turns = 0; loop.lent() > 0 && turns < 1000; ++turns)
        loop.turn(1ms);
    return loop.lent() == 0;
}

TEST_CASE("the loop on io_uring: a completion resumes the coroutine that waits") {
    EventLoop loop;
    Pair pair;
    Outcome outcome;
    Task task(loop, receive(loop, pair.near, outcome));
    loop.turn(0ms);
    CHECK(loop.lent() == 1);
    pair.send("hello");
    run_until_complete(loop, task);
    CHECK(outcome.bytes == "hello");
    CHECK(loop.lent() == 0);
}

TEST_CASE("the loop on io_uring: a cancelled task ends when the kernel has let go") {
    EventLoop loop;
    Pair pair;
    Outcome outcome;
    Task task(loop, receive(loop, pair.near, outcome));
    loop.turn(0ms);
    bool is_too_late = false;
    SUBCASE("nothing has arrived") {}
    SUBCASE("it is complete, but the loop hasn't looked yet") {
        loop.turn(0ms); // submits it
        pair.send("hello");
        is_too_late = true;
    }
    CHECK(task.cancel());
    CHECK_FALSE(task.done());
    run_until_complete(loop, task);
    CHECK(outcome.was_cancelled);
    CHECK(loop.lent() == 0);
    if (is_too_late)
        return;
    pair.send("later"); // and it hasn't been read
    Outcome next;
    Task another(loop, receive(loop, pair.near, next));
    run_until_complete(loop, another);
    CHECK(next.bytes == "later");
}

TEST_CASE("the loop on io_uring: a destroyed frame leaves its buffer to the kernel") {
    EventLoop loop;
    Pair pair;
    Outcome outcome;
    std::optional<Task> task;
    task.emplace(loop, receive(loop, pair.near, outcome));
    loop.turn(0ms);
    loop.turn(0ms);
    task.reset();
    CHECK(loop.lent() == 1);
    CHECK(all_comes_back(loop));
    CHECK(outcome.bytes.empty());
}

TEST_CASE(
    "the loop on io_uring: what was to be read from a closed socket isn't read from "
    "the next one with its number") {
    EventLoop loop;
    Outcome outcome;
    auto pair = std::make_unique<Pair>();
    const int number = pair->near.fd();
    auto task = std::make_unique<Task>(loop, receive(loop, pair->near, outcome));
    loop.turn(0ms); // requests it; the next turn would submit it
    task.reset();
    pair.reset();
    Pair next;
    REQUIRE(next.near.fd() == number);
    next.send("mine");
    Task another(loop, receive(loop, next.near, outcome));
    run_until_complete(loop, another);
    CHECK(outcome.bytes == "mine");
}

TEST_CASE("the loop on io_uring ends only when the kernel has handed everything back") {
    Pair pair;
    Outcome outcome;
    {
        EventLoop loop;
        std::list<Task> tasks;
        for (int i = 0; i < 10; ++i)
            tasks.emplace_back(loop, receive(loop, pair.near, outcome));
        loop.turn(0ms);
        loop.turn(0ms);
        tasks.clear();
        CHECK(loop.lent() == 10);
    }
    pair.send("hello");
    std::error_code error;
    std::array<char, 8> chunk{};
    CHECK(pair.near.receive(chunk, error) == 5); // no one else has read it
}

TEST_CASE("the loop on io_uring takes more requests than its ring has room for") {
    EventLoop loop;
    Pair pair;
    std::vector<Outcome> outcomes(5000, {.bytes = "unchanged"});
    std::list<Task> tasks;
    for (Outcome& outcome : outcomes)
        tasks.emplace_back(loop, receive(loop, pair.near, outcome));
    loop.turn(0ms);
    CHECK(loop.lent() == outcomes.size());
    pair.far.close();
    for (Task& task : tasks)
        run_until_complete(loop, task);
    for (const Outcome& outcome : outcomes)
        CHECK(outcome.bytes.empty());
}

/// From here on, the kernel answers io_uring_setup with EPERM, as in many containers.
void forbid_io_uring() {
    std::array<sock_filter, 4> program{
        {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    const sock_fprog filter{.len = program.size(), .filter = program.data()};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

TEST_CASE("the loop on io_uring says so if it isn't allowed") {
    Pair pipe;
    const pid_t child = ::fork();
    if (child == 0) {
        forbid_io_uring();
        try {
            const EventLoop loop;
        } catch (const std::system_error& error) {
            pipe.send(error.what());
        }
        std::_Exit(0);
    }
    pipe.far.close();
    ::waitpid(child, nullptr, 0);
    std::array<char, 200> said{};
    std::error_code error;
    const auto size = pipe.near.receive(said, error);
    CHECK(std::string_view(said.data(), size)
          == "io_uring can't be used here: io_uring_setup: Operation not permitted");
}

TEST_CASE("the tour of io_uring prints what its page shows") {
    const auto printed_by = [](const char* number) {
        const auto finished = tests::run_program("RING_TOUR", {number});
        CHECK(finished.status == 0);
        return finished.out;
    };
    CHECK(printed_by("1") == "  complete: receive: 8\n  my note says: buy beer\n");
    // Of two completions, either may come first.
    const std::string asked = printed_by("2");
    for (const char* const line :
         {"  complete: request to end it: 0\n",
          "  complete: receive: Operation canceled\n", "  complete: receive: 5\n",
          "  complete: request to end it: No such file or directory\n"})
        CHECK(asked.find(line) != std::string::npos);
    const std::string limited = printed_by("3");
    for (const char* const line :
         {"  complete: time limit: Timer expired\n",
          "  complete: receive: Operation canceled\n", "  complete: receive: 5\n",
          "  complete: time limit: Operation canceled\n"})
        CHECK(limited.find(line) != std::string::npos);
}

// ---- Cancelling at random moments ----

/// Receives in many tasks, and ends each of them in one of several ways.
class Storm {
  public:
    explicit Storm(unsigned seed) : random_(seed) {}

    void run(int operations) {
        std::list<Lane> lanes(50);
        while (ended_ < operations) {
            for (Lane& lane : lanes)
                step(lane);
            loop_.turn(0ms);
        }
        for (Lane& lane : lanes)
            if (lane.task)
                lane.task->cancel();
        for (Lane& lane : lanes)
            if (lane.task)
                run_until_complete(loop_, *lane.task);
        CHECK(all_comes_back(loop_));
    }

    int received = 0;
    int cancelled = 0;
    int destroyed = 0;

  private:
    struct Lane {
        Pair pair;
        Outcome outcome;
        std::optional<Task> task;
        bool has_begun = false; // else it's in the loop's queue, and mustn't be destroyed
    };

    void step(Lane& lane) {
        if (!lane.task) {
            lane.outcome = {};
            lane.task.emplace(loop_, receive(loop_, lane.pair.near, lane.outcome));
            lane.has_begun = false;
        } else if (lane.task->done()) {
            ++(lane.outcome.was_cancelled ? cancelled : received);
            end(lane);
        } else if (std::exchange(lane.has_begun, true)) {
            meddle(lane);
        }
        if (random_() % 4 == 0)
            lane.pair.send("some bytes");
    }

    void meddle(Lane& lane) {
        switch (random_() % 6) {
        case 0:
        case 1: lane.task->cancel(); break;
        case 2:
            ++destroyed;
            end(lane);
            break;
        default: break;
        }
    }

    /// Its sockets may still be the kernel's; and the next have the same numbers.
    void end(Lane& lane) {
        ++ended_;
        lane.task.reset();
        if (random_() % 2 == 0)
            lane.pair = Pair();
    }

    std::mt19937 random_;
    EventLoop loop_;
    int ended_ = 0;
};

TEST_CASE("the loop on io_uring: operations are cancelled at random moments, and each "
          "comes back") {
    const char* const number = std::getenv("OPERATIONS");
    const int operations = number != nullptr ? std::stoi(number) : tests::in_bulk(5000);
    Storm storm(1);
    storm.run(operations);
    CHECK(storm.received > operations / 20);
    CHECK(storm.cancelled > operations / 20);
    CHECK(storm.destroyed > operations / 20);
    MESSAGE(storm.received << " received, " << storm.cancelled << " cancelled, "
                           << storm.destroyed << " destroyed");
}

} // namespace
