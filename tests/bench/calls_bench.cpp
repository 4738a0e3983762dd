// What it costs to call a coroutine that never waits from another one: by symmetric
// transfer (page 08), in a task's step (page 11), by delegation (page 18a), and as a
// plain function.
//
//     build/tests/bench/calls_bench
#include "stage2_coroutines/generator.h"
#include "stage2_coroutines/small/coroutine.h"
#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/task.h"
#include "tests/bench/bench.h"

#include <cstdio>
#include <exception>

namespace {

constexpr int calls = 2'000'000;

volatile int one = 1; // so that the compiler can't know the result

[[gnu::noinline]] int plain(int number) { return number + one; }
[[gnu::noinline]] small::Coroutine<int> transferred(int number) {
    co_return number + one;
}
[[gnu::noinline]] stage3::small::Coroutine<int> stepped(int number) {
    co_return number + one;
}
[[gnu::noinline]] stage2::Generator<int, int, int> delegated(int number) {
    co_return number + one;
}

small::Coroutine<int> call_transferred(int& sum) {
    for (int i = 0; i < calls; ++i)
        sum = co_await transferred(sum);
    co_return 0;
}
stage3::small::Coroutine<> call_stepped(int& sum) {
    for (int i = 0; i < calls; ++i)
        sum = co_await stepped(sum);
}
stage2::Generator<int, int, int> call_delegated(int& sum) {
    for (int i = 0; i < calls; ++i)
        sum = co_await delegated(sum);
    co_return 0;
}

void measure() {
    bench::print("a plain function", calls, [] {
        int sum = 0;
        for (int i = 0; i < calls; ++i)
            sum = plain(sum);
    });
    bench::print("a coroutine, symmetric transfer", calls, [] {
        int sum = 0;
        auto caller = call_transferred(sum);
        caller.start();
    });
    bench::print("a coroutine, a task's step", calls, [] {
        int sum = 0;
        stage3::small::EventLoop loop;
        stage3::small::Task caller(loop, call_stepped(sum));
        run_until_complete(loop, caller);
    });
    bench::print("a coroutine, delegation", calls, [] {
        int sum = 0;
        auto caller = call_delegated(sum);
        caller.next();
    });
}

} // namespace

int main() {
    try {
        measure();
        return 0;
    } catch (const std::exception& error) {
        std::fputs(error.what(), stderr);
        return 1;
    }
}
