#include "exercise.h"
#include "tests/support/prelude.h"

using stage3::small::Cancelled;
using stage3::small::Coroutine;
using stage3::small::EventLoop;
using stage3::small::Future;
using stage3::small::Task;

namespace {

/// A server that is asked for the file.
struct Server {
    explicit Server(EventLoop& loop) : answers(loop), goodbye(loop) {}

    Future answers;
    bool has_begun = false;
    bool was_asked = false; // to end; then it says goodbye, which takes time
    Future goodbye;
    bool has_ended = false;
};

/// Two servers, and a task that waits for the first answer.
struct Race {
    Race() : task(loop, keep(first_of(loop, ask(servers[0], 1), ask(servers[1], 2)))) {
        turn();
    }

    Coroutine<> keep(Coroutine<int> of) { value = co_await std::move(of); }

    static Coroutine<int> ask(Server& server, int value) {
        server.has_begun = true;
        try {
            co_await server.answers;
        } catch (const Cancelled&) {
            server.was_asked = true;
        }
        if (server.was_asked)
            co_await server.goodbye;
        server.has_ended = true;
        if (server.was_asked)
            throw Cancelled();
        co_return value;
    }

    /// Some turns of the loop. Once first_of has ended, neither may be left: the next
    /// turn could run one that is gone.
    void turn() {
        for (int i = 0; i < 6; ++i) {
            loop.turn(0ms);
            if (task.done())
                REQUIRE_MESSAGE((has_ended(servers[0]) && has_ended(servers[1])),
                                "first_of has ended, and one of the two fetches is still "
                                "running: ask it to end, and wait until it has ended.");
        }
    }
    static bool has_ended(const Server& server) {
        return server.has_ended || !server.has_begun;
    }

    void answer(std::size_t number) {
        servers.at(number).answers.set_result();
        turn();
    }
    void say_goodbye() {
        for (Server& server : servers)
            if (server.was_asked)
                server.goodbye.set_result();
        turn();
    }

    EventLoop loop;
    std::array<Server, 2> servers{Server(loop), Server(loop)};
    int value = 0;
    Task task;
};

void check_that_it_wins(std::size_t number) {
    Race race;
    REQUIRE_MESSAGE((race.servers[0].has_begun && race.servers[1].has_begun),
                    "both servers should be asked at the same time.");
    race.answer(number);
    CHECK_MESSAGE(race.servers.at(1 - number).was_asked,
                  "one of the two fetches has its answer, and the other, slower fetch "
                  "hasn't been asked to end.");
    race.say_goodbye();
    REQUIRE_MESSAGE(race.task.done(), "first_of should be over by now.");
    CHECK_MESSAGE(race.value == static_cast<int>(number) + 1,
                  "the first answer was " << number + 1 << ". Yours: " << race.value);
}

} // namespace

TEST_CASE("the faster one wins in either position") {
    check_that_it_wins(1);
    check_that_it_wins(0);
}

TEST_CASE("asked to end, first_of asks both and waits for them") {
    Race race;
    race.task.cancel();
    race.turn();
    CHECK_MESSAGE((race.servers[0].was_asked && race.servers[1].was_asked),
                  "first_of was asked to end, and its two fetches haven't heard of it.");
    race.say_goodbye();
    REQUIRE_MESSAGE(race.task.done(), "first_of should be over by now.");
    bool cancelled = false;
    try {
        race.task.throw_if_failed();
    } catch (const Cancelled&) {
        cancelled = true;
    }
    CHECK_MESSAGE(
        cancelled,
        "the request was swallowed: when both fetches have ended, throw Cancelled.");
}
