// frame_tour: inspects live coroutine frames.
//
// Where is a frame, and how large is it? What is in it? What changes when the coroutine
// resumes? The layout of a frame is up to the compiler, and no program should rely on it;
// this one only looks. See page 05 of the book (functions that pause).
#include "common/system/heap_block.h"
#include "stage2_coroutines/small/generator.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace {

/// They yield numbers. What they are sent and what they return is a number too, and here
/// nobody looks at either.
using Numbers = small::Generator<int, int, int>;

/// Addresses of local variables, as reported by the coroutine itself.
struct Locals {
    const void* from = nullptr;
    const void* i = nullptr;
};

// Not inlined into their callers, where the compiler might see that a frame need not be
// on the heap at all.
[[gnu::noinline]] Numbers count_and_tell(int from, Locals* locals);
[[gnu::noinline]] Numbers two_numbers(int from);

// [count]
/// Yields `from`, `from + 1`, and so on, but first reports where its variables are.
Numbers count_and_tell(int from, Locals* locals) {
    int i = from;
    *locals = {.from = &from, .i = &i};
    while (true) {
        co_yield i;
        ++i;
    }
}
// [/count]

// [two-numbers]
Numbers two_numbers(int from) {
    co_yield from;
    co_yield from + 1;
    co_return 0;
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

std::string offset(const void* frame, const void* part) {
    const auto bytes =
        reinterpret_cast<std::uintptr_t>(part) - reinterpret_cast<std::uintptr_t>(frame);
    return fmt::format("frame + {}", bytes);
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
               common::size_on_heap(numbers.address()));
    fmt::print("  of these, the promise              {} bytes\n",
               sizeof(Numbers::promise_type));
    fmt::print("  its parameter `from`               {}\n",
               offset(numbers.address(), locals.from));
    fmt::print("  its variable `i`                   {}\n",
               offset(numbers.address(), locals.i));
}

void print_frame(const char* name, const Numbers& numbers, const Locals& locals) {
    fmt::print("  {}: frame {}, i = {}\n", name, fmt::ptr(numbers.address()),
               *static_cast<const int*>(locals.i));
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

void what_changes() {
    fmt::print("3. What changes when it resumes?\n");
    auto numbers = two_numbers(50);
    fmt::print("  before the start\n");
    const auto at_first = common::bytes_of(numbers.address());
    numbers.next();
    fmt::print("  then, at the first co_yield\n");
    const auto at_one = common::bytes_of(numbers.address());
    numbers.next();
    fmt::print("  and then, at the second\n");
    const auto at_two = common::bytes_of(numbers.address());
    // Somewhere the frame must record where to resume.
    if (const auto at = common::number_of_place(at_first, at_one, at_two))
        fmt::print("  frame + {} holds {}, then {}, then {}: this compiler's number for "
                   "that place\n",
                   *at, at_first[*at], at_one[*at], at_two[*at]);
}

void the_same_by_hand() {
    fmt::print("4. The same by hand\n  coroutine  by hand\n");
    auto coroutine = two_numbers(50);
    TwoNumbers by_hand(50);
    const auto text = [](std::optional<int> number) {
        return number ? fmt::to_string(*number) : "nothing";
    };
    for (int i = 0; i < 4; ++i) // once more than there are numbers
        fmt::print("  {:<9}  {}\n", text(coroutine.next()), text(by_hand.next()));
}

} // namespace

int main(int argc, char** argv) {
    try {
        // All the stops of the tour, or just the one whose number is given.
        const std::array stops{where_it_is, one_function_two_frames, what_changes,
                               the_same_by_hand};
        const std::string chosen = argc > 1 ? argv[1] : "";
        bool known = chosen.empty();
        for (std::size_t i = 0; i < stops.size() && argc <= 2; ++i) {
            if (!chosen.empty() && chosen != std::to_string(i + 1))
                continue;
            stops.at(i)();
            known = true;
        }
        if (!known || argc > 2) {
            fmt::print(stderr, "frame_tour: give no argument, or a number from 1 to {}\n",
                       stops.size());
            return 2;
        }
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "frame_tour: {}\n", error.what());
        return 1;
    }
}
