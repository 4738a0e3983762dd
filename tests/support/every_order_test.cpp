// Does every_order.h find the orders that break a promise, all of them, and the smallest?
#include "tests/support/every_order.h"
#include "tests/support/prelude.h"
#include "tests/support/process.h"

#include <csignal>
#include <cstdio>
#include <deque>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

using namespace tests;

namespace {

/// A loop with nothing in it but a queue of functions.
struct Loop {
    bool has_ready() const { return !ready.empty(); }
    void turn(std::chrono::milliseconds /*timeout*/) {
        for (auto now = std::exchange(ready, {}); auto& function : now)
            function();
    }
    std::deque<std::function<void()>> ready;
};

/// How often it was read and written: a counter that loses an increment if another one
/// comes between.
const OrderPrograms lost_increment{
    .title = "Two clients read a number, and write it back in the next turn, plus 1.",
    .play =
        [](Order& order, const Numbers&) {
            Loop loop;
            int number = 0;
            for (int i = 1; i <= 2; ++i)
                order.event(fmt::format("client {} comes", i), [&, i] {
                    order.note(fmt::format("client {} reads {}", i, number));
                    loop.ready.emplace_back([&, i, read = number] {
                        number = read + 1;
                        order.note(fmt::format("client {} writes {}", i, number));
                    });
                });
            order.run(loop);
            order.promise(number == 2, "no increment is lost");
        },
};

/// Three events, and a turn after each.
const OrderPrograms harmless{
    .title = "Events.",
    .things = {{"event", "events", 1, 3}},
    .play =
        [](Order& order, const Numbers& numbers) {
            Loop loop;
            for (int i = 1; i <= numbers[0]; ++i)
                order.event(fmt::format("event {}", i),
                            [&] { loop.ready.emplace_back([] {}); });
            order.run(loop);
            order.promise(true, "nothing");
        },
};

TEST_CASE("all orders are played, and each once") {
    // One event: it comes, and the loop turns. Two: either first; then the other before
    // the turn or after it. Three: worked out in the same way, by hand.
    const auto orders = [](int events) {
        OrderPrograms programs = harmless;
        programs.things[0].least = programs.things[0].most = events;
        return every_order(programs).orders;
    };
    CHECK(orders(1) == 1);
    CHECK(orders(2) == 4);
    CHECK(orders(3) == 24);
    const Explored all = every_order(harmless);
    CHECK(all.orders == 29);
    CHECK(all.are_all);
    CHECK(all.wrong == 0);
    CHECK(in_words(harmless, all).find("29 orders, which are all") != std::string::npos);
    CHECK(in_words(harmless, all).find("    nothing\n") != std::string::npos);
}

TEST_CASE("wrong orders are counted, and the smallest is told") {
    const Explored explored = every_order(lost_increment);
    CHECK(explored.orders == 4);
    CHECK(explored.wrong == 2);
    REQUIRE(explored.smallest);
    CHECK(explored.smallest->promise == "no increment is lost");
    CHECK(explored.smallest->text == "01");
    const std::string words = in_words(lost_increment, explored);
    CHECK(words.ends_with("The smallest:\n"
                          "    1  client 1 comes  client 1 reads 0\n"
                          "    2  client 2 comes  client 2 reads 0\n"
                          "    3  the loop turns  client 1 writes 1, client 2 writes 1\n"
                          "To play it again: ORDER=01\n"));
}

TEST_CASE("an order is played again by its text") {
    CHECK(play_order(lost_increment, "01").promise == "no increment is lost");
    CHECK(play_order(lost_increment, "").promise.empty());
    CHECK(play_order(lost_increment, "").steps.size() == 4);
    CHECK(play_order(harmless, "2-1").steps.front().what == "event 2");
    CHECK_THROWS_AS(play_order(lost_increment, "0?"), std::invalid_argument);
    CHECK_THROWS_AS(play_order(harmless, "1"), std::invalid_argument);
    CHECK_THROWS_AS(play_order(harmless, "22-1"), std::invalid_argument);
    CHECK_THROWS_AS(play_order(harmless, "4-"), std::invalid_argument);
    CHECK_THROWS_WITH(
        play_order(lost_increment, "07"),
        "there is no such order, since not all of these ways exist; '01' is "
        "the nearest");
    OrderPrograms odd = harmless;
    odd.makes_sense = [](const Numbers& numbers) { return numbers[0] != 2; };
    CHECK(every_order(odd).orders == 25);
    CHECK_THROWS_AS(play_order(odd, "2-"), std::invalid_argument);
}

TEST_CASE("a wrong order that is found by chance is made as small as it can be") {
    const OrderPrograms programs{
        .title = "Ten events, of which the last must not be first.",
        .play =
            [](Order& order, const Numbers&) {
                Loop loop;
                std::string first;
                for (int i = 0; i < 10; ++i)
                    order.event(fmt::format("event {}", i), [&first, i] {
                        first += first.empty() ? fmt::format("{}", i) : "";
                    });
                order.run(loop);
                order.promise(first != "9", "event 9 isn't the first");
            },
    };
    const Explored explored = every_order(programs, {.orders = 10, .by_chance = 200});
    CHECK_FALSE(explored.are_all);
    CHECK(explored.orders == 210);
    REQUIRE(explored.smallest);
    CHECK(explored.smallest->text == "9");
    CHECK(every_order(programs, {.orders = 10, .by_chance = 200}).wrong
          == explored.wrong);
}

TEST_CASE("an exception that leaves the program breaks a promise, and so does no end") {
    OrderPrograms programs{
        .title = "Fails.",
        .play = [](Order&, const Numbers&) { throw std::runtime_error("it rains"); },
    };
    CHECK(every_order(programs).smallest->promise
          == "no exception leaves the program (it rains)");
    programs.play = [](Order& order, const Numbers&) {
        Loop loop;
        std::function<void()> again = [&] { loop.ready.push_back(again); };
        again();
        order.run(loop);
    };
    CHECK(every_order(programs).smallest->promise == "the program comes to rest");
}

TEST_CASE("a promise that is broken in a task that keeps its errors is broken") {
    const OrderPrograms programs{
        .title = "Catches everything.",
        .play =
            [](Order& order, const Numbers&) {
                try {
                    order.promise(false, "it's true");
                    // NOLINTNEXTLINE(bugprone-empty-catch): as a task does
                } catch (const std::exception&) {
                }
            },
    };
    REQUIRE(every_order(programs).smallest);
    CHECK(every_order(programs).smallest->promise == "it's true");
}

TEST_CASE("a report has lines of 80 letters at most") {
    OrderPrograms programs = lost_increment;
    programs.title =
        "It has a title that is longer than a line of a terminal is, so that "
        "it must be broken into two.";
    programs.play = [](Order& order, const Numbers& numbers) {
        order.event("an event", [&order] {
            for (int i = 0; i < 10; ++i)
                order.note(fmt::format("effect {}", i));
        });
        lost_increment.play(order, numbers);
    };
    const std::string words = in_words(programs, every_order(programs));
    CHECK(words.find("effect 9\n") != std::string::npos);
    CHECK(words.starts_with(
        "It has a title that is longer than a line of a terminal is, so "
        "that it must be\nbroken into two.\n"));
    for (std::size_t begin = 0, end = 0; begin < words.size(); begin = end + 1) {
        end = words.find('\n', begin);
        CHECK(end - begin <= 80);
    }
}

TEST_CASE("a trace of an order has its events, a millisecond a step") {
    const std::string path = fmt::format("/tmp/every_order_test.{}.trace", ::getpid());
    play_order(lost_increment, "01", path);
    std::string trace;
    std::ifstream file(path);
    std::getline(file, trace, '\0');
    std::remove(path.c_str());
    const auto first =
        trace.find(R"({"t":1000,"turn":0,"event":"callback","phase":"begin",)"
                   R"("name":"client 1 comes")");
    const auto second =
        trace.find(R"({"t":2000,"turn":0,"event":"callback","phase":"begin",)"
                   R"("name":"client 2 comes")");
    const auto turn = trace.find(R"({"t":3000,"turn":1,"event":"select")");
    CHECK(first < second);
    CHECK(second < turn);
    CHECK(turn < trace.find(R"("event":"end","whole":true)"));
}

TEST_CASE("time passes between any two turns") {
    const OrderPrograms programs{
        .title = "A timer and an event.",
        .play =
            [](Order& order, const Numbers&) {
                Loop loop;
                int timers = 1;
                std::string said;
                order.timers([&] { return timers > 0; },
                             [&] {
                                 --timers;
                                 loop.ready.emplace_back([&] { said += "timer "; });
                             });
                order.event("event", [&] { said += "event "; });
                order.run(loop);
                order.promise(said == "event timer ", "the event is first");
            },
    };
    const Explored explored = every_order(programs);
    CHECK(explored.orders == 2);
    CHECK(explored.wrong == 1);
    CHECK(explored.smallest->steps.front().what == "time passes");
}

#ifndef __SANITIZE_THREAD__
/// What a process says that explores these, and crashes.
std::string said_by_crash_of(const OrderPrograms& programs) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        for (const int signal : {SIGABRT, SIGILL, SIGTERM})
            std::signal(signal, SIG_DFL); // doctest would report it, too
        static_cast<void>(every_order(programs));
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string said;
    std::array<char, 1000> bytes{};
    for (ssize_t n = 0; (n = ::read(ends[0], bytes.data(), bytes.size())) > 0;)
        said.append(bytes.data(), static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    return said;
}

TEST_CASE("a crash says in which order it came, and so does what has to be stopped") {
    OrderPrograms programs = harmless;
    const auto with_signal = [&](int signal) {
        programs.play = [signal](Order& order, const Numbers& numbers) {
            harmless.play(order, numbers);
            if (order.choices() == Choices{1, 0})
                std::raise(signal);
        };
        return said_by_crash_of(programs);
    };
    const std::string again = "To play it again: ORDER=2-10\n";
    CHECK(with_signal(SIGABRT) == "\nIt crashed. " + again);
    CHECK(with_signal(SIGILL) == "\nIt crashed. " + again);
    CHECK(with_signal(SIGTERM) == "\nIt was stopped. " + again);
}

TEST_CASE("a crash after a wrong order, or while that is made smaller, says its own") {
    // The second program crashes.
    OrderPrograms programs = harmless;
    programs.play = [](Order& order, const Numbers& numbers) {
        harmless.play(order, numbers);
        if (numbers == Numbers{2} && order.choices() == Choices{1, 0})
            std::abort();
        order.promise(numbers != Numbers{1}, "there is more than one event");
    };
    CHECK(said_by_crash_of(programs) == "\nIt crashed. To play it again: ORDER=2-10\n");

    // "11" is wrong. Making it smaller begins with "1", which comes for the second time.
    programs.play = [came = 0](Order& order, const Numbers& numbers) mutable {
        harmless.play(order, numbers);
        if (order.choices() == Choices{1, 0} && ++came == 2)
            std::abort();
        order.promise(order.choices() != Choices{1, 1}, "it isn't 11");
    };
    CHECK(said_by_crash_of(programs) == "\nIt crashed. To play it again: ORDER=2-10\n");
}
#endif

} // namespace
