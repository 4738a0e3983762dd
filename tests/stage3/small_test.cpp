// The smallest versions of stage 3's parts.
#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/future.h"
#include "stage3_queue_crawler/small/group.h"
#include "stage3_queue_crawler/small/queue.h"
#include "stage3_queue_crawler/small/shared_queue.h"
#include "stage3_queue_crawler/small/task.h"
#include "tests/support/prelude.h"
#include "tests/support/process.h"
#include "tests/support/socket_pair.h"

#include <random>

using namespace stage3::small;

namespace {

using Log = std::vector<std::string>;

/// Notes when it runs.
class Named : public Runnable {
  public:
    Named(Log& log, std::string name) : log_(log), name_(std::move(name)) {}
    void run() override { log_.push_back(name_); }

  private:
    Log& log_;
    std::string name_;
};

/// Notes when it is destroyed.
class Noted {
  public:
    Noted(Log& log, std::string text) : log_(log), text_(std::move(text)) {}
    Noted(const Noted&) = delete;
    Noted& operator=(const Noted&) = delete;
    ~Noted() { log_.push_back(text_); }

  private:
    Log& log_;
    std::string text_;
};

/// A loop, what may run in it, and what it has done.
struct Small {
    EventLoop loop;
    Future future{loop};
    Queue<int> queue{loop};
    Log log;
};

// ---- The loop and the future ----

TEST_CASE("the smallest run queue: one queue is spliced onto another") {
    Log log;
    Named a(log, "a");
    Named b(log, "b");
    Named c(log, "c");
    RunQueue ready;
    RunQueue waiters;
    ready.append(waiters); // there are none
    CHECK(ready.empty());
    waiters.push(b);
    waiters.push(c);
    SUBCASE("the other queue holds one") {
        ready.push(a);
        ready.append(waiters);
    }
    SUBCASE("the other queue is empty") {
        ready.append(waiters);
        ready.push(a);
    }
    CHECK(waiters.empty());
    waiters.push(ready.pop()); // can be used again
    while (!ready.empty())
        ready.pop().run();
    CHECK(log.size() == 2);
    waiters.pop().run();
    CHECK((log == Log{"b", "c", "a"} || log == Log{"c", "a", "b"}));
}

/// Makes itself ready again in each turn.
class Again : public Runnable {
  public:
    explicit Again(EventLoop& loop) : loop_(loop) { loop.make_ready(*this); }
    void run() override {
        ++times;
        loop_.make_ready(*this);
    }
    int times = 0;

  private:
    EventLoop& loop_;
};

TEST_CASE_FIXTURE(Small,
                  "the smallest loop: what a turn makes ready runs in the next one") {
    Again again(loop);
    loop.turn();
    CHECK(again.times == 1);
    loop.turn();
    CHECK(again.times == 2);
}

#ifndef ON_IO_URING // the other loop watches nothing

TEST_CASE_FIXTURE(Small, "the smallest loop: a callback may unwatch its own descriptor") {
    const tests::SocketPair pair;
    loop.watch(pair.near.fd(), common::Events::write, [&, text = std::string(40, 'x')] {
        loop.unwatch(pair.near.fd());
        log.push_back(text); // a sanitizer sees whether it's still there
    });
    loop.turn();
    loop.turn(std::chrono::milliseconds(0));
    CHECK(log == Log{std::string(40, 'x')});
}

TEST_CASE_FIXTURE(
    Small, "the smallest loop: a callback may unwatch a descriptor that is ready, too") {
    const tests::SocketPair pair;
    int calls = 0;
    const auto watch = [&](int fd, int other) {
        loop.watch(fd, common::Events::write, [&, other] {
            ++calls;
            loop.unwatch(other);
        });
    };
    watch(pair.near.fd(), pair.far.fd());
    watch(pair.far.fd(), pair.near.fd());
    loop.turn(); // both are ready
    CHECK(calls == 1);
}

#endif

TEST_CASE_FIXTURE(Small, "the smallest future runs nothing inside set_result") {
    Named a(log, "a");
    Named b(log, "b");
    future.add_waiter(a);
    future.add_waiter(b);
    future.set_result();
    CHECK(future.done());
    CHECK(log.empty());
    loop.turn();
    CHECK(log == Log{"a", "b"});
    future.set_result(); // a second call changes nothing
    CHECK_FALSE(future.cancel());
    CHECK_NOTHROW(future.throw_if_failed());
}

// ---- Coroutines ----

Coroutine<int> doubled(int value, Log& log) {
    log.emplace_back("doubles");
    if (value == 3)
        throw std::runtime_error("not 3");
    co_return 2 * value;
}

Coroutine<> doubling(std::vector<int> values, Log& log) {
    for (const int value : values) {
        try {
            const int twice = co_await doubled(value, log);
            log.push_back(fmt::format("{}", twice));
        } catch (const std::runtime_error& error) {
            log.emplace_back(error.what());
        }
    }
}

TEST_CASE_FIXTURE(Small,
                  "the smallest coroutine: values and errors come out of co_await") {
    Task task(loop, doubling({2, 3}, log));
    CHECK(log.empty()); // neither the call nor making a task runs anything
    run_until_complete(loop, task);
    CHECK(log == Log{"doubles", "4", "doubles", "not 3"});
}

Coroutine<> nothing() { co_return; }

Coroutine<> many_children(int count) {
    for (int i = 0; i < count; ++i)
        co_await nothing();
}

TEST_CASE_FIXTURE(Small,
                  "the smallest coroutine: a hundred thousand children need no stack") {
    Task task(loop, many_children(100'000));
    loop.turn(); // the task never waits, so one step is enough
    CHECK(task.done());
}

Coroutine<> throws() {
    throw std::runtime_error("from inside");
    co_return;
}

TEST_CASE_FIXTURE(Small, "the smallest task keeps its error until it is asked") {
    Task task(loop, throws());
    loop.turn();
    CHECK(task.done());
    CHECK_THROWS_WITH_AS(run_until_complete(loop, task), "from inside",
                         std::runtime_error);
}

// ---- Cancelling ----

Coroutine<> inner(Future& future, Log& log) {
    const Noted local(log, "inner gives back");
    log.emplace_back("inner waits");
    co_await future;
    log.emplace_back("inner goes on");
}

Coroutine<> polite(Future& future, Log& log) {
    const Noted local(log, "polite gives back");
    co_await inner(future, log);
}

Coroutine<> stubborn(Future& future, Log& log) {
    try {
        co_await inner(future, log);
    } catch (const Cancelled&) {
        log.emplace_back("no, thanks");
    }
}

/// True if the task's end is that it was cancelled.
bool was_cancelled(const Task& task) {
    try {
        task.throw_if_failed();
        return false;
    } catch (const Cancelled&) {
        return true;
    }
}

TEST_CASE_FIXTURE(Small, "the smallest task that waits gets the exception a turn later") {
    SUBCASE("it ends") {
        Task task(loop, polite(future, log));
        loop.turn();
        CHECK(task.cancel());
        CHECK_FALSE(task.done());
        CHECK(log == Log{"inner waits"});
        loop.turn();
        CHECK(task.done());
        CHECK(was_cancelled(task));
        CHECK(log == Log{"inner waits", "inner gives back", "polite gives back"});
        CHECK_FALSE(task.cancel()); // too late
    }
    SUBCASE("it refuses") {
        Task task(loop, stubborn(future, log));
        loop.turn();
        CHECK(task.cancel());
        loop.turn();
        CHECK(task.done());
        CHECK_FALSE(was_cancelled(task));
        CHECK(log == Log{"inner waits", "inner gives back", "no, thanks"});
    }
}

Coroutine<> wait_until_done(Queue<int>& queue, Log& log) {
    co_await queue.join();
    log.emplace_back("all done");
}

// ---- The queue ----

Coroutine<> take_one(Queue<int>& queue, std::string name, Log& log) {
    const int item = co_await queue.get();
    log.push_back(fmt::format("{} has {}", name, item));
    queue.task_done();
}

TEST_CASE_FIXTURE(Small, "the smallest queue serves the getter that has waited longest") {
    queue.put(1);
    queue.put(2);
    Task a(loop, take_one(queue, "a", log));
    Task b(loop, take_one(queue, "b", log));
    Task c(loop, take_one(queue, "c", log));
    Task d(loop, take_one(queue, "d", log));
    loop.turn();
    CHECK(log == Log{"a has 1", "b has 2"});
    queue.put(3);
    Task late(loop, take_one(queue, "late", log)); // finds no item, since 3 belongs to c
    queue.put(4);
    queue.put(5);
    run_until_complete(loop, late);
    CHECK(log == Log{"a has 1", "b has 2", "c has 3", "late has 5", "d has 4"});
}

TEST_CASE_FIXTURE(Small, "the smallest queue: join ends when all items are dealt with") {
    Queue<int> unused(loop);
    Task at_once(loop, wait_until_done(unused, log));
    loop.turn();
    CHECK(log == Log{"all done"});
    queue.put(1);
    Task joiner(loop, wait_until_done(queue, log));
    loop.turn();
    CHECK(log.size() == 1);
    Task a(loop, take_one(queue, "a", log));
    run_until_complete(loop, joiner);
    CHECK(log == Log{"all done", "a has 1", "all done"});
}

// ---- The group ----

/// Waits for `future`, and notes its own end, whether by a result or an exception.
Coroutine<> wait_for(Future& future, std::string name, Log& log) {
    const Noted end(log, name + " ends");
    co_await future;
    log.push_back(name + " has it");
}

Coroutine<> fail() {
    throw std::runtime_error("can't be done");
    co_return;
}

Coroutine<> run_group(Group& group, Log& log) {
    try {
        co_await group.wait();
        log.emplace_back("all done");
    } catch (const std::runtime_error& error) {
        log.emplace_back(error.what());
    }
}

TEST_CASE_FIXTURE(Small,
                  "the smallest group: its wait returns when every child has ended, "
                  "and at once if there is none") {
    Future second(loop);
    Group group(loop);
    Task alone(loop, run_group(group, log));
    loop.turn();
    CHECK(log == Log{"all done"});
    group.start(wait_for(future, "a", log));
    future.set_result();
    loop.turn();
    group.start(wait_for(second, "b", log)); // after others have ended
    Future third(loop);
    group.start(wait_for(third, "c", log));
    Task owner(loop, run_group(group, log));
    loop.turn();
    third.set_result();
    loop.turn();
    CHECK_FALSE(owner.done());
    second.set_result();
    run_until_complete(loop, owner);
    CHECK(log
          == Log{"all done", "a has it", "a ends", "c has it", "c ends", "b has it",
                 "b ends", "all done"});
}

TEST_CASE_FIXTURE(Small,
                  "the smallest group: when a child fails, the others are asked to end") {
    Future never(loop);
    Group group(loop);
    group.start(wait_for(never, "a", log));
    group.start(fail());
    Task owner(loop, run_group(group, log));
    run_until_complete(loop, owner);
    CHECK(log == Log{"a ends", "can't be done"});
}

// ---- The tour ----

#ifndef ON_IO_URING // it is built with the other loop

/// What a part of small_tour prints.
std::string printed_by_tour(const std::string& part) {
    const auto finished = tests::run_program("SMALL_TOUR", {part}, {.time_limit = 10s});
    CHECK(finished.status == 0);
    CHECK(finished.err.empty());
    return finished.out;
}

TEST_CASE("small_tour 1: the waiters run a turn later, and not inside set_result") {
    CHECK(printed_by_tour("1")
          == "-- turn 1\nset_result begins\nset_result ends\n"
             "-- turn 2\na runs\nb runs\n");
}

TEST_CASE("small_tour 2: one task ends when it is asked to, and another refuses") {
    const std::string asked = "  inner: borrows something\n  inner: waits\n"
                              "cancel it\nit is not done yet\n"
                              "  inner: gives it back\n";
    CHECK(printed_by_tour("2")
          == asked + "it was cancelled\n\n" + asked
                 + "  stubborn: no, thanks\nit has returned\n");
}

TEST_CASE("small_tour 3: the item of a cancelled task goes to the next one") {
    CHECK(printed_by_tour("3")
          == "all four wait\n1 and 2 are put\n  anna has 1\n  bob has 2\n"
             "3 is put, and is dora's\nbut dora is cancelled ...\n"
             "... so it is emil's\n  emil has 3\nnothing is left to do\n");
}

TEST_CASE("small_tour 4: a group doesn't end before its children") {
    CHECK(printed_by_tour("4")
          == "two tasks:\n  a works\n  b fails\n  a works\n"
             "both have ended: b can't be done\n  a works\n  a ends\n\n"
             "two children of a group:\n  a works\n  b fails\n  a ends\n"
             "both have ended: b can't be done\n");
}

TEST_CASE("small_tour refuses what it doesn't know") {
    CHECK(tests::run_program("SMALL_TOUR", {"5"}).status == 2);
    CHECK(tests::run_program("SMALL_TOUR", {}).err == "usage: small_tour 1|2|3|4\n");
}

#endif

// ---- A queue on another machine ----

TEST_CASE("the smallest shared queue: its processes get each URL once") {
    SharedQueue queue("/", 10s);
    CHECK(queue.next("a", 1, "", {}, 0s) == "/");
    CHECK(queue.next("b", 1, "", {}, 0s).empty());
    CHECK_FALSE(queue.is_finished()); // "a" may find more URLs
    CHECK(queue.next("a", 2, "/", {"/x", "/y", "/"}, 1s) == "/x");
    CHECK(queue.next("b", 2, "", {}, 1s) == "/y");
    CHECK(queue.next("a", 3, "/x", {"/y"}, 2s).empty());
    CHECK_FALSE(queue.is_finished());
    CHECK(queue.next("b", 3, "/y", {}, 2s).empty());
    CHECK(queue.is_finished());
}

TEST_CASE("the smallest shared queue: a repeated call gets the same answer") {
    SharedQueue queue("/", 10s);
    CHECK(queue.next("a", 1, "", {}, 0s) == "/");
    CHECK(queue.next("a", 1, "", {}, 1s) == "/");
    CHECK(queue.next("a", 2, "/", {"/x", "/y"}, 2s) == "/x");
    CHECK(queue.next("a", 2, "/", {"/x", "/y"}, 3s) == "/x"); // not "/y" as well
}

TEST_CASE(
    "the smallest shared queue: when a lease has ended, another process gets the URL") {
    SharedQueue queue("/", 10s);
    CHECK(queue.next("a", 1, "", {}, 0s) == "/");
    CHECK(queue.next("b", 1, "", {}, 10s).empty()); // the lease hasn't ended yet
    CHECK(queue.next("b", 2, "", {}, 11s) == "/");
    SUBCASE("the process that was thought dead finishes it too late") {
        CHECK(queue.next("a", 2, "/", {"/x"}, 12s).empty());
        CHECK(queue.next("b", 3, "/", {"/x", "/y"}, 13s) == "/x"); // the links of b count
    }
    SUBCASE("the other process asks again for an answer that was lost") {
        CHECK(queue.next("a", 1, "", {}, 12s).empty());
    }
}

TEST_CASE(
    "the smallest shared queue: a process that has forgotten its URL gets another") {
    SharedQueue queue("/", 10s);
    CHECK(queue.next("a", 1, "", {}, 0s) == "/");
    CHECK(queue.next("a", 2, "", {}, 1s) == "/"); // not lost
    CHECK(queue.next("a", 3, "/", {}, 2s).empty());
    CHECK(queue.is_finished());
}

/// Three processes that share a crawl over lines that lose, repeat and delay what is
/// said.
class BadLines {
  public:
    explicit BadLines(unsigned seed) : random_(seed) {}

    /// Lets the processes crawl, and says whether the crawl ended with all URLs fetched.
    bool crawl() {
        for (int step = 0; step < 5000 && !queue_.is_finished(); ++step) {
            now_ += std::chrono::seconds(random_() % 3);
            const std::string who(1, "abc"[random_() % 3]);
            if (const auto dice = random_() % 10; dice < 2 && !sent_.empty())
                say(sent_[random_() % sent_.size()]); // late: it hears no answer
            else if (dice == 2)
                now_ += std::chrono::seconds(4); // some leases end
            else
                call(who, dice < 5);
        }
        return queue_.is_finished() && fetched_.size() == urls;
    }

  private:
    struct Call {
        std::string who;
        int number = 0;
        std::string url;
    };

    void call(const std::string& who, bool is_lost) {
        Call& mine = calls_[who]; // what it has to say, until it has an answer
        sent_.push_back(mine);
        const std::string answer = say(mine);
        if (!is_lost)
            mine = {who, mine.number + 1, answer};
    }

    std::string say(const Call& call) {
        if (!call.url.empty())
            fetched_.insert(call.url);
        return queue_.next(call.who, call.number, call.url, links_of(call.url), now_);
    }

    static std::vector<std::string> links_of(const std::string& url) {
        const std::size_t page = url.empty() ? urls : std::stoul(url);
        std::vector<std::string> links;
        for (std::size_t link = 2 * page + 1; link <= 2 * page + 2 && link < urls; ++link)
            links.push_back(std::to_string(link));
        return links;
    }

    static constexpr std::size_t urls = 20;

    std::mt19937 random_;
    SharedQueue queue_{"0", std::chrono::seconds(10)};
    std::chrono::seconds now_{0};
    std::map<std::string, Call> calls_{
        {"a", {"a", 1, ""}}, {"b", {"b", 1, ""}}, {"c", {"c", 1, ""}}};
    std::vector<Call> sent_;
    std::set<std::string> fetched_;
};

TEST_CASE("the smallest shared queue: three processes over bad lines fetch every URL") {
    for (unsigned seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        REQUIRE(BadLines(seed).crawl());
    }
}

} // namespace
