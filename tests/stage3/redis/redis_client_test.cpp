// Whatever happens on its way, each call gets an answer in the end.
#include "stage3_queue_crawler/redis/redis_client.h"
#include "tests/stage3/redis/fake_redis.h"
#include "tests/support/prelude.h"

using namespace stage3;
using tests::bulk;
using tests::FakeRedis;
using tests::Say;

namespace {

/// A sound Redis 7, whose scripts all return their first argument.
Say sound(const RedisCommand& command) {
    if (command[0] == "INFO")
        return bulk("# Server\r\nredis_version:7.0.15\r\nrole:master\r\nmaxmemory:0\r\n");
    if (command[0] == "SCRIPT")
        return bulk("sha-of-" + command[2]);
    if (command[0] == "EVALSHA")
        return command.size() > 3 ? bulk(command[3]) : "$-1\r\n";
    return "+OK\r\n";
}

using Notes = std::vector<std::string>;

/// Settings for tests that should not wait for a minute.
RedisSettings hasty(const std::shared_ptr<Notes>& notes) {
    RedisSettings settings;
    settings.first_pause = 1ms;
    settings.longest_pause = 5ms;
    settings.on_note = [notes](const std::string& line) { notes->push_back(line); };
    return settings;
}

Coroutine<std::string> run_it(RedisClient& client, std::string argument) {
    std::vector<std::string> arguments;
    arguments.push_back(std::move(argument));
    const std::vector<std::string> keys;
    std::string result;
    try {
        const RedisReply reply =
            co_await client.run("script", keys, std::move(arguments));
        result = reply.text;
    } catch (const std::exception& error) {
        result = error.what();
    }
    co_return result;
}

/// The answer to a script with this argument is the argument.
Coroutine<> answers(RedisClient& client, const char* argument) {
    const std::string result = co_await run_it(client, argument);
    CHECK(result == argument);
}

/// Why the Redis is unfit, or an empty string.
Coroutine<std::string> fault_of(RedisUrl url, RedisSettings settings = {}) {
    RedisClient client(stage3::running_loop(), std::move(url), std::move(settings));
    std::string result;
    try {
        co_await client.check();
    } catch (const stage3::RedisUnfit& unfit) {
        result = unfit.what();
    }
    CHECK(result.find("sesame") == std::string::npos);
    CHECK(result.find('\n') == std::string::npos);
    co_return result;
}
/// The same as a task, since g++ 12 miscompiles temporaries in an expression with
/// co_await.
stage3::Task<std::string> ask_for_fault(const RedisUrl& url,
                                        const RedisSettings& settings) {
    return stage3::create_task(fault_of(url, settings));
}
stage3::Task<std::string> ask_for_fault(const RedisUrl& url) {
    return ask_for_fault(url, {});
}

stage3::EventLoop& the_loop() { return stage3::running_loop(); }

} // namespace

COROUTINE_CASE("a script is loaded once per connection") {
    FakeRedis server(sound);
    RedisClient client(the_loop(), server.url());
    for (const char* word : {"a", "b"}) {
        co_await answers(client, word);
    }
    const std::vector<std::string> keys{"k1", "k2"};
    const std::vector<std::string> arguments{"x"};
    const RedisReply reply = co_await client.run("other", keys, arguments);
    CHECK(reply.text == "k1");
    CHECK(server.asked()
          == std::vector<std::string>{"SCRIPT LOAD script", "EVALSHA sha-of-script 0 a",
                                      "EVALSHA sha-of-script 0 b", "SCRIPT LOAD other",
                                      "EVALSHA sha-of-other 2 k1 k2 x"});
    CHECK(client.traffic().calls == 5);
    co_await server.go_away();
    server.come_back();
    co_await answers(client, "c");
    CHECK(server.times_asked("SCRIPT LOAD script") == 2);
    CHECK(client.traffic().reconnects == 1);
}

COROUTINE_CASE("a server that goes away for a while is reported once") {
    const auto notes = std::make_shared<Notes>();
    FakeRedis server(sound);
    co_await server.go_away(); // and is missing from the start
    RedisClient client(the_loop(), server.url(), hasty(notes));
    std::vector<stage3::Task<std::string>> tasks;
    for (const char* word : {"b", "c"})
        tasks.push_back(stage3::create_task(run_it(client, word)));
    while (notes->empty())
        co_await stage3::sleep(1ms);
    co_await stage3::sleep(100ms); // enough for many tries
    const std::string who = server.url().shown();
    CHECK(*notes == Notes{who + " doesn't answer (connection refused): trying again"});
    server.come_back();
    co_await stage3::wait(tasks);
    CHECK(tasks[0].result() == "b");
    CHECK(tasks[1].result() == "c");
    REQUIRE(notes->size() == 2);
    CHECK(notes->back().starts_with(who + " is back after "));
    CHECK(notes->back().ends_with(" s"));

    co_await server.go_away(); // a second time
    const auto again = stage3::create_task(run_it(client, "e"));
    while (notes->size() < 3)
        co_await stage3::sleep(1ms);
    server.come_back();
    co_await tests::end_of(again);
    CHECK(again.result() == "e");
    CHECK(notes->size() == 4);
}

COROUTINE_CASE("pauses grow and are no shorter than half of their length") {
    FakeRedis server(sound);
    co_await server.go_away();
    RedisSettings settings;
    settings.first_pause = 4ms;
    const auto refused = std::make_shared<bool>(false);
    settings.on_note = [refused](const std::string&) { *refused = true; };
    RedisClient client(the_loop(), server.url(), settings);
    const auto begin = the_loop().time();
    const auto task = stage3::create_task(run_it(client, "a"));
    while (!*refused)
        co_await stage3::sleep(1ms);
    const auto left = std::make_shared<int>(4);
    server.answer([left](const RedisCommand& command) -> Say {
        return (*left)-- > 0 ? Say("", true) : sound(command);
    });
    server.come_back();
    co_await tests::end_of(task);
    CHECK(task.result() == "a");
    CHECK(server.connections() == 5);
    // At least one refusal, and four connections that hang up: 4 + 8 + 16 + 32 + 64,
    // halved.
    CHECK(the_loop().time() - begin >= 62ms);
}

COROUTINE_CASE("temporary errors are waited out") {
    const auto notes = std::make_shared<Notes>();
    const auto left = std::make_shared<int>(3);
    FakeRedis server([left](const RedisCommand& command) -> Say {
        const bool refuses = command[0] == "EVALSHA" && (*left)-- > 0;
        return refuses ? Say("-LOADING the dataset\r\n") : sound(command);
    });
    RedisClient client(the_loop(), server.url(), hasty(notes));
    co_await answers(client, "a");
    CHECK(server.connections() == 4);
    REQUIRE(notes->size() == 2);
    CHECK(notes->front().find(" can't do it now (") != std::string::npos);
}

COROUTINE_CASE(
    "a call survives a server that goes away before, during or after its answer, "
    "or falls silent") {
    const std::vector<Say> troubles{Say("", true),
                                    Say("$1\r", true),
                                    Say("$1\r\na\r", true),
                                    Say("$1\r\na\r\n", true),
                                    Say(""),
                                    Say("$1\r\na")};
    const auto notes = std::make_shared<Notes>();
    const auto next = std::make_shared<std::size_t>(0);
    FakeRedis server([&troubles, next](const RedisCommand& command) -> Say {
        if (command[0] == "EVALSHA" && *next < troubles.size())
            return troubles[(*next)++];
        return sound(command);
    });
    RedisSettings settings = hasty(notes);
    settings.answer_timeout = 50ms;
    RedisClient client(the_loop(), server.url(), settings);
    for (int i = 0; i < 3; ++i) { // leaving after an answer is one trouble, too
        co_await answers(client, "a");
    }
    CHECK(*next == troubles.size());
}

COROUTINE_CASE("permanent errors are not tried again") {
    const auto notes = std::make_shared<Notes>();
    FakeRedis server([](const RedisCommand& command) -> Say {
        return command[0] == "EVALSHA" ? Say("-WRONGTYPE no list\r\n") : sound(command);
    });
    RedisClient client(the_loop(), server.url(), hasty(notes));
    std::string result = co_await run_it(client, "a");
    CHECK(result == "WRONGTYPE no list");
    CHECK(server.times_asked("EVALSHA") == 1);
    server.answer([](const RedisCommand&) { return "HTTP/1.1 400 Bad Request\r\n"; });
    result = co_await run_it(client, "a");
    CHECK(result == "what answers is no Redis: 'HTTP/1.1 400 Bad Request'");
    CHECK(server.times_asked("EVALSHA") == 2);
    CHECK(notes->empty());
}

COROUTINE_CASE("many commands at once wait as patiently as one script") {
    const auto notes = std::make_shared<Notes>();
    const auto loading = std::make_shared<int>(2);
    FakeRedis server([loading](const RedisCommand& command) -> Say {
        if (command[0] == "BAD")
            return "-ERR unknown command\r\n";
        return (*loading)-- > 0 ? Say("-LOADING data\r\n") : Say("+OK\r\n");
    });
    RedisClient client(the_loop(), server.url(), hasty(notes));
    std::vector<RedisCommand> commands;
    for (const char* word : {"GET", "BAD", "GET"})
        commands.push_back({word});
    const std::vector<RedisReply> replies = co_await client.call_all(commands);
    REQUIRE(replies.size() == 3);
    CHECK(replies[0].text == "OK");
    CHECK(replies[1].is_error);
    CHECK(replies[2].text == "OK");
    CHECK(notes->size() == 2);
}

COROUTINE_CASE("a caller may cancel its call without affecting the others") {
    const auto notes = std::make_shared<Notes>();
    FakeRedis server([](const RedisCommand& command) -> Say {
        if (command[0] == "EVALSHA" && command[3] == "slow")
            return "";
        return sound(command);
    });
    RedisClient client(the_loop(), server.url(), hasty(notes));
    auto slow = stage3::create_task(run_it(client, "slow"));
    const auto next = stage3::create_task(run_it(client, "next"));
    while (server.times_asked("EVALSHA sha-of-script 0 slow") == 0)
        co_await stage3::sleep(1ms);
    slow.cancel();
    co_await tests::end_of(slow, next);
    CHECK(slow.cancelled());
    CHECK(next.result() == "next");
    CHECK(notes->empty());

    co_await server.go_away();
    auto never = stage3::create_task(run_it(client, "never"));
    while (notes->empty())
        co_await stage3::sleep(1ms);
    never.cancel();
    co_await tests::end_of(never);
    CHECK(never.cancelled());
    CHECK(notes->size() == 1);
    server.come_back();
    co_await answers(client, "well");
    CHECK(notes->size() == 1); // the server wasn't away for this call
    co_await server.go_away(); // is reported, although no return was
    const auto again = stage3::create_task(run_it(client, "again"));
    while (notes->size() < 2)
        co_await stage3::sleep(1ms);
    server.come_back();
    co_await tests::end_of(again);
    CHECK(again.result() == "again");
    CHECK(notes->size() == 3);
}

COROUTINE_CASE("check: a suitable Redis passes") {
    FakeRedis server(sound);
    RedisUrl url_now = server.url();
    std::string fault = co_await ask_for_fault(url_now);
    CHECK(fault == "");
    CHECK(server.asked()
          == std::vector<std::string>{"INFO", "SCRIPT LOAD return 1",
                                      "EVALSHA sha-of-return 1 0"});
    server.answer([](const RedisCommand& command) {
        return command[0] == "EVALSHA" ? Say("-LOADING data\r\n") : sound(command);
    });
    url_now = server.url();
    fault = co_await ask_for_fault(url_now); // it is only loading
    CHECK(fault == "");
}

COROUTINE_CASE(
    "check: an unsuitable Redis gets a fault in one line, without a second try") {
    struct Case {
        std::string answer;
        std::string fault;
    };
    const std::vector<Case> cases{
        {bulk("# Server\r\nredis_version:5.0.7\r\n"),
         "Redis 5.0.7 is too old: 6.2 is the first that will do"},
        {"HTTP/1.1 400 Bad Request\r\n\r\n",
         "what answers is no Redis: 'HTTP/1.1 400 Bad Request'"},
        {"-DENIED Redis is running in protected mode\r\n",
         "it gives no permission: DENIED Redis is running in protected mode"},
        {"-ERR what\r\n", "it refuses: ERR what"},
        {"", "no answer within 0.05 s"},
    };
    for (const auto& one : cases) {
        CAPTURE(one.fault);
        FakeRedis server([&one](const RedisCommand&) { return one.answer; });
        RedisSettings settings;
        if (one.answer.empty())
            settings.connect_timeout = 50ms;
        const RedisUrl url = server.url();
        const std::string fault = co_await ask_for_fault(url, settings);
        CHECK(fault == server.url().shown() + ": " + one.fault);
        CHECK(server.connections() == 1);
    }
}

COROUTINE_CASE("check: a Redis that can't be reached or entered is a fault") {
    FakeRedis server([](const RedisCommand&) -> Say {
        return "-ERR wrong number of arguments for 'auth' command\r\n";
    });
    const auto check = [](RedisUrl url, std::string expected) -> Coroutine<> {
        const std::string fault = co_await ask_for_fault(url);
        CHECK(fault == url.shown() + ": " + expected);
    };
    RedisUrl url = server.url();
    url.password = "sesame";
    co_await check(url, "it is too old to know users: 6.2 is the first that will do");
    server.answer([](const RedisCommand&) -> Say { return {"", true}; });
    url = server.url();
    co_await check(url, "it hangs up without an answer: that may be no Redis, or one "
                        "that wants TLS");
    server.greet("SSH-2.0-OpenSSH_9.2p1\r\n");
    co_await check(url, "what answers is no Redis: 'SSH-2.0-OpenSSH_9.2p1'");
    co_await server.go_away();
    co_await check(url, "nothing listens there: connection refused");
    url.path = "/nowhere/at/all";
    co_await check(url, "nothing listens there: no such file or directory");
}
