// redis_tour: an answer is lost, and the call is made again.
//
//     redis_tour [TRACE_FILE]
//
// With TRACE_FILE, it writes its events there.
//
// Both ends are tasks of one loop. One has the client with which stage 3 calls Redis. The
// other one plays Redis, and goes away at the worst moment: it has done what it was asked
// to do, and not said so. Page 29 of the book.
#include "common/trace/trace.h"
#include "stage3_queue_crawler/redis/redis_client.h"
#include "stage3_queue_crawler/redis/resp.h"
#include "stage3_queue_crawler/runtime/net/listener.h"
#include "stage3_queue_crawler/runtime/net/stream.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::Listener;
using stage3::RedisCommand;
using stage3::RedisReply;
using stage3::Stream;
using stage3::Task;

namespace {

void say(std::string_view text) { fmt::print("{}\n", text); }

common::Address loopback(std::uint16_t port) {
    return common::resolve("127.0.0.1", port).front();
}

/// What the server keeps, even while it's away.
struct Crawl {
    std::deque<std::string> queue{"a", "b", "c", "d"};
    std::string last;               // number of the last call
    std::vector<std::string> given; // in answer to it
};

/// {"step", NUMBER, "2"}: two URLs.
std::vector<std::string> step(Crawl& crawl, const std::string& number) {
    if (number == crawl.last) {
        say(fmt::format("  server: call {}, again: that was {}", number,
                        fmt::join(crawl.given, ", ")));
        return crawl.given;
    }
    crawl.last = number;
    crawl.given = {crawl.queue.at(0), crawl.queue.at(1)};
    crawl.queue.erase(crawl.queue.begin(), crawl.queue.begin() + 2);
    say(fmt::format("  server: call {}: takes {} out", number,
                    fmt::join(crawl.given, ", ")));
    return crawl.given;
}

/// Takes one call, and answers it if `lives`. Then it's gone, and nothing listens.
Coroutine<> take_call(Listener listener, Crawl& crawl, bool lives) {
    common::Socket client = co_await listener.accept();
    Stream stream(stage3::running_loop(), std::move(client));
    stage3::ReplyReader calls(stream); // calls are written like replies
    const RedisReply call = co_await calls.read();
    const std::vector<std::string> urls = step(crawl, call.items.at(1).text);
    if (!lives)
        co_return;
    std::string answer;
    stage3::append_command(answer, urls); // the same format again
    stream.write(answer);
    co_await stream.flush();
}

Coroutine<> play_redis(Listener listener) {
    Crawl crawl;
    const std::uint16_t port = listener.port();
    co_await take_call(std::move(listener), crawl, false);
    say("  server: is gone, and has not answered");
    co_await stage3::sleep(50ms);
    say("  server: is back");
    Listener again(loopback(port));
    co_await take_call(std::move(again), crawl, true);
}

Coroutine<> ask(stage3::RedisUrl url) {
    stage3::RedisClient client(
        stage3::running_loop(), std::move(url),
        {.on_note = [](const std::string& line) { // "redis://… is back", without the URL
            say("process: Redis" + line.substr(line.find(' ')));
        }});
    std::vector<RedisCommand> calls{{"step", "7", "2"}};
    say("process: call 7, wants two");
    const std::vector<RedisReply> replies = co_await client.call_all(std::move(calls));
    std::vector<std::string> urls;
    for (const RedisReply& url_reply : replies.at(0).items)
        urls.push_back(url_reply.text);
    say(fmt::format("process: has {}", fmt::join(urls, ", ")));
}

Coroutine<> both() {
    Listener listener(loopback(0)); // on any free port
    stage3::RedisUrl url;
    url.host = "127.0.0.1";
    url.port = listener.port();
    const Task<> server =
        stage3::create_task(play_redis(std::move(listener)), "the server");
    const Task<> process = stage3::create_task(ask(std::move(url)), "the process");
    co_await process;
    co_await server;
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc > 2) {
            fmt::print(stderr, "usage: redis_tour [TRACE_FILE]\n");
            return 2;
        }
        common::Tracer tracer =
            argc > 1 ? common::Tracer(argv[1], "redis_tour") : common::Tracer();
        stage3::LoopOptions options;
        options.tracer = &tracer;
        stage3::run(both(), std::move(options));
        return 0;
    } catch (const std::exception& problem) {
        fmt::print(stderr, "redis_tour: {}\n", problem.what());
        return 1;
    }
}
