// The client with a real Redis, if one is installed.
#include "stage3_queue_crawler/redis/redis_client.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/prelude.h"
#include "tests/support/redis_server.h"
#include "tests/support/waits.h"

using namespace stage3;
using tests::RedisServer;

namespace {

RedisUrl redis_at(const RedisServer& server, const std::string& user = "",
                  const std::string& password = "", int database = 0) {
    RedisUrl url = stage3::parse_redis_url(server.url());
    url.user = user;
    url.password = password;
    url.database = database;
    return url;
}

/// Why a Redis is unfit, or an empty string.
std::string fault_at(const RedisUrl& url) {
    return stage3::run([](RedisUrl where) -> Coroutine<std::string> {
        RedisClient client(stage3::running_loop(), where);
        std::string fault;
        try {
            co_await client.check();
        } catch (const stage3::RedisUnfit& unfit) {
            fault = unfit.what();
            fault = fault.substr(fault.find(": ") + 2);
        }
        co_return fault;
    }(url));
}

/// The answer to one command.
Coroutine<std::string> answer_to(RedisClient& client, RedisCommand command) {
    std::vector<RedisCommand> commands;
    commands.push_back(std::move(command));
    const std::vector<RedisReply> replies = co_await client.call_all(std::move(commands));
    co_return replies.front().text;
}

/// What a script returns, called with one key and one argument.
Coroutine<RedisReply> script(RedisClient& client, std::string code, std::string key,
                             std::string argument) {
    std::vector<std::string> keys;
    keys.push_back(std::move(key));
    std::vector<std::string> arguments;
    arguments.push_back(std::move(argument));
    return client.run(std::move(code), std::move(keys), std::move(arguments));
}

} // namespace

TEST_CASE(
    "scripts and commands work over the network and over a socket in the file system") {
    const RedisServer server;
    RedisUrl local;
    local.path = server.socket_path();
    CHECK(fault_at(redis_at(server)) == "");
    CHECK(fault_at(local) == "");
    stage3::run([](RedisUrl one, RedisUrl other) -> Coroutine<> {
        RedisClient client(stage3::running_loop(), one);
        RedisReply reply = co_await script(
            client, "return redis.call('SET', KEYS[1], ARGV[1])", "key", "a\r\nb");
        CHECK(reply.text == "OK");
        other.database = 1;
        RedisClient elsewhere(stage3::running_loop(), other);
        RedisCommand get{"GET", "key"};
        std::string text = co_await answer_to(client, get);
        CHECK(text == "a\r\nb");
        text = co_await answer_to(elsewhere, get); // in another database
        CHECK(text.empty());
        reply = co_await script(client, "return {1, 'two', {false, ARGV[1]}}", "k", "x");
        REQUIRE(reply.items.size() == 3);
        CHECK(reply.items[0].number() == 1);
        CHECK(reply.items[1].text == "two");
        CHECK(reply.items[2].items[0].is_null);
        CHECK(reply.items[2].items[1].text == "x");
        std::string refusal;
        try {
            co_await script(client, "return redis.call('LPUSH', KEYS[1], 1)", "key", "");
        } catch (const stage3::RedisError& error) {
            refusal = error.code();
        }
        CHECK(refusal == "WRONGTYPE");
    }(redis_at(server), local));
}

TEST_CASE("a password is accepted, and a user with too few permissions is refused") {
    const RedisServer server({"--requirepass", "open sesame", "--user", "bob", "on",
                              ">builder", "~*", "+@all", "-script", "--user", "eve", "on",
                              ">apple", "~*", "+ping"});
    const std::string missing =
        "it wants a password: put it into the URL, as in redis://:PASSWORD@host or "
        "unix://:PASSWORD@/path";
    const std::string wrong = "wrong user or password: mend those in the URL";
    CHECK(fault_at(redis_at(server)) == missing);
    CHECK(fault_at(redis_at(server, "", "", 1)) == missing);
    CHECK(fault_at(redis_at(server, "", "close", 1)) == wrong);
    CHECK(fault_at(redis_at(server, "bob", "open sesame")) == wrong);
    CHECK(fault_at(redis_at(server, "", "open sesame")) == "");
    CHECK(fault_at(redis_at(server, "default", "open sesame", 2)) == "");
    CHECK(fault_at(redis_at(server, "bob", "builder"))
              .starts_with("it gives no permission: NOPERM"));
    CHECK(fault_at(redis_at(server, "eve", "apple"))
              .starts_with("it gives no permission: NOPERM"));
    RedisUrl local = redis_at(server, "", "open sesame");
    local.path = server.socket_path();
    CHECK(fault_at(local) == "");
}

TEST_CASE("an unsuitable Redis is refused") {
    const RedisServer master;
    CHECK(fault_at(redis_at(master, "", "", 99))
          == "it has no database 99: take a lower number, or raise its setting "
             "'databases'");
    CHECK(fault_at(redis_at(master, "", "needless"))
          == "it has no password: leave it out of the URL");
    const RedisServer replica(
        {"--replicaof", "127.0.0.1 " + std::to_string(master.port())});
    CHECK(fault_at(redis_at(replica))
          == "it is a replica, and can't be written to: take its master, 127.0.0.1:"
                 + std::to_string(master.port()));
    const RedisServer cache(
        {"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"});
    CHECK(fault_at(redis_at(cache)).starts_with("it throws keys away"));
    const RedisServer bounded({"--maxmemory", "100mb"});
    CHECK(fault_at(redis_at(bounded)) == "");
}

TEST_CASE("a call waits while Redis's memory is full") {
    const RedisServer server({"--maxmemory", "1"}); // one byte
    stage3::run([](RedisUrl url) -> Coroutine<> {
        std::vector<std::string> notes;
        RedisSettings settings;
        settings.first_pause = 1ms;
        settings.on_note = [&notes](const std::string& line) { notes.push_back(line); };
        RedisClient client(stage3::running_loop(), url, settings);
        RedisClient other(stage3::running_loop(), url);
        const auto task = stage3::create_task(
            script(client, "return redis.call('SET', KEYS[1], ARGV[1])", "key", "x"));
        while (notes.empty())
            co_await stage3::sleep(1ms);
        CHECK(notes.front().find("can't do it now (OOM") != std::string::npos);
        RedisCommand room{"CONFIG", "SET", "maxmemory", "0"};
        const std::string done = co_await answer_to(other, room);
        CHECK(done == "OK");
        const RedisReply& reply = co_await task;
        CHECK(reply.text == "OK");
        CHECK(notes.size() == 2);
    }(redis_at(server)));
}

TEST_CASE("a call survives a flush of the scripts and the close of an idle connection") {
    tests::may_wait(
        10s, "Redis closes a connection that is idle for 1 s, and looks now and then");
    const RedisServer server({"--timeout", "1"});
    stage3::run([](RedisUrl url) -> Coroutine<> {
        std::vector<std::string> notes;
        RedisSettings settings;
        settings.on_note = [&notes](const std::string& line) { notes.push_back(line); };
        RedisClient client(stage3::running_loop(), url, settings);
        RedisReply reply = co_await script(client, "return ARGV[1]", "k", "x");
        RedisCommand flush{"SCRIPT", "FLUSH"};
        co_await answer_to(client, flush);
        reply = co_await script(client, "return ARGV[1]", "k", "y");
        CHECK(reply.text == "y");
        CHECK(notes.empty());
        std::string connected;
        do {
            co_await stage3::sleep(100ms);
            RedisClient other(stage3::running_loop(), url);
            RedisCommand info{"INFO", "clients"};
            connected = co_await answer_to(other, info);
        } while (connected.find("connected_clients:1\r") == std::string::npos);
        reply = co_await script(client, "return ARGV[1]", "k", "z");
        CHECK(reply.text == "z");
        CHECK(client.traffic().reconnects == 2);
    }(redis_at(server)));
}
