#include "common/simple_crawl/event_loop.h"
#include "common/system/socket.h"
#include "tests/support/prelude.h"
#include "tests/support/socket_pair.h"

#include <sys/socket.h>
#include <unistd.h>

using namespace common;
using tests::SocketPair;

namespace {

struct Fixture {
    common::Tracer tracer;
    EventLoop loop{common::make_selector(), tracer};
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "a callback is called in each turn until it unregisters") {
    const SocketPair pair;
    int calls = 0;
    loop.register_fd(pair.near.fd(), Events::write, "count", [&] {
        if (++calls == 3) {
            loop.unregister_fd(pair.near.fd());
            loop.stop();
        }
    });
    CHECK(loop.run(5s));
    CHECK(calls == 3);
}

TEST_CASE_FIXTURE(Fixture, "run returns false when nothing happens in the given time") {
    const SocketPair pair;
    loop.register_fd(pair.near.fd(), Events::read, "never", [] { FAIL("not ready"); });
    CHECK_FALSE(loop.run(10ms));
}

TEST_CASE_FIXTURE(Fixture, "a callback that unregisters itself lives until it returns") {
    const SocketPair pair;
    const auto witness = std::make_shared<int>(1);
    loop.register_fd(pair.near.fd(), Events::write, "witness", [&, witness] {
        loop.unregister_fd(pair.near.fd()); // drops the loop's hold on this very lambda
        loop.stop();
        CHECK(*witness == 1);
        CHECK(witness.use_count() == 2);
    });
    CHECK(loop.run(5s));
    CHECK(witness.use_count() == 1);
}

TEST_CASE_FIXTURE(Fixture,
                  "a callback unregistered during a turn is not called in that turn") {
    const SocketPair first;
    const SocketPair second;
    std::string called;
    const auto one_only = [&](const char* name, const SocketPair& other) {
        return [&, name] {
            called += name;
            loop.unregister_fd(other.near.fd());
            loop.stop();
        };
    };
    // Both are ready in the same turn; the first one to run unregisters the other.
    loop.register_fd(first.near.fd(), Events::write, "first", one_only("1", second));
    loop.register_fd(second.near.fd(), Events::write, "second", one_only("2", first));
    CHECK(loop.run(5s));
    CHECK(called.size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "an old event does not reach the new owner of a descriptor") {
    SocketPair first;
    SocketPair second;
    std::string called;
    const auto reuse = [&](SocketPair& own, SocketPair& other) {
        return [&] {
            called += "old ";
            loop.unregister_fd(own.near.fd());
            // The other descriptor is closed and a new socket gets its number while an
            // event for that number is still waiting in this turn's list.
            const int number = other.near.fd();
            loop.unregister_fd(number);
            const Socket spare(::dup(other.far.fd()));
            REQUIRE(::dup2(spare.fd(), number) == number);
            loop.register_fd(number, Events::read, "new", [&] { called += "new "; });
            loop.stop();
        };
    };
    loop.register_fd(first.near.fd(), Events::write, "old", reuse(first, second));
    loop.register_fd(second.near.fd(), Events::write, "old", reuse(second, first));
    CHECK(loop.run(5s));
    CHECK(called == "old ");
}

TEST_CASE_FIXTURE(Fixture, "an exception from a callback comes out of run") {
    const SocketPair pair;
    loop.register_fd(pair.near.fd(), Events::write, "throws",
                     [] { throw std::runtime_error("from the callback"); });
    CHECK_THROWS_WITH(loop.run(5s), "from the callback");
}
