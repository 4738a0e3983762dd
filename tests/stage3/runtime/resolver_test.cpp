// Names are looked up in threads, and no task has to wait for one of these to end.
#include "common/system/socket.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/net/resolver.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>

using common::ResolveError;
using namespace stage3;
using tests::ScriptedServer;

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
                           stage3::TimeLimit limit) {
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

/// The outcome of a fetch.
Coroutine<std::string> fetch_text(Session& session, std::string url) {
    std::string result;
    try {
        Response response = co_await session.get(*common::parse_url(url));
        result = co_await response.read();
    } catch (const FetchError& error) {
        result = error.what();
    }
    co_return result;
}

void run(Coroutine<> test, stage3::LoopOptions options = {}) {
    stage3::run(std::move(test), std::move(options));
}

} // namespace

TEST_SUITE("resolver") {
    TEST_CASE("tasks that ask at the same time get the same answer") {
        NameServer names;
        names.knows("a.test", "127.0.0.2");
        run([](NameServer& server) -> Coroutine<> {
            Resolver resolver(stage3::running_loop(), server.look_up());
            std::vector<Task<std::string>> askers;
            for (int i = 0; i < 10; ++i)
                askers.push_back(
                    stage3::create_task(ask(resolver, "a.test", std::nullopt)));
            co_await stage3::wait(askers);
            for (const auto& asker : askers)
                CHECK(asker.result() == "127.0.0.2");
            const std::string again = co_await ask(resolver, "a.test", std::nullopt);
            CHECK(again == "127.0.0.2");
            CHECK(server.times_asked() == 1);
        }(names));
    }

    TEST_CASE("an answer is kept for a minute") {
        NameServer names;
        names.knows("a.test", "127.0.0.2");
        EventLoop::TimePoint now{1h};
        stage3::LoopOptions options;
        options.clock = [&] { return now; };
        run(
            [](NameServer& server, EventLoop::TimePoint& time) -> Coroutine<> {
                Resolver resolver(stage3::running_loop(), server.look_up());
                std::string answer = co_await ask(resolver, "a.test", std::nullopt);
                CHECK(answer == "127.0.0.2");
                server.knows("a.test", "127.0.0.3");
                time += 59s;
                answer = co_await ask(resolver, "a.test", std::nullopt);
                CHECK(answer == "127.0.0.2");
                time += 1s;
                answer = co_await ask(resolver, "a.test", std::nullopt);
                CHECK(answer == "127.0.0.3");
            }(names, now),
            std::move(options));
    }

    TEST_CASE("a failure is reported to all waiting tasks and isn't kept") {
        NameServer names;
        names.knows("a.test", "none");
        run([](NameServer& server) -> Coroutine<> {
            Resolver resolver(stage3::running_loop(), server.look_up());
            const auto other = stage3::create_task(ask(resolver, "a.test", std::nullopt));
            std::string answer = co_await ask(resolver, "a.test", std::nullopt);
            CHECK(answer == "cannot resolve 'a.test'");
            answer = co_await other;
            CHECK(answer == "cannot resolve 'a.test'");
            server.knows("a.test", "127.0.0.2");
            answer = co_await ask(resolver, "a.test", std::nullopt);
            CHECK(answer == "127.0.0.2");
        }(names));
    }

    TEST_CASE("any error in a resolver's thread is a failure like others") {
        run([]() -> Coroutine<> {
            Resolver resolver(stage3::running_loop(),
                              [](const std::string&) -> Resolver::Addresses {
                                  throw std::length_error("out of paper");
                              });
            const std::string answer = co_await ask(resolver, "a.test", std::nullopt);
            CHECK(answer == "out of paper");
        }());
    }

    TEST_CASE("an old answer is used if there is none newer") {
        NameServer names;
        names.knows("a.test", "127.0.0.2");
        EventLoop::TimePoint now{1h};
        stage3::LoopOptions options;
        options.clock = [&] { return now; };
        run(
            [](NameServer& server, EventLoop::TimePoint& time) -> Coroutine<> {
                Resolver resolver(stage3::running_loop(), server.look_up());
                std::string answer = co_await ask(resolver, "a.test", std::nullopt);
                server.knows("a.test", "none");
                time += 1min;
                answer = co_await ask(resolver, "a.test", std::nullopt);
                CHECK(answer == "127.0.0.2");
                CHECK(server.times_asked() == 2);
                server.knows("a.test", "127.0.0.3");
                time += 1min;
                answer = co_await ask(resolver, "a.test", std::nullopt);
                CHECK(answer == "127.0.0.3");
            }(names, now),
            std::move(options));
    }

    TEST_CASE("a name without an answer holds up neither others nor the end") {
        NameServer names;
        names.knows("a.test", "127.0.0.2");
        run([](NameServer& server) -> Coroutine<> {
            Resolver resolver(stage3::running_loop(), server.look_up());
            const auto patient =
                stage3::create_task(ask(resolver, "silent.test", std::nullopt));
            std::string answer = co_await ask(resolver, "silent.test", 20ms);
            CHECK(answer == "timeout");
            answer = co_await ask(resolver, "a.test", std::nullopt);
            CHECK(answer == "127.0.0.2");
            CHECK_FALSE(patient.done());
            while (server.times_asked() < 2) // in another thread
                co_await stage3::sleep(1ms);
            CHECK(server.times_asked() == 2); // the silent name is looked up only once
        }(names));                            // returns although a thread still waits
    }

    TEST_CASE("cancelling one task leaves the others their answer") {
        NameServer names;
        run([](NameServer& server) -> Coroutine<> {
            Resolver resolver(stage3::running_loop(), server.look_up());
            auto one = stage3::create_task(ask(resolver, "a.test", std::nullopt));
            const auto other = stage3::create_task(ask(resolver, "a.test", std::nullopt));
            co_await stage3::sleep(5ms);
            one.cancel();
            server.give_up();
            const std::string answer = co_await other;
            CHECK(answer == "cannot resolve 'a.test'");
            CHECK(one.cancelled());
        }(names));
    }

    TEST_CASE(
        "only a limited number of threads look up names, and other names stand in line") {
        NameServer names;
        run([](NameServer& server) -> Coroutine<> {
            Resolver resolver(stage3::running_loop(), server.look_up());
            std::vector<Task<std::string>> askers;
            constexpr int most = 64;
            for (int i = 0; i < 2 * most; ++i)
                askers.push_back(stage3::create_task(
                    ask(resolver, fmt::format("{}.test", i), std::nullopt)));
            while (server.most_at_once() < most)
                co_await stage3::sleep(1ms);
            co_await stage3::sleep(10ms);
            CHECK(server.times_asked() == most);
            server.give_up();
            co_await stage3::wait(askers);
            CHECK(server.times_asked() == 2 * most);
            CHECK(server.most_at_once() == most);
        }(names));
    }

    TEST_CASE("if no thread can be started, a name waits for another one's thread, if "
              "there is one") {
        NameServer names;
        names.knows("b.test", "127.0.0.2");
        names.knows("c.test", "127.0.0.3");
        Threads threads;
        run([](NameServer& server, Threads& machine) -> Coroutine<> {
            Resolver resolver(stage3::running_loop(), server.look_up(), 64,
                              machine.start());
            machine.left = 0;
            std::string answer = co_await ask(resolver, "b.test", std::nullopt);
            CHECK(answer == "no thread left: Resource temporarily unavailable");
            CHECK_FALSE(resolver.is_busy());

            machine.left = 1;
            const auto a = stage3::create_task(
                ask(resolver, "a.test", std::nullopt)); // gets no answer
            const auto b = stage3::create_task(ask(resolver, "b.test", std::nullopt));
            const auto c = stage3::create_task(ask(resolver, "c.test", std::nullopt));
            while (server.times_asked() == 0) // in another thread
                co_await stage3::sleep(1ms);
            CHECK(server.times_asked() == 1);
            CHECK_FALSE(b.done());
            SUBCASE("the waiting names get threads") {
                machine.left = 2;
                server.give_up();
                answer = co_await b;
                CHECK(answer == "127.0.0.2");
                answer = co_await c;
                CHECK(answer == "127.0.0.3");
            }
            SUBCASE("there is still no thread for the waiting names") {
                server.give_up();
                for (const auto& one : {b, c}) {
                    answer = co_await one;
                    CHECK(answer == "no thread left: Resource temporarily unavailable");
                }
                machine.left = 1;
                answer = co_await ask(resolver, "c.test", std::nullopt);
                CHECK(answer == "127.0.0.3"); // now a thread can be started
            }
            answer = co_await a;
            CHECK(answer == "cannot resolve 'a.test'");
        }(names, threads));
    }

    TEST_CASE("a resolver that ends fails the tasks in line, too") {
        NameServer names;
        run([](NameServer& server) -> Coroutine<> {
            std::optional<Resolver> resolver;
            resolver.emplace(stage3::running_loop(), server.look_up(), 1);
            std::vector<Task<std::string>> askers;
            for (const char* host : {"a.test", "b.test", "c.test"})
                askers.push_back(stage3::create_task(ask(*resolver, host, std::nullopt)));
            while (server.times_asked() == 0) // in another thread
                co_await stage3::sleep(1ms);
            CHECK(server.times_asked() == 1);
            resolver.reset();
            co_await stage3::wait(askers);
            for (const auto& asker : askers)
                CHECK(asker.result() == "the session has ended");
            CHECK(server.times_asked() == 1);
        }(names));
    }

    TEST_CASE("a resolver that ends fails the tasks that wait") {
        NameServer names;
        run([](NameServer& server) -> Coroutine<> {
            std::optional<Resolver> resolver;
            resolver.emplace(stage3::running_loop(), server.look_up());
            const auto waiting =
                stage3::create_task(ask(*resolver, "a.test", std::nullopt));
            co_await stage3::sleep(5ms);
            resolver.reset();
            const std::string answer = co_await waiting;
            CHECK(answer == "the session has ended");
        }(names));
    }
}

TEST_SUITE("names in a session") {
    TEST_CASE("names are looked up by us, once, and never by libcurl") {
        NameServer names; // no other server in the world knows these names
        names.knows("a.test", "127.0.0.1");
        names.knows("a.test.", "127.0.0.1");
        names.knows("-a.test", "127.0.0.1"); // libcurl treats a leading "-" specially
        names.knows("six.test", "::1");
        ScriptedServer server;
        server.on("/", tests::html("four"));
        ScriptedServer server_six(AF_INET6);
        server_six.on("/", tests::html("six"));
        run([](NameServer& known, std::uint16_t four, std::uint16_t six) -> Coroutine<> {
            SessionOptions options;
            options.look_up = known.look_up();
            Session session(stage3::running_loop(), options);
            for (const char* host :
                 {"a.test", "a.test", "A.TEST", "a.test.", "-a.test"}) {
                CAPTURE(host);
                const std::string body = co_await fetch_text(
                    session, fmt::format("http://{}:{}/", host, four));
                CHECK(body == "four");
            }
            CHECK(known.times_asked() == 3);
            const std::string body =
                co_await fetch_text(session, fmt::format("http://six.test:{}/", six));
            CHECK(body == "six");
        }(names, server.port(), server_six.port()));
        REQUIRE_FALSE(server.requests().empty());
        CHECK(server.requests()[0].head.find(
                  fmt::format("\r\nHost: a.test:{}\r\n", server.port()))
              != std::string::npos);
    }

    TEST_CASE("names below localhost are always known") {
        NameServer names; // it knows no names
        ScriptedServer server;
        server.on("/", tests::html("here"));
        run([](NameServer& known, std::uint16_t port) -> Coroutine<> {
            SessionOptions options;
            options.look_up = known.look_up();
            Session session(stage3::running_loop(), options);
            for (const char* host : {"localhost", "app.localhost"}) {
                const std::string body = co_await fetch_text(
                    session, fmt::format("http://{}:{}/", host, port));
                CHECK(body == "here");
            }
            CHECK(known.times_asked() == 0);
        }(names, server.port()));
    }

    TEST_CASE("names that move to another address are followed there") {
        NameServer names;
        names.knows("a.test", "127.0.0.1");
        ScriptedServer server;
        server.on("/", tests::html("here"));
        EventLoop::TimePoint now{1h};
        stage3::LoopOptions loop;
        loop.clock = [&] { return now; };
        run(
            [](NameServer& known, std::uint16_t port,
               EventLoop::TimePoint& time) -> Coroutine<> {
                SessionOptions options;
                options.look_up = known.look_up();
                Session session(stage3::running_loop(), options);
                const std::string url = fmt::format("http://a.test:{}/", port);
                std::string body = co_await fetch_text(session, url);
                CHECK(body == "here");
                known.knows("a.test", "127.0.0.9"); // no server listens there
                time += 1min;
                body = co_await fetch_text(session, url);
                CHECK(body == "connection refused");
            }(names, server.port(), now),
            std::move(loop));
    }

    TEST_CASE("looking up a name counts towards the connection's time limit") {
        NameServer names;
        run([](NameServer& known) -> Coroutine<> {
            SessionOptions options;
            options.look_up = known.look_up();
            options.connect_timeout = 50ms;
            Session session(stage3::running_loop(), options);
            std::optional<FetchError> failure;
            try {
                co_await session.get(*common::parse_url("http://silent.test/"));
            } catch (const FetchError& error) {
                failure = error;
            }
            REQUIRE(failure);
            CHECK(failure->kind == FetchError::Kind::timed_out);
            CHECK(std::string(failure->what()) == "no address within 0.05 s");
        }(names));
    }

    TEST_CASE("names that can't be looked up fail with the reason and the right kind") {
        for (const bool is_full : {false, true}) {
            NameServer names;
            names.knows("a.test", "none");
            if (is_full)
                names.has_no_descriptor_left();
            run([](NameServer& known, bool full) -> Coroutine<> {
                SessionOptions options;
                options.look_up = known.look_up();
                Session session(stage3::running_loop(), options);
                std::optional<FetchError> failure;
                try {
                    co_await session.get(*common::parse_url("http://a.test/"));
                } catch (const FetchError& error) {
                    failure = error;
                }
                REQUIRE(failure);
                CHECK(failure->kind
                      == (full ? FetchError::Kind::no_descriptor
                               : FetchError::Kind::network));
                CHECK(std::string(failure->what())
                      == (full ? "full" : "cannot resolve 'a.test'"));
            }(names, is_full));
        }
    }
}

// NOLINTEND(performance-unnecessary-value-param)
