#include "common/system/socket.h"
#include "exercise.h"
#include "tests/support/prelude.h"
#include "tests/support/socket_pair.h"

#include <fmt/ranges.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <mutex>
#include <span>
#include <thread>

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

using common::Events;
using common::Ready;
using common::Socket;

namespace {

/// Two sockets, each the other's peer.
struct Pair : tests::SocketPair {
    void write_to_near() const { REQUIRE(::send(far.fd(), "x", 1, 0) == 1); }
    void read_at_near() const {
        char byte = 0;
        REQUIRE(::recv(near.fd(), &byte, 1, 0) == 1);
    }
};

/// Writes to a pair's near end when a test has taken far too long. So a wait that would
/// never end does end, and the test can say what is wrong.
class Rescue {
  public:
    explicit Rescue(const Pair& pair) : thread_([this, &pair] { run(pair); }) {}
    ~Rescue() {
        {
            const std::scoped_lock lock(mutex_);
            done_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
    Rescue(const Rescue&) = delete;
    Rescue& operator=(const Rescue&) = delete;

  private:
    void run(const Pair& pair) {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, 3s, [this] { return done_; }))
            pair.write_to_near();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
    std::thread thread_; // last: it uses the others
};

/// The data of everything that is ready, in ascending order, such as "1 2".
std::string data_of(std::span<const Ready> ready) {
    std::vector<std::uint64_t> data;
    for (const Ready& one : ready)
        data.push_back(one.data);
    std::ranges::sort(data);
    return fmt::format("{}", fmt::join(data, " "));
}

/// Whether "the timeout ends the wait" has passed.
bool timeouts_work = false;

/// Begins a test that would never end if timeouts didn't work.
void needs_timeouts() {
    if (!timeouts_work)
        FAIL("Left out, because it would never end. Mend the timeout first.");
}

} // namespace

TEST_CASE("what has arrived is reported with its data, until it is read") {
    const auto selector = make_your_selector();
    const Pair pair;
    selector->register_fd(pair.near.fd(), Events::read, 7);
    pair.write_to_near();
    for (int turn = 0; turn < 2; ++turn) {
        const auto ready = selector->select(1s);
        REQUIRE_MESSAGE(!ready.empty(),
                        "A byte has arrived, and nothing was reported in turn "
                            << turn + 1 << ". Begin with `add`, and then write `wait`.");
        REQUIRE(ready.size() == 1);
        CHECK(ready[0].fd == pair.near.fd());
        CHECK(ready[0].events == Events::read);
        CHECK_MESSAGE(ready[0].data == 7,
                      "`data` belongs to the caller; it is registration(fd).data.");
    }
}

TEST_CASE("the timeout ends the wait") {
    const auto selector = make_your_selector();
    const Pair pair;
    selector->register_fd(pair.near.fd(), Events::read, 0);
    for (const auto timeout : {20ms, 0ms}) {
        const Rescue rescue(pair);
        const std::clock_t before = std::clock();
        const auto ready = selector->select(timeout);
        const auto busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
        if (!ready.empty() && busy > 0.02)
            FAIL(
                "select("
                << timeout.count()
                << "ms) never returned, and kept the processor busy. When `wait` returns "
                   "false, it is called again: false means that a signal came, not that "
                   "nothing did.");
        if (!ready.empty())
            FAIL("select(" << timeout.count()
                           << "ms) waited until something arrived, long after its time "
                              "was up. Does poll get timeout_ms?");
    }
    timeouts_work = true;
}

TEST_CASE("only the events that were asked for are reported") {
    needs_timeouts();
    const auto selector = make_your_selector();
    const Pair pair;
    pair.write_to_near(); // now near can be read and written
    const auto events_for = [&](Events wanted) {
        selector->modify_fd(pair.near.fd(), wanted, 0);
        const auto ready = selector->select(0ms);
        return ready.empty() ? Events::none : ready[0].events;
    };
    selector->register_fd(pair.near.fd(), Events::read, 0);
    CHECK(events_for(Events::write) == Events::write);
    CHECK(events_for(Events::read) == Events::read);
    CHECK(events_for(Events::read | Events::write) == (Events::read | Events::write));
    pair.read_at_near();
    CHECK(events_for(Events::read | Events::write) == Events::write);
}

TEST_CASE("a hang-up or an error counts as every event that is watched") {
    needs_timeouts();
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const Socket out(ends[0]); // not sockets, but descriptors that can be owned like one
    Socket in(ends[1]);
    const auto selector = make_your_selector();
    selector->register_fd(out.fd(), Events::read, 0);
    in.close(); // with a pipe, unlike a socket, POLLHUP comes without POLLIN
    const auto ready = selector->select(1s);
    if (ready.empty())
        FAIL("poll returned with an event that was not asked for, and you dropped the "
             "event. It was POLLHUP; others are POLLERR and POLLNVAL. A loop that waits "
             "again would run in circles. What does an error count as? See `select` in "
             "common/system/selector.h.");
    CHECK(ready[0].events == Events::read);
}

TEST_CASE("what was unregistered is not reported, and the others still are") {
    needs_timeouts();
    const auto selector = make_your_selector();
    const std::vector<Pair> pairs(4);
    const auto watch = [&](std::size_t number) {
        pairs[number].write_to_near();
        selector->register_fd(pairs[number].near.fd(), Events::read, number);
    };
    for (const std::size_t number : {0U, 1U, 2U})
        watch(number);
    CHECK(data_of(selector->select(0ms)) == "0 1 2");
    selector->unregister_fd(pairs[0].near.fd());
    REQUIRE_MESSAGE(data_of(selector->select(0ms)) == "1 2",
                    "The first of three was unregistered, so the other two are left.");

    watch(3);                // may reuse the index that has become free
    pairs[2].read_at_near(); // nothing is left to read there, but there's room to write
    selector->modify_fd(pairs[2].near.fd(), Events::write, 2);
    REQUIRE_MESSAGE(
        data_of(selector->select(0ms)) == "1 2 3",
        "`change` hit the wrong descriptor. If `remove` moves the last entry into the "
        "gap, that entry's index has changed, and the index that you remember must "
        "change too.");
    selector->unregister_fd(pairs[1].near.fd());
    CHECK(data_of(selector->select(0ms)) == "2 3");
    selector->unregister_fd(pairs[3].near.fd());
    selector->unregister_fd(pairs[2].near.fd());
    CHECK(selector->select(0ms).empty());
}

TEST_CASE("a descriptor that was closed first can still be unregistered") {
    needs_timeouts();
    const auto selector = make_your_selector();
    Pair pair;
    const int fd = pair.near.fd();
    selector->register_fd(fd, Events::read, 0);
    pair.near.close();
    selector->unregister_fd(fd);
    CHECK(selector->select(0ms).empty());
}

namespace {

volatile std::sig_atomic_t signals_seen = 0;

void count_signal(int /*number*/) { signals_seen = signals_seen + 1; }

/// Sends this process a signal every 5 ms.
struct Alarms {
    Alarms() {
        struct sigaction action{};
        action.sa_handler =
            count_signal; // without SA_RESTART: system calls are interrupted
        ::sigaction(SIGALRM, &action, &before);
        itimerval every_5_ms{};
        every_5_ms.it_interval.tv_usec = every_5_ms.it_value.tv_usec = 5000;
        ::setitimer(ITIMER_REAL, &every_5_ms, nullptr);
    }
    ~Alarms() {
        const itimerval never{};
        ::setitimer(ITIMER_REAL, &never, nullptr);
        ::sigaction(SIGALRM, &before, nullptr);
    }
    Alarms(const Alarms&) = delete;
    Alarms& operator=(const Alarms&) = delete;

    struct sigaction before{};
};

} // namespace

TEST_CASE("a signal does not end the wait") {
    needs_timeouts();
    const auto selector = make_your_selector();
    const Pair pair;
    selector->register_fd(pair.near.fd(), Events::read, 0);
    const auto start = std::chrono::steady_clock::now();
    try {
        const Alarms alarms;
        const auto ready = selector->select(60ms);
        CHECK(ready.empty());
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::interrupted)
            FAIL("A signal is not a failure. When poll fails with EINTR, return false "
                 "from `wait`: it is called again for the rest of the time.");
        throw;
    }
    CHECK(signals_seen >= 1);
    CHECK_MESSAGE(std::chrono::steady_clock::now() - start >= 60ms,
                  "The wait ended too early. When poll fails with EINTR, return false.");
}

TEST_CASE("many descriptors are ready at once, and all are reported") {
    needs_timeouts();
    const auto selector = make_your_selector();
    const std::vector<Pair> pairs(100);
    for (const Pair& pair : pairs)
        selector->register_fd(pair.near.fd(), Events::write, 0);
    CHECK(selector->select(1s).size() == pairs.size());
    for (const Pair& pair : pairs)
        selector->unregister_fd(pair.near.fd());
    CHECK(selector->select(0ms).empty());
}
