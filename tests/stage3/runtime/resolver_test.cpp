// Names are looked up in threads, and no task has to wait for one of these to end.
#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/net/resolver.h"
#include "tests/stage3/http/fetching.h"
#include "tests/stage3/runtime/awaited.h"
#include "tests/support/scripted_server.h"

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>

using common::ResolveError;
using namespace stage3;
using namespace tests;

// The tests outlive the coroutines, and a coroutine owns what it takes by value.
// NOLINTBEGIN(performance-unnecessary-value-param)

namespace {

/// A name server that answers as told. Its threads may outlive the test, so they share
/// ownership of everything that they use.
class NameServer {
  public:
    /// Sets the address of `host`. The server never answers for a host without one.
    void knows(const std::string& host, const std::string& address) {
        const std::lock_guard lock(state_->mutex);
        state_->addresses[host] = address;
    }
    void has_no_descriptor_left() { state_->is_full = true; }
    /// Ends the look-ups of hosts without an address.
    void give_up() {
        if (!state_->gave_up.exchange(true))
            state_->end.set_value();
    }
    int times_asked() const { return state_->asked; }
    int most_at_once() const { return state_->most_at_once; }

    Resolver::LookUp look_up() const {
        return [state = state_](const std::string& host) { return state->answer(host); };
    }

    NameServer() = default;
    NameServer(const NameServer&) = delete;
    NameServer& operator=(const NameServer&) = delete;
    ~NameServer() { give_up(); }

  private:
    struct State {
        Resolver::Addresses answer(const std::string& host) {
            ++asked;
            std::string address;
            {
                const std::lock_guard lock(mutex);
                most_at_once = std::max<int>(most_at_once, ++at_once);
                address = addresses[host];
            }
            if (address.empty())
                ended.wait();
            --at_once;
            if (is_full)
                throw ResolveError("full",
                                   std::make_error_code(std::errc::too_many_files_open));
            if (address.empty() || address == "none")
                throw ResolveError(fmt::format("cannot resolve '{}'", host));
            return common::resolve(address, 0);
        }

        std::mutex mutex;
        std::map<std::string, std::string> addresses;
        std::atomic<int> asked = 0;
        std::atomic<int> at_once = 0;
        std::atomic<int> most_at_once = 0;
        std::atomic<bool> is_full = false;
        std::atomic<bool> gave_up = false;
        std::promise<void> end;
        std::shared_future<void> ended = end.get_future().share();
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// A machine that can start only a few more threads.
struct Threads {
    Resolver::StartThread start() {
        return [this](stage3::MoveOnlyFunction function) {
            if (left == 0)
                throw std::system_error(
                    std::make_error_code(std::errc::resource_unavailable_try_again),
                    "no thread left");
            --left;
            std::thread(std::move(function)).detach();
        };
    }
    int left = 0;
};

/// An address such as "127.0.0.2", or the reason why there is none.
Coroutine<std::string> ask(Resolver& resolver, std::string host,
                           stage3::TimeLimit limit = {}) {
    std::string result;
    try {
        const Resolver::Answer answer = co_await resolver.resolve(host, limit);
        std::array<char, INET_ADDRSTRLEN> digits{};
        const auto& first = reinterpret_cast<const sockaddr_in&>(answer->front().storage);
        ::inet_ntop(AF_INET, &first.sin_addr, digits.data(), digits.size());
        result = digits.data();
    } catch (const ResolveError& error) {
        result = error.what();
    } catch (const stage3::Timeout&) {
        result = "timeout";
    }
    co_return result;
}

/// Runs a test with a name server, and a resolver that asks it.
using Test = Coroutine<> (*)(NameServer& names, Resolver& resolver);
void with_resolver(Test test) {
    NameServer names;
    stage3::run([](NameServer& asked, Test body) -> Coroutine<> {
        Resolver resolver(stage3::running_loop(), asked.look_up());
        co_await body(asked, resolver);
    }(names, test));
}

/// The same with a clock that is moved by hand.
using Time = EventLoop::TimePoint;
using TestInTime = Coroutine<> (*)(NameServer& names, Resolver& resolver, Time& now);
void with_resolver_in_time(TestInTime test) {
    NameServer names;
    Time now{1h};
    stage3::LoopOptions options;
    options.clock = [&] { return now; };
    stage3::run(
        [](NameServer& asked, Time& time, TestInTime body) -> Coroutine<> {
            Resolver resolver(stage3::running_loop(), asked.look_up());
            co_await body(asked, resolver, time);
        }(names, now, test),
        std::move(options));
}

/// Runs a test with a session that asks a name server.
using SessionTest = Coroutine<> (*)(NameServer& names, Session& session,
                                    std::uint16_t port, Time& now);
void with_session(NameServer& names, SessionTest test, std::uint16_t port = 0,
                  SessionOptions settings = {}, bool is_clock_moved_by_hand = false) {
    Time now{1h};
    stage3::LoopOptions options;
    if (is_clock_moved_by_hand)
        options.clock = [&] { return now; };
    settings.look_up = names.look_up();
    stage3::run(
        [](NameServer& asked, SessionOptions with, SessionTest body, std::uint16_t at,
           Time& time) -> Coroutine<> {
            Session session(stage3::running_loop(), std::move(with));
            co_await body(asked, session, at, time);
        }(names, std::move(settings), test, port, now),
        std::move(options));
}

} // namespace

TEST_SUITE("resolver") {
    TEST_CASE("tasks that ask at the same time get the same answer") {
        with_resolver([](NameServer& names, Resolver& resolver) -> Coroutine<> {
            names.knows("a.test", "127.0.0.2");
            std::vector<Task<std::string>> askers;
            for (int i = 0; i < 10; ++i)
                askers.push_back(stage3::create_task(ask(resolver, "a.test")));
            for (const auto& asker : askers)
                co_await expect(asker, "127.0.0.2");
            co_await expect(ask(resolver, "a.test"), "127.0.0.2");
            CHECK(names.times_asked() == 1);
        });
    }

    TEST_CASE("an answer is kept for a minute, and used later if there is none newer") {
        with_resolver_in_time(
            [](NameServer& names, Resolver& resolver, Time& now) -> Coroutine<> {
                names.knows("a.test", "127.0.0.2");
                co_await expect(ask(resolver, "a.test"), "127.0.0.2");
                names.knows("a.test", "127.0.0.3");
                now += 59s;
                co_await expect(ask(resolver, "a.test"), "127.0.0.2");
                now += 1s;
                co_await expect(ask(resolver, "a.test"), "127.0.0.3");
                names.knows("a.test", "none");
                now += 1min;
                co_await expect(ask(resolver, "a.test"), "127.0.0.3");
                CHECK(names.times_asked() == 3);
                names.knows("a.test", "127.0.0.4");
                now += 1min;
                co_await expect(ask(resolver, "a.test"), "127.0.0.4");
            });
    }

    TEST_CASE("a failure is reported to all waiting tasks and isn't kept") {
        with_resolver([](NameServer& names, Resolver& resolver) -> Coroutine<> {
            names.knows("a.test", "none");
            const auto other = stage3::create_task(ask(resolver, "a.test"));
            co_await expect(ask(resolver, "a.test"), "cannot resolve 'a.test'");
            co_await expect(other, "cannot resolve 'a.test'");
            names.knows("a.test", "127.0.0.2");
            co_await expect(ask(resolver, "a.test"), "127.0.0.2");
        });
    }

    TEST_CASE("any error in a resolver's thread is a failure like others") {
        stage3::run([]() -> Coroutine<> {
            Resolver resolver(stage3::running_loop(),
                              [](const std::string&) -> Resolver::Addresses {
                                  throw std::length_error("out of paper");
                              });
            co_await expect(ask(resolver, "a.test"), "out of paper");
        }());
    }

    TEST_CASE("a name without an answer holds up neither others nor the end") {
        with_resolver([](NameServer& names, Resolver& resolver) -> Coroutine<> {
            names.knows("a.test", "127.0.0.2");
            const auto patient = stage3::create_task(ask(resolver, "silent.test"));
            co_await expect(ask(resolver, "silent.test", 20ms), "timeout");
            co_await expect(ask(resolver, "a.test"), "127.0.0.2");
            CHECK_FALSE(patient.done());
            while (names.times_asked() < 2) // in another thread
                co_await stage3::sleep(1ms);
            CHECK(names.times_asked() == 2); // the silent name is looked up only once
        });                                  // returns although a thread still waits
    }

    TEST_CASE("cancelling one task leaves the others their answer") {
        with_resolver([](NameServer& names, Resolver& resolver) -> Coroutine<> {
            auto one = stage3::create_task(ask(resolver, "a.test"));
            const auto other = stage3::create_task(ask(resolver, "a.test"));
            co_await stage3::sleep(5ms);
            one.cancel();
            names.give_up();
            co_await expect(other, "cannot resolve 'a.test'");
            CHECK(one.cancelled());
        });
    }

    TEST_CASE(
        "only a limited number of threads look up names, and other names stand in line") {
        with_resolver([](NameServer& names, Resolver& resolver) -> Coroutine<> {
            std::vector<Task<std::string>> askers;
            constexpr int most = 64;
            for (int i = 0; i < 2 * most; ++i)
                askers.push_back(
                    stage3::create_task(ask(resolver, fmt::format("{}.test", i))));
            while (names.most_at_once() < most)
                co_await stage3::sleep(1ms);
            co_await stage3::sleep(10ms);
            CHECK(names.times_asked() == most);
            names.give_up();
            co_await stage3::wait(askers);
            CHECK(names.times_asked() == 2 * most);
            CHECK(names.most_at_once() == most);
        });
    }

    TEST_CASE("if no thread can be started, a name waits for another one's thread, if "
              "there is one") {
        const auto play = [](bool are_threads_left) {
            NameServer names;
            names.knows("b.test", "127.0.0.2");
            names.knows("c.test", "127.0.0.3");
            Threads threads;
            stage3::run(
                [](NameServer& server, Threads& machine, bool are_left) -> Coroutine<> {
                    const auto none = "no thread left: Resource temporarily unavailable";
                    Resolver resolver(stage3::running_loop(), server.look_up(), 64,
                                      machine.start());
                    co_await expect(ask(resolver, "b.test"), none);
                    CHECK_FALSE(resolver.is_busy());
                    machine.left = 1;
                    const auto a = stage3::create_task(ask(resolver, "a.test"));
                    const auto b = stage3::create_task(ask(resolver, "b.test"));
                    const auto c = stage3::create_task(ask(resolver, "c.test"));
                    while (server.times_asked() == 0) // in another thread
                        co_await stage3::sleep(1ms);
                    CHECK(server.times_asked() == 1);
                    CHECK_FALSE(b.done());
                    machine.left = are_left ? 2 : 0;
                    server.give_up(); // which ends a's look-up
                    co_await expect(b, are_left ? "127.0.0.2" : none);
                    co_await expect(c, are_left ? "127.0.0.3" : none);
                    machine.left = 1; // now a thread can be started
                    co_await expect(ask(resolver, "c.test"), "127.0.0.3");
                    co_await expect(a, "cannot resolve 'a.test'");
                }(names, threads, are_threads_left));
        };
        play(true);
        play(false);
    }

    TEST_CASE("a resolver that ends fails the tasks that wait, also those in line") {
        NameServer names;
        stage3::run([](NameServer& server) -> Coroutine<> {
            std::optional<Resolver> resolver;
            resolver.emplace(stage3::running_loop(), server.look_up(), 1);
            std::vector<Task<std::string>> askers;
            for (const char* host : {"a.test", "b.test", "c.test"})
                askers.push_back(stage3::create_task(ask(*resolver, host)));
            while (server.times_asked() == 0) // in another thread
                co_await stage3::sleep(1ms);
            resolver.reset();
            for (const auto& asker : askers)
                co_await expect(asker, "the session has ended");
            CHECK(server.times_asked() == 1);
        }(names));
    }
}

TEST_SUITE("names in a session") {
    TEST_CASE("names are looked up by us, once, and never by libcurl") {
        NameServer names; // no other server in the world knows these names
        for (const char* name : {"a.test", "a.test.", "-a.test"}) // libcurl treats a
            names.knows(name, "127.0.0.1");                       // leading "-" specially
        names.knows("six.test", "::1");
        ScriptedServer server;
        server.on("/", tests::html("four"));
        with_session(
            names,
            [](NameServer& known, Session& session, std::uint16_t port,
               Time&) -> Coroutine<> {
                for (const char* host :
                     {"a.test", "a.test", "A.TEST", "a.test.", "-a.test"})
                    co_await expect(
                        words_of(session, fmt::format("http://{}:{}/", host, port)),
                        "four");
                CHECK(known.times_asked() == 3);
                ScriptedServer server_six(AF_INET6);
                server_six.on("/", tests::html("six"));
                const auto six = fmt::format("http://six.test:{}/", server_six.port());
                co_await expect(words_of(session, six), "six");
            },
            server.port());
        REQUIRE_FALSE(server.requests().empty());
        CHECK(server.requests()[0].head.find(
                  fmt::format("\r\nHost: a.test:{}\r\n", server.port()))
              != std::string::npos);
    }

    TEST_CASE("names below localhost are always known") {
        NameServer names; // it knows no names
        ScriptedServer server;
        server.on("/", tests::html("here"));
        with_session(
            names,
            [](NameServer& known, Session& session, std::uint16_t port,
               Time&) -> Coroutine<> {
                for (const char* host : {"localhost", "app.localhost"})
                    co_await expect(
                        words_of(session, fmt::format("http://{}:{}/", host, port)),
                        "here");
                CHECK(known.times_asked() == 0);
            },
            server.port());
    }

    TEST_CASE("names that move to another address are followed there") {
        NameServer names;
        names.knows("a.test", "127.0.0.1");
        ScriptedServer server;
        server.on("/", tests::html("here"));
        with_session(
            names,
            [](NameServer& known, Session& session, std::uint16_t port,
               Time& now) -> Coroutine<> {
                const std::string url = fmt::format("http://a.test:{}/", port);
                co_await expect(words_of(session, url), "here");
                known.knows("a.test", "127.0.0.9"); // no server listens there
                now += 1min;
                co_await expect(words_of(session, url), "connection refused");
            },
            server.port(), {}, true);
    }

    TEST_CASE("names that can't be looked up, or not in time, fail with the reason and "
              "the right kind") {
        for (const bool is_full : {false, true}) {
            NameServer names;
            names.knows("a.test", "none");
            if (is_full)
                names.has_no_descriptor_left();
            SessionOptions options;
            options.look_up = names.look_up();
            options.connect_timeout = 50ms;
            const Fetched unknown = fetch_once("http://a.test/", options);
            CHECK(unknown.kind() == (is_full ? Kind::no_descriptor : Kind::network));
            CHECK(unknown.words() == (is_full ? "full" : "cannot resolve 'a.test'"));
            const Fetched late = fetch_once("http://silent.test/", options);
            CHECK(late.kind() == Kind::timed_out);
            CHECK(late.words() == "no address within 0.05 s");
        }
    }
}

// NOLINTEND(performance-unnecessary-value-param)
