// The same as runtime_bench.cpp, with Asio. Built if Asio's headers are there (Debian:
// libasio-dev).
#include "tests/bench/bench.h"

#include <exception>
#include <memory>
#include <utility>

#include <asio.hpp>
#include <asio/experimental/channel.hpp>

using asio::awaitable;
using asio::use_awaitable;

namespace {

awaitable<void> switch_often(int times) {
    const auto executor = co_await asio::this_coro::executor;
    for (int i = 0; i < times; ++i)
        co_await asio::post(executor, use_awaitable);
}

/// Waits for something that another turn of the loop will bring.
awaitable<void> await_futures(int times) {
    const auto executor = co_await asio::this_coro::executor;
    const auto initiate = [executor](auto handler) {
        asio::post(executor, [handler = std::move(handler)]() mutable { handler(); });
    };
    for (int i = 0; i < times; ++i)
        co_await asio::async_initiate<decltype(use_awaitable), void()>(initiate,
                                                                       use_awaitable);
}

awaitable<int> child(int value) { co_return value + 1; }

awaitable<void> await_children(int times) {
    int value = 0;
    for (int i = 0; i < times; ++i)
        value = co_await child(value);
}

awaitable<void> await_tasks(int times) {
    const auto executor = co_await asio::this_coro::executor;
    int value = 0;
    for (int i = 0; i < times; ++i)
        value = co_await asio::co_spawn(executor, child(value), use_awaitable);
}

using Channel = asio::experimental::channel<void(asio::error_code, int)>;

awaitable<void> send_many(std::shared_ptr<Channel> channel, int times) {
    for (int i = 0; i < times; ++i)
        co_await channel->async_send(asio::error_code(), i, use_awaitable);
}

awaitable<void> receive_many(std::shared_ptr<Channel> channel, int times) {
    for (int i = 0; i < times; ++i)
        co_await channel->async_receive(use_awaitable);
}

/// One sends, one receives, over a channel that holds so many.
awaitable<void> pass_through(std::size_t max_size, int times) {
    const auto executor = co_await asio::this_coro::executor;
    const auto channel = std::make_shared<Channel>(executor, max_size);
    asio::co_spawn(executor, send_many(channel, times), asio::detached);
    co_await receive_many(channel, times);
}

void rethrow(const std::exception_ptr& exception) {
    if (exception)
        std::rethrow_exception(exception);
}

template <class MakeCoroutine>
void run(int tasks, MakeCoroutine make) {
    asio::io_context context(1); // for one thread
    for (int i = 0; i < tasks; ++i)
        asio::co_spawn(context, make(), rethrow);
    context.run();
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): then it ends, and says so
int main() {
    constexpr int many = 1'000'000;
    bench::print("switch, 1 task", many,
                 [] { run(1, [] { return switch_often(many); }); });
    bench::print("switch, 1000 tasks", many,
                 [] { run(1000, [] { return switch_often(many / 1000); }); });
    bench::print("future, 1 task", many,
                 [] { run(1, [] { return await_futures(many); }); });
    bench::print("future, 1000 tasks", many,
                 [] { run(1000, [] { return await_futures(many / 1000); }); });
    bench::print("create and await a task", many,
                 [] { run(1, [] { return await_tasks(many); }); });
    bench::print("await a child", many,
                 [] { run(1, [] { return await_children(many); }); });
    bench::print("queue of 1, per item", many,
                 [] { run(1, [] { return pass_through(1, many); }); });
    bench::print("queue, per item", many,
                 [] { run(1, [] { return pass_through(many, many); }); });
    return 0;
}
