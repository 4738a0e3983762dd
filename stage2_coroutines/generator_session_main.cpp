// generator_session: talks to a generator, and prints both sides.
//
// The generator is started, sent values, thrown at, and run to its end. The scene of page
// 06 of the book is a recorded run.
#include "common/trace/trace.h"
#include "stage2_coroutines/generator.h"
#include "stage2_coroutines/traced_generator.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace {

common::Tracer tracer; // off, unless the program is given a file

/// stage2::Generator, but the tracer hears both sides of the conversation.
template <class Yield, class Send, class Return>
class Generator : public stage2::TracedGenerator<Yield, Send, Return> {
  public:
    /// The promise makes a plain generator, and the compiler converts it to the
    /// function's return type.
    Generator(stage2::Generator<Yield, Send, Return>&& plain) // NOLINT: not explicit
        : stage2::TracedGenerator<Yield, Send, Return>(std::move(plain), tracer) {}
};

/// Yields numbers, receives words, and returns a word.
Generator<int, std::string, std::string> conversation() {
    fmt::print("    (begins)\n");
    const std::string first = co_yield 1;
    fmt::print("    (was sent \"{}\")\n", first);
    std::string second;
    try {
        second = co_yield 2;
    } catch (const std::runtime_error& error) {
        second = error.what(); // C++ allows no co_yield in a handler
    }
    fmt::print("    (has now \"{}\")\n", second);
    co_return "done";
}

using Reply = stage2::Reply<int, std::string>;

void print(const Reply& reply) {
    if (reply.yielded)
        fmt::print("  yields {}\n", *reply.yielded);
    else if (reply.returned)
        fmt::print("  has ended, and returns \"{}\"\n", *reply.returned);
    else
        fmt::print("  had ended before\n");
}

void session() {
    fmt::print("call it\n");
    auto talker = conversation();
    fmt::print("  nothing has run\n");
    fmt::print("next()\n");
    print(talker.next());
    fmt::print("send(\"hello\")\n");
    print(talker.send("hello"));
    fmt::print("send(\"bye\")\n");
    print(talker.send("bye"));
    fmt::print("next()\n");
    print(talker.next());
}

void throwing_session() {
    fmt::print("call it, next(), send(\"hello\")\n");
    auto talker = conversation();
    print(talker.next());
    print(talker.send("hello"));
    fmt::print("throw_(runtime_error(\"enough\"))\n");
    print(talker.throw_(std::make_exception_ptr(std::runtime_error("enough"))));
    fmt::print("throw_(runtime_error(\"again\"))\n");
    try {
        print(talker.throw_(std::make_exception_ptr(std::runtime_error("again"))));
    } catch (const std::runtime_error& error) {
        fmt::print("  comes straight back: \"{}\"\n", error.what());
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc > 2) {
            fmt::print(stderr,
                       "generator_session: give no argument, or one file for a trace\n");
            return 2;
        }
        if (argc == 2)
            tracer = common::Tracer(argv[1], "generator_session");
        session();
        fmt::print("\n");
        throwing_session();
        if (const std::error_code error = tracer.close())
            throw std::system_error(error, "the trace is incomplete");
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "generator_session: {}\n", error.what());
        return 1;
    }
}
