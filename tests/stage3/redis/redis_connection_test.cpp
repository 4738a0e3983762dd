// One connection: which call gets which answer, and when the connection is closed.
#include "stage3_queue_crawler/redis/redis_connection.h"
#include "tests/stage3/redis/fake_redis.h"
#include "tests/support/prelude.h"

using namespace stage3;
using tests::bulk;
using tests::FakeRedis;
using tests::Say;

namespace {

/// Answers with the command's second word.
Say echo(const RedisCommand& command) {
    return command.size() > 1 ? bulk(command[1]) : "+PONG\r\n";
}

/// The outcome of opening the connection.
Coroutine<std::string> open_it(RedisConnection& connection) {
    std::string result = "open";
    try {
        co_await connection.open();
    } catch (const std::exception& error) {
        result = error.what();
    }
    CHECK(connection.is_open() == (result == "open"));
    co_return result;
}

/// The answer to one command, or the error.
Coroutine<std::string> ask_it(RedisConnection& connection, std::string word) {
    std::string result;
    try {
        RedisCommand command{"ECHO", word};
        const RedisReply reply = co_await connection.call(std::move(command));
        result = reply.text;
    } catch (const std::system_error& error) {
        result = common::describe(error.code());
    }
    co_return result;
}

/// The answer to a word is the word.
Coroutine<> answers(RedisConnection& connection, const char* word) {
    const std::string result = co_await ask_it(connection, word);
    CHECK(result == word);
}

stage3::EventLoop& loop() { return stage3::running_loop(); }

} // namespace

COROUTINE_CASE("a call returns its answer") {
    FakeRedis server(echo);
    RedisConnection connection(loop(), server.url());
    CHECK_FALSE(connection.is_open());
    std::string result = co_await ask_it(connection, "early");
    CHECK(result == "transport endpoint is not connected");
    result = co_await open_it(connection);
    CHECK(result == "open");
    co_await answers(connection, "one");
    co_await connection.open(); // does nothing
    CHECK(server.connections() == 1);
    CHECK(server.asked() == std::vector<std::string>{"ECHO one"});
    CHECK(connection.traffic().calls == 1);
    CHECK(connection.traffic().bytes_out == 23);
    CHECK(connection.traffic().bytes_in == 9);
    CHECK(connection.traffic().reconnects == 0);
    connection.close();
    co_await connection.open();
    CHECK(connection.traffic().reconnects == 1);
}

COROUTINE_CASE("opening logs in and selects the database") {
    FakeRedis server([](const RedisCommand&) { return "+OK\r\n"; });
    RedisUrl url = server.url();
    url.password = "p w";
    url.database = 3;
    RedisConnection first(loop(), url);
    co_await first.open();
    url.user = "me";
    RedisConnection second(loop(), url);
    co_await second.open();
    CHECK(server.asked()
          == std::vector<std::string>{"AUTH p w", "SELECT 3", "AUTH me p w", "SELECT 3"});
}

COROUTINE_CASE(
    "with large commands and replies, neither side waits for the other to read first") {
    FakeRedis server(echo);
    RedisConnection connection(loop(), server.url());
    co_await connection.open();
    const std::string megabyte(1'000'000, 'm');
    std::vector<RedisCommand> commands(20);
    for (RedisCommand& command : commands)
        command = {"ECHO", megabyte};
    const std::vector<RedisReply> replies = co_await connection.call_all(commands);
    REQUIRE(replies.size() == 20);
    CHECK(replies.front().text == megabyte);
    CHECK(replies.back().text == megabyte);
    CHECK(connection.traffic().bytes_in > 20'000'000);
    CHECK(connection.traffic().bytes_out > 20'000'000);
    commands.clear();
    const std::vector<RedisReply> none = co_await connection.call_all(commands);
    CHECK(none.empty());
}

COROUTINE_CASE("of several tasks that call, each gets its own answer") {
    FakeRedis server(echo);
    RedisConnection connection(loop(), server.url());
    co_await connection.open();
    std::vector<stage3::Task<std::string>> askers;
    for (int i = 0; i < 50; ++i)
        askers.push_back(stage3::create_task(ask_it(connection, std::to_string(i))));
    co_await stage3::wait(askers);
    for (int i = 0; i < 50; ++i)
        CHECK(askers[static_cast<std::size_t>(i)].result() == std::to_string(i));
    CHECK(server.connections() == 1);
}

COROUTINE_CASE("cancelling a task that waits for its answer closes the connection") {
    FakeRedis server([](const RedisCommand& command) {
        return command[1] == "slow" ? Say("") : Say(bulk(command[1]));
    });
    RedisConnection connection(loop(), server.url());
    co_await connection.open();
    auto slow = stage3::create_task(ask_it(connection, "slow"));
    const auto next = stage3::create_task(ask_it(connection, "next"));
    while (server.times_asked("ECHO slow") == 0)
        co_await stage3::sleep(1ms);
    slow.cancel();
    co_await tests::end_of(slow, next);
    CHECK(slow.cancelled());
    // Not "slow", whose answer may still come.
    CHECK(next.result() == "transport endpoint is not connected");
    CHECK_FALSE(connection.is_open());
    CHECK(server.times_asked("ECHO next") == 0);
    co_await connection.open();
    co_await answers(connection, "after");
}

COROUTINE_CASE("cancelling a task in line leaves the connection as it is") {
    FakeRedis server(echo);
    RedisConnection connection(loop(), server.url());
    co_await connection.open();
    const auto first = stage3::create_task(ask_it(connection, "first"));
    auto second = stage3::create_task(ask_it(connection, "second"));
    co_await stage3::next_turn();
    second.cancel();
    co_await tests::end_of(first, second);
    CHECK(first.result() == "first");
    CHECK(second.cancelled());
    CHECK(connection.is_open());
}

COROUTINE_CASE(
    "names are looked up in another thread, and their addresses are tried in turn") {
    FakeRedis server(echo); // at 127.0.0.1; "localhost" may lead to ::1 first
    RedisUrl url = server.url();
    url.host = "localhost";
    RedisConnection connection(loop(), url);
    std::string result = co_await open_it(connection);
    CHECK(result == "open");
    url.host = std::string(300, 'x'); // too long for any name server
    RedisConnection unknown(loop(), url);
    result = co_await open_it(unknown);
    CHECK(result.starts_with("cannot resolve 'xxx"));
}
