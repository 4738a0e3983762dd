// What a call of one coroutine by another costs, which never waits: by symmetric transfer
// (book/08), by delegation (book/08a), and as a plain function. Best of nine.
//
//     build/tests/bench/calls_bench
#include "stage2_coroutines/first/coroutine.h"
#include "stage2_coroutines/generator.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace {

constexpr int calls = 2'000'000;

[[gnu::noinline]] int plain(int number) { return number + 1; }
[[gnu::noinline]] first::Coroutine<int> transferred(int number) { co_return number + 1; }
[[gnu::noinline]] stage2::Generator<int, int, int> delegated(int number) {
    co_return number + 1;
}

first::Coroutine<int> call_transferred(int& sum) {
    for (int i = 0; i < calls; ++i)
        sum = co_await transferred(sum);
    co_return 0;
}
stage2::Generator<int, int, int> call_delegated(int& sum) {
    for (int i = 0; i < calls; ++i)
        sum = co_await delegated(sum);
    co_return 0;
}

template <class Run>
void measure(const char* what, Run run) {
    double best = 1e9;
    for (int round = 0; round < 9; ++round) {
        int sum = 0;
        const auto start = std::chrono::steady_clock::now();
        run(sum);
        const std::chrono::duration<double, std::nano> time =
            std::chrono::steady_clock::now() - start;
        if (sum != calls)
            fmt::print("wrong: {}\n", sum);
        best = std::min(best, time.count() / calls);
    }
    fmt::print("{:<32} {:6.1f} ns a call\n", what, best);
}

} // namespace

int main() {
    measure("a plain function", [](int& sum) {
        for (int i = 0; i < calls; ++i)
            sum = plain(sum);
    });
    measure("a coroutine, symmetric transfer", [](int& sum) {
        auto caller = call_transferred(sum);
        caller.start();
    });
    measure("a coroutine, delegation", [](int& sum) {
        auto caller = call_delegated(sum);
        caller.next();
    });
}
