// frame_tour: inspects live coroutine frames.
//
// Where is a frame, and how large is it? What is in it? What changes when the coroutine
// resumes? The layout of a frame is up to the compiler, and no program should rely on it;
// this one only looks. See page 05 of the book (functions that pause).
#include "common/trace/trace.h"
#include "stage2_coroutines/generator.h"
#include "stage2_coroutines/traced_generator.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace {

using stage2::Generator;
using stage2::TracedGenerator;

common::Tracer tracer; // off, unless the program is given a file

/// How many bytes the heap has set aside for a frame; 0 if there is no way to know.
std::size_t size_on_heap(const void* frame) {
#if defined(__GLIBC__)
    return ::malloc_usable_size(const_cast<void*>(frame)); // it only looks
#else
    static_cast<void>(frame);
    return 0;
#endif
}

/// Addresses of local variables, as reported by the coroutine itself.
struct Locals {
    const void* from = nullptr;
    const void* i = nullptr;
};

// Not inlined into their callers, where the compiler might see that a frame need not be
// on the heap at all.
[[gnu::noinline]] Generator<int> count_and_tell(int from, Locals* locals);
[[gnu::noinline]] Generator<int> two_numbers(int from);
[[gnu::noinline]] Generator<int> outer();

// [count]
/// Yields `from`, `from + 1`, and so on, but first reports where its variables are.
Generator<int> count_and_tell(int from, Locals* locals) {
    int i = from;
    *locals = {.from = &from, .i = &i};
    while (true) {
        co_yield i;
        ++i;
    }
}
// [/count]

// [two-numbers]
Generator<int> two_numbers(int from) {
    co_yield from;
    co_yield from + 1;
}
// [/two-numbers]

// [by-hand]
/// Roughly what a compiler makes of `two_numbers`: a frame and a switch.
class TwoNumbers {
  public:
    explicit TwoNumbers(int from) : from_(from) {}

    std::optional<int> next() {
        switch (place_) {
        case 0: place_ = 1; return from_;
        case 1: place_ = 2; return from_ + 1;
        default: // after the last line
            return std::nullopt;
        }
    }

  private:
    int from_;      // the parameter
    int place_ = 0; // where to resume
};
// [/by-hand]

// [outer]
Generator<int> outer() {
    co_await two_numbers(10);
    co_await two_numbers(20);
}
// [/outer]

std::string offset(const void* frame, const void* part) {
    const auto bytes =
        reinterpret_cast<std::uintptr_t>(part) - reinterpret_cast<std::uintptr_t>(frame);
    return fmt::format("frame + {}", bytes);
}

std::string standing(const common::Place& place) {
    return fmt::format("{} at {}", common::short_name(place.function.function_name()),
                       common::file_and_line(place.line));
}

void where_it_is() {
    fmt::print("1. Where is a frame?\n");
    int on_the_stack = 0;
    const auto on_the_heap = std::make_unique<int>();
    Locals locals;
    auto numbers = count_and_tell(7, &locals);
    numbers.next();
    fmt::print("  a local variable of this function  {}\n", fmt::ptr(&on_the_stack));
    fmt::print("  something made with make_unique    {}\n", fmt::ptr(on_the_heap.get()));
    fmt::print("  the coroutine's frame              {}\n", fmt::ptr(numbers.address()));
    fmt::print("  its size, as the heap rounds it    {} bytes\n",
               size_on_heap(numbers.address()));
    fmt::print("  of these, the promise              {} bytes\n",
               sizeof(Generator<int>::promise_type));
    fmt::print("  its parameter `from`               {}\n",
               offset(numbers.address(), locals.from));
    fmt::print("  its variable `i`                   {}\n",
               offset(numbers.address(), locals.i));
}

void print_frame(const char* name, const Generator<int>& generator,
                 const Locals& locals) {
    fmt::print("  {}: frame {}, i = {}, suspended in {}\n", name,
               fmt::ptr(generator.address()), *static_cast<const int*>(locals.i),
               standing(generator.chain()[0]));
}

void one_function_two_frames() {
    fmt::print("2. One function, two frames\n");
    // [two]
    Locals a_locals;
    Locals b_locals;
    auto a = count_and_tell(1, &a_locals);
    auto b = count_and_tell(100, &b_locals);
    for (int i = 0; i < 3; ++i)
        a.next();
    b.next();
    // Both are paused, yet their variables can still be read.
    print_frame("a", a, a_locals);
    print_frame("b", b, b_locals);
    // [/two]
}

/// The current bytes of a frame.
std::vector<unsigned char> bytes_of(const void* frame) {
    std::vector<unsigned char> bytes(size_on_heap(frame));
    std::memcpy(bytes.data(), frame, bytes.size());
    return bytes;
}

/// For a trace: two generators of one function, each of which resumes where it stopped
/// itself. `number_at`: which byte of a frame holds the number of that place.
void two_of_them(std::optional<std::size_t> number_at) {
    TracedGenerator a(two_numbers(50), tracer, number_at);
    TracedGenerator b(two_numbers(100), tracer, number_at);
    a.next();
    b.next();
    a.next();
    a.next();
}

void what_changes() {
    fmt::print("3. What changes when it resumes?\n");
    auto numbers = two_numbers(50);
    const auto look = [&](const char* when) {
        fmt::print("  {:<17} suspended {}\n", when,
                   numbers.started() ? "in " + standing(numbers.chain()[0])
                                     : "before its first line");
        return bytes_of(numbers.address());
    };
    const auto at_first = look("before the start,");
    numbers.next();
    const auto at_one = look("then");
    numbers.next();
    const auto at_two = look("and then");

    // Somewhere the frame must record where to resume. Compilers number these places, so
    // we look for a byte that counts up in small steps.
    std::optional<std::size_t> number_at;
    for (std::size_t i = 0; i < at_first.size(); ++i) {
        const int step = at_one[i] - at_first[i];
        if ((step == 1 || step == 2) && at_two[i] == at_one[i] + step && at_two[i] < 8) {
            number_at = i;
            fmt::print("  frame + {} holds {}, then {}, then {}: this compiler's number "
                       "for that place\n",
                       i, at_first[i], at_one[i], at_two[i]);
        }
    }
    if (tracer.enabled())
        two_of_them(number_at);
}

void the_outer_one_stands_still() {
    fmt::print("5. The outer one stays where it is while the inner one runs\n");
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

void the_same_by_hand() {
    fmt::print("4. The same by hand\n  coroutine  by hand\n");
    auto coroutine = two_numbers(50);
    TwoNumbers by_hand(50);
    const auto text = [](std::optional<int> number) {
        return number ? fmt::to_string(*number) : "nothing";
    };
    for (int i = 0; i < 4; ++i) // once more than there are numbers
        fmt::print("  {:<9}  {}\n", text(coroutine.next().yielded), text(by_hand.next()));
}

} // namespace

int main(int argc, char** argv) {
    try {
        // All the stops of the tour, or just the one whose number is given.
        const std::array stops{where_it_is, one_function_two_frames, what_changes,
                               the_same_by_hand, the_outer_one_stands_still};
        const std::string chosen = argc > 1 ? argv[1] : "";
        if (argc == 3)
            tracer = common::Tracer(argv[2], "frame_tour"); // of stops 3 and 5
        bool known = chosen.empty();
        for (std::size_t i = 0; i < stops.size(); ++i) {
            if (!chosen.empty() && chosen != std::to_string(i + 1))
                continue;
            stops.at(i)();
            known = true;
        }
        if (!known || argc > 3) {
            fmt::print(stderr,
                       "frame_tour: give no argument, or a number from 1 to {} and "
                       "optionally a file for its trace\n",
                       stops.size());
            return 2;
        }
        if (const std::error_code error = tracer.close())
            throw std::system_error(error, "the trace is incomplete");
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "frame_tour: {}\n", error.what());
        return 1;
    }
}
