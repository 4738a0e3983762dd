// A Redis that does as a test tells it, in the same loop.
//
// It answers each command with the result of a function, which may also be nothing, or
// what no Redis would say. It can go away, and come back at the same port. So these tests
// need no Redis, and what a real one does once a year happens whenever a test wants it.
#pragma once

#include "common/system/socket.h"
#include "stage3_queue_crawler/redis/redis_url.h"
#include "stage3_queue_crawler/redis/resp.h"
#include "stage3_queue_crawler/runtime/net/listener.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tests {

/// The answer to a command. Without bytes there is none.
struct Say {
    // For `return "+OK\r\n";`.
    Say(std::string what)
        : bytes(std::move(what)) {}        // NOLINT(google-explicit-constructor)
    Say(const char* what) : bytes(what) {} // NOLINT(google-explicit-constructor)
    Say(std::string what, bool then_hang_up)
        : bytes(std::move(what)), hang_up(then_hang_up) {}

    std::string bytes;
    bool hang_up = false; ///< after the answer
};

/// A text, as Redis sends it.
inline std::string bulk(const std::string& text) {
    return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

/// Waits until all tasks have ended.
template <class... Tasks>
stage3::Coroutine<bool> end_of(const Tasks&... tasks) {
    std::vector<stage3::FuturePtr> all;
    (all.push_back(tasks.ref()), ...);
    return stage3::wait(std::move(all));
}

/// The loop must be running.
class FakeRedis {
  public:
    using Answer = std::function<Say(const stage3::RedisCommand&)>;

    explicit FakeRedis(Answer answer) : state_(std::make_shared<State>()) {
        state_->answer = std::move(answer);
        come_back();
    }
    FakeRedis(const FakeRedis&) = delete;
    FakeRedis& operator=(const FakeRedis&) = delete;
    ~FakeRedis() { server_->cancel(); }

    stage3::RedisUrl url() const {
        return stage3::parse_redis_url("redis://127.0.0.1:" + std::to_string(port_));
    }
    void answer(Answer answer) { state_->answer = std::move(answer); }
    /// Sets what it sends to each new connection, before any command.
    void greet(std::string bytes) { state_->greeting = std::move(bytes); }

    /// Closes all connections, and stops listening.
    stage3::Coroutine<> go_away() {
        server_->cancel();
        co_await end_of(*server_);
    }
    void come_back() {
        stage3::Listener listener(common::resolve("127.0.0.1", port_).front());
        port_ = listener.port();
        server_ = stage3::create_task(
            stage3::serve(std::move(listener), [state = state_](stage3::Stream& stream) {
                return talk(state, stream);
            }));
    }

    /// The commands that it was sent, one per line, such as "GET key".
    const std::vector<std::string>& asked() const { return state_->asked; }
    /// How many connections it has accepted.
    std::size_t connections() const { return state_->connections; }
    std::size_t times_asked(const std::string& beginning) const {
        std::size_t count = 0;
        for (const std::string& line : asked())
            count += line.starts_with(beginning) ? 1U : 0U;
        return count;
    }

  private:
    struct State {
        Answer answer;
        std::string greeting;
        std::vector<std::string> asked;
        std::size_t connections = 0;
    };

    static stage3::Coroutine<> talk(std::shared_ptr<State> state,
                                    stage3::Stream& stream) {
        ++state->connections;
        stream.write(state->greeting);
        stage3::ReplyReader commands(stream); // a command is a list of texts
        try {
            for (;;) {
                const stage3::RedisReply list = co_await commands.read();
                stage3::RedisCommand command;
                std::string line;
                for (const stage3::RedisReply& word : list.items) {
                    line += (line.empty() ? "" : " ") + word.text;
                    command.push_back(word.text);
                }
                state->asked.push_back(line);
                const Say say = state->answer(command);
                stream.write(say.bytes);
                co_await stream.flush();
                if (say.hang_up)
                    co_return;
            }
        } catch (const stage3::EndOfStream&) {
            co_return; // the client has left
        } catch (const std::system_error&) {
            co_return; // the client has broken the connection
        }
    }

    std::shared_ptr<State> state_; // clients' tasks share it
    std::uint16_t port_ = 0;
    std::optional<stage3::Task<>> server_;
};

} // namespace tests

/// A test case that is a coroutine, in a loop of its own.
#define COROUTINE_CASE(title) COROUTINE_CASE_NAMED(title, DOCTEST_ANONYMOUS(case_))
#define COROUTINE_CASE_NAMED(title, name)                                                \
    static stage3::Coroutine<> name();                                                   \
    TEST_CASE(title) { stage3::run(name()); }                                            \
    static stage3::Coroutine<> name()
