// chain_tour: watches frames of the real generator.
//
// Two frames of one function, and one that awaits others of them. For a trace, which
// `./learn trace` shows; see pages 05 and 18a of the book.
#include "common/system/heap_block.h"
#include "common/trace/trace.h"
#include "stage2_coroutines/generator.h"
#include "stage2_coroutines/traced_generator.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <system_error>

namespace {

using stage2::Generator;
using stage2::TracedGenerator;

common::Tracer tracer; // off, unless the program is given a file

// Not inlined into its callers, where the compiler might see that a frame need not be on
// the heap at all.
[[gnu::noinline]] Generator<int> two_numbers(int from);

Generator<int> two_numbers(int from) {
    co_yield from;
    co_yield from + 1;
}

// [outer]
Generator<int> outer() {
    co_await two_numbers(10);
    co_await two_numbers(20);
}
// [/outer]

std::string standing(const common::Place& place) {
    return fmt::format("{} at {}", common::short_name(place.function.function_name()),
                       common::file_and_line(place.line));
}

/// Which byte of a frame of two_numbers holds the number of the place where it resumes.
std::optional<std::size_t> number_at() {
    auto numbers = two_numbers(50);
    const auto at_first = common::bytes_of(numbers.address());
    numbers.next();
    const auto at_one = common::bytes_of(numbers.address());
    numbers.next();
    return common::number_of_place(at_first, at_one, common::bytes_of(numbers.address()));
}

void two_of_them() {
    fmt::print("1. Each resumes where it stopped itself\n");
    const auto number = number_at();
    TracedGenerator a(two_numbers(50), tracer, number);
    TracedGenerator b(two_numbers(100), tracer, number);
    a.next();
    b.next();
    a.next();
    fmt::print("  a: {}\n", standing(a.chain()[0]));
    fmt::print("  b: {}\n", standing(b.chain()[0]));
    a.next();
}

void the_outer_one_stands_still() {
    fmt::print("2. The outer one stays where it is while the inner one runs\n");
    TracedGenerator generator(outer(), tracer);
    while (true) {
        const auto reply = generator.next();
        if (!reply.yielded)
            break;
        const auto chain = generator.chain();
        fmt::print("  {}: {}, inside {}\n", *reply.yielded, standing(chain[1]),
                   standing(chain[0]));
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        // Both stops of the tour, or just the one whose number is given.
        const std::array stops{two_of_them, the_outer_one_stands_still};
        const std::string chosen = argc > 1 ? argv[1] : "";
        if (argc == 3)
            tracer = common::Tracer(argv[2], "chain_tour");
        bool known = chosen.empty();
        for (std::size_t i = 0; i < stops.size() && argc <= 3; ++i) {
            if (!chosen.empty() && chosen != std::to_string(i + 1))
                continue;
            stops.at(i)();
            known = true;
        }
        if (!known || argc > 3) {
            fmt::print(stderr,
                       "chain_tour: give no argument, or a number from 1 to {} and "
                       "optionally a file for its trace\n",
                       stops.size());
            return 2;
        }
        if (const std::error_code error = tracer.close())
            throw std::system_error(error, "the trace is incomplete");
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "chain_tour: {}\n", error.what());
        return 1;
    }
}
