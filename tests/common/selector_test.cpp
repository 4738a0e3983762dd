#include "common/system/selector.h"
#include "common/system/socket.h"
#include "tests/support/no_memory.h"
#include "tests/support/prelude.h"
#include "tests/support/socket_pair.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

using namespace common;

namespace {

struct Pair : tests::SocketPair {
    void write_to_near() const { REQUIRE(::send(far.fd(), "x", 1, 0) == 1); }
    void read_at_near() const {
        char byte = 0;
        REQUIRE(::recv(near.fd(), &byte, 1, 0) == 1);
    }
};

/// Runs a test with each back end that this system has.
template <typename Test>
void with_each_selector(Test test) {
    for (const std::string_view name : common::selector_names()) {
        CAPTURE(name);
        auto selector = common::make_selector(name);
        REQUIRE(selector->name() == name);
        test(*selector);
    }
}

} // namespace

TEST_CASE("the best selector is the default, and an unknown name is refused") {
    CHECK(common::make_selector()->name() == common::selector_names().front());
    CHECK_THROWS_WITH_AS(common::make_selector("kqueue2"),
                         doctest::Contains("choose one of"), std::invalid_argument);
}

TEST_CASE("a readable descriptor is reported with its data until it is read") {
    with_each_selector([](Selector& selector) {
        const Pair pair;
        selector.register_fd(pair.near.fd(), Events::read, 7);
        CHECK(selector.select(0ms).empty());
        CHECK(selector.select(20ms).empty());
        pair.write_to_near();
        for (int turn = 0; turn < 2; ++turn) {
            const auto ready = selector.select(1s);
            REQUIRE(ready.size() == 1);
            CHECK(ready[0].fd == pair.near.fd());
            CHECK(ready[0].events == Events::read);
            CHECK(ready[0].data == 7);
        }
        pair.read_at_near();
        CHECK(selector.select(0ms).empty());
    });
}

TEST_CASE("only the events that were asked for are reported") {
    with_each_selector([](Selector& selector) {
        const Pair pair;
        pair.write_to_near(); // so near can be read and written
        const auto events_for = [&](Events wanted) {
            selector.modify_fd(pair.near.fd(), wanted,
                               static_cast<std::uint64_t>(wanted));
            const auto ready = selector.select(0ms);
            REQUIRE(ready.size() == 1);
            CHECK(ready[0].data == static_cast<std::uint64_t>(wanted)); // changes, too
            return ready[0].events;
        };
        selector.register_fd(pair.near.fd(), Events::read, 0);
        CHECK(events_for(Events::write) == Events::write);
        CHECK(events_for(Events::read) == Events::read);
        CHECK(events_for(Events::read | Events::write) == (Events::read | Events::write));
    });
}

TEST_CASE("an unregistered descriptor is not reported") {
    with_each_selector([](Selector& selector) {
        const Pair first;
        const Pair second;
        const Pair third;
        for (const Pair* pair : {&first, &second, &third}) {
            pair->write_to_near();
            selector.register_fd(pair->near.fd(), Events::read,
                                 static_cast<std::uint64_t>(pair->near.fd()));
        }
        CHECK(selector.size() == 3);
        selector.unregister_fd(first.near.fd());
        CHECK(selector.size() == 2);
        const auto ready = selector.select(0ms);
        REQUIRE(ready.size() == 2);
        for (const auto& event : ready) {
            CHECK(event.fd != first.near.fd());
            CHECK(event.data == static_cast<std::uint64_t>(event.fd));
        }
        // And again once it is back, after the others have changed places.
        selector.register_fd(first.near.fd(), Events::read, 5);
        selector.unregister_fd(third.near.fd());
        CHECK(selector.select(0ms).size() == 2);
    });
}

TEST_CASE("a hang-up or an error makes every watched event ready") {
    with_each_selector([](Selector& selector) {
        Pair pair;
        selector.register_fd(pair.near.fd(), Events::read, 0);
        pair.far.close();
        auto ready = selector.select(1s);
        REQUIRE(ready.size() == 1);
        CHECK(ready[0].events == Events::read);

        // A connection that is refused: the socket becomes "writable".
        std::error_code error;
        Socket refused = Socket::open(AF_INET, error);
        REQUIRE_FALSE(error);
        error = refused.connect(common::resolve("127.0.0.1", 1).front());
        REQUIRE(error == std::errc::operation_in_progress);
        selector.unregister_fd(pair.near.fd());
        selector.register_fd(refused.fd(), Events::write, 0);
        ready = selector.select(1s);
        REQUIRE(ready.size() == 1);
        CHECK(ready[0].events == Events::write);
        CHECK(refused.error() == std::errc::connection_refused);
    });
}

TEST_CASE("a descriptor that was closed first can still be unregistered") {
    with_each_selector([](Selector& selector) {
        Pair pair;
        const int fd = pair.near.fd();
        selector.register_fd(fd, Events::read, 0);
        pair.near.close();
        CHECK(selector.unregister_fd(fd) == (selector.name() != "epoll"));
        CHECK(selector.size() == 0);
        CHECK(selector.select(0ms).empty());
    });
}

namespace {

/// A duplicate of a descriptor, which is closed then.
Socket move_to_another_number(Socket& socket) {
    Socket other(::fcntl(socket.fd(), F_DUPFD_CLOEXEC, 0));
    REQUIRE(other);
    socket.close();
    return other;
}

/// Gives `number`, which is free, to another socket.
void reuse(int number, Socket& socket) {
    REQUIRE(::dup2(socket.fd(), number) == number);
    socket = Socket(number);
}

/// How many sockets epoll watches in this process. Source: man 5 proc, fdinfo.
std::size_t watched_by_epoll() {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);)
            count += line.starts_with("tfd:") ? 1 : 0;
    }
    return count;
}

/// The data of what is ready now, in ascending order.
std::vector<std::uint64_t> ready_now(Selector& selector) {
    std::vector<std::uint64_t> data;
    for (const auto& event : selector.select(0ms))
        data.push_back(event.data);
    std::ranges::sort(data);
    return data;
}

using Data = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("modify_fd watches the socket that has the number now") {
    with_each_selector([](Selector& selector) {
        for (const Events events : {Events::read, Events::read | Events::write}) {
            Pair old;
            Pair another;
            const int fd = old.near.fd();
            selector.register_fd(fd, Events::read, 1);
            old.near.close();
            reuse(fd, another.near);
            selector.modify_fd(fd, events, 2);
            another.write_to_near();
            const auto ready = selector.select(0ms);
            REQUIRE(ready.size() == 1);
            CHECK(ready[0].events == events);
            CHECK(ready[0].data == 2);
            CHECK(selector.unregister_fd(fd));
        }
    });
}

TEST_CASE("a socket that gets its number back can be registered again") {
    with_each_selector([](Selector& selector) {
        Pair pair;
        const int fd = pair.near.fd();
        selector.register_fd(fd, Events::read, 1);
        pair.near = move_to_another_number(pair.near);
        selector.unregister_fd(fd);
        reuse(fd, pair.near);
        selector.register_fd(fd, Events::write, 2);
        CHECK(ready_now(selector) == Data{2});
        CHECK(selector.unregister_fd(fd));
    });
}

TEST_CASE("a socket that was closed too early doesn't speak for the next one") {
    with_each_selector([](Selector& selector) {
        Pair old;
        Pair another;
        const int fd = old.near.fd();
        selector.register_fd(fd, Events::read, 1);
        old.write_to_near();
        old.near = move_to_another_number(old.near);
        selector.unregister_fd(fd);
        reuse(fd, another.near);
        selector.register_fd(fd, Events::read, 2);
        CHECK(ready_now(selector).empty());
        another.write_to_near();
        CHECK(ready_now(selector) == Data{2});
    });
}

TEST_CASE("a socket that was closed too early doesn't end the waits") {
    with_each_selector([](Selector& selector) {
        const Pair watched;
        selector.register_fd(watched.near.fd(), Events::read, 1);
        Pair closed;
        const int fd = closed.near.fd();
        selector.register_fd(fd, Events::read | Events::write, 2);
        closed.near = move_to_another_number(closed.near);
        selector.unregister_fd(fd);

        const auto waits = [&selector] {
            const auto start = std::chrono::steady_clock::now();
            return selector.select(10ms).empty()
                   && std::chrono::steady_clock::now() - start >= 10ms;
        };
        // epoll needs a descriptor to forget it.
        rlimit before{};
        REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
        rlimit none = before;
        none.rlim_cur = static_cast<rlim_t>(fd); // the lowest one that is free
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
        const bool waits_without_descriptors = waits();
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
        CHECK(waits_without_descriptors);
        CHECK(waits());
        if (selector.name() == "epoll")
            CHECK(watched_by_epoll() == 1); // otherwise it would be busy all the time
        watched.write_to_near();
        CHECK(ready_now(selector) == Data{1});
    });
}

TEST_CASE("a closed descriptor doesn't hide the others") {
    with_each_selector([](Selector& selector) {
        const Pair silent;
        const Pair speaking;
        Pair closed;
        selector.register_fd(silent.near.fd(), Events::read, 1);
        selector.register_fd(closed.near.fd(), Events::read | Events::write, 2);
        selector.register_fd(speaking.near.fd(), Events::read, 3);
        speaking.write_to_near();
        closed.near.close();
        // epoll has forgotten it; the others count it as one with an error.
        CHECK(ready_now(selector) == (selector.name() == "epoll" ? Data{3} : Data{2, 3}));
        for (const auto& event : selector.select(1s))
            if (event.data == 2)
                CHECK(event.events == (Events::read | Events::write));
    });
}

TEST_CASE("a descriptor that can't be watched is refused and changes nothing") {
    with_each_selector([](Selector& selector) {
        Pair pair;
        const int closed = pair.far.fd();
        pair.far.close();
        for (const int fd : {INT_MAX, 1'000'000})
            CHECK_THROWS_AS(selector.register_fd(fd, Events::read, 0), std::system_error);
        CHECK(selector.size() == 0);
        if (selector.name() != "epoll")
            return;
        CHECK_THROWS_AS(selector.register_fd(closed, Events::read, 0), std::system_error);
        const Socket file(::open("/", O_RDONLY | O_CLOEXEC)); // epoll can't watch files
        REQUIRE(file);
        CHECK_THROWS_AS(selector.register_fd(file.fd(), Events::read, 0),
                        std::system_error);
        CHECK(selector.size() == 0);
        CHECK(selector.select(0ms).empty());
    });
}

TEST_CASE("without memory, nothing is registered, and what is registered works") {
    with_each_selector([](Selector& selector) {
        const std::vector<Pair> pairs(70);
        int refused = 0;
        for (const Pair& pair : pairs) {
            const std::size_t before = selector.size();
            for (int succeed = 0;; ++succeed) {
                bool is_registered = true;
                try {
                    const tests::NoMemory none({.after = succeed});
                    selector.register_fd(pair.near.fd(), Events::write, 1);
                } catch (const std::bad_alloc&) {
                    is_registered = false;
                }
                if (is_registered)
                    break;
                ++refused;
                CHECK(selector.size() == before);
                CHECK(selector.select(0ms).size() == before);
            }
        }
        CHECK(refused >= 3);
        std::size_t ready = 0;
        std::size_t ready_later = 1;
        {
            const tests::NoMemory none;
            ready = selector.select(0ms).size();
            for (const Pair& pair : pairs)
                selector.modify_fd(pair.near.fd(), Events::read, 2);
            ready_later = selector.select(0ms).size();
            for (const Pair& pair : pairs)
                selector.unregister_fd(pair.near.fd());
        }
        CHECK(ready == pairs.size());
        CHECK(ready_later == 0);
        CHECK(selector.size() == 0);
    });
}

TEST_CASE("misuse is refused and changes nothing") {
    with_each_selector([](Selector& selector) {
        const Pair pair;
        const int fd = pair.near.fd();
        CHECK_THROWS_AS(selector.modify_fd(fd, Events::read, 0), std::logic_error);
        CHECK_THROWS_AS(selector.unregister_fd(fd), std::logic_error);
        CHECK_THROWS_AS(selector.unregister_fd(-1), std::logic_error);
        CHECK_THROWS_AS(selector.register_fd(-1, Events::read, 0), std::logic_error);
        CHECK_THROWS_AS(selector.register_fd(fd, Events::none, 0), std::logic_error);
        selector.register_fd(fd, Events::read, 1);
        CHECK_THROWS_AS(selector.register_fd(fd, Events::write, 2), std::logic_error);
        CHECK_THROWS_AS(selector.modify_fd(fd, Events::none, 2), std::logic_error);
        CHECK(selector.size() == 1);
        pair.write_to_near();
        CHECK(selector.select(0ms)[0].data == 1);
    });
}

TEST_CASE("no descriptor is forgotten when many are ready at once") {
    with_each_selector([](Selector& selector) {
        const Pair first;
        selector.register_fd(first.near.fd(), Events::write, 1);
        const auto before = selector.select(0ms);
        const std::vector<Pair> pairs(300); // more than fit in one batch of epoll's
        for (const Pair& pair : pairs)
            selector.register_fd(pair.near.fd(), Events::write, 2);
        REQUIRE(before.size()
                == 1); // what was returned stays while others are registered
        CHECK(before[0].data == 1);
        selector.unregister_fd(first.near.fd());
        std::vector<int> seen;
        for (int turn = 0; turn < 10 && seen.size() < pairs.size(); ++turn) {
            for (const auto& event : selector.select(0ms)) {
                seen.push_back(event.fd);
                selector.unregister_fd(event.fd);
            }
        }
        CHECK(seen.size() == pairs.size());
    });
}

namespace {

volatile std::sig_atomic_t signals_seen = 0;

void count_signal(int /*number*/) { signals_seen = signals_seen + 1; }

} // namespace

TEST_CASE("a signal does not end the wait") {
    struct sigaction action{};
    struct sigaction before{};
    action.sa_handler = count_signal; // without SA_RESTART: system calls are interrupted
    ::sigaction(SIGALRM, &action, &before);
    with_each_selector([](Selector& selector) {
        const Pair pair;
        selector.register_fd(pair.near.fd(), Events::read, 0);
        itimerval every_5_ms{};
        every_5_ms.it_interval.tv_usec = every_5_ms.it_value.tv_usec = 5000;
        signals_seen = 0;
        const auto start = std::chrono::steady_clock::now();
        ::setitimer(ITIMER_REAL, &every_5_ms, nullptr);
        const auto ready = selector.select(60ms);
        const itimerval never{};
        ::setitimer(ITIMER_REAL, &never, nullptr);
        CHECK(ready.empty());
        CHECK(signals_seen >= 1);
        CHECK(std::chrono::steady_clock::now() - start >= 60ms);
    });
    ::sigaction(SIGALRM, &before, nullptr);
}

TEST_CASE("select refuses a descriptor that is too high for it") {
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (limit.rlim_max <= FD_SETSIZE) {
        MESSAGE("skipped: this shell allows no descriptor as high as FD_SETSIZE");
        return;
    }
    const rlimit before = limit;
    limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, FD_SETSIZE + 1);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    const Pair pair;
    const Socket high(::fcntl(pair.near.fd(), F_DUPFD, FD_SETSIZE));
    REQUIRE(high.fd() >= FD_SETSIZE);
    pair.write_to_near();
    with_each_selector([&](Selector& selector) {
        const bool is_select = selector.name() == "select";
        CHECK(selector.can_watch(high.fd()) == !is_select);
        CHECK(selector.can_watch(FD_SETSIZE - 1));
        if (is_select) {
            CHECK_THROWS_WITH_AS(selector.register_fd(high.fd(), Events::read, 0),
                                 doctest::Contains("select can watch descriptors below"),
                                 common::SelectorFull);
            CHECK(selector.size() == 0);
        } else {
            selector.register_fd(high.fd(), Events::read, 0);
            CHECK(selector.select(0ms).size() == 1);
        }
    });
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
}
