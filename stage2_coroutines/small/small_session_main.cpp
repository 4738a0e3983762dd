// small_session: talks to a small generator, and prints both sides.
//
// The generator is started, sent values, and run to its end. See page 06 of the book (a
// generator you can talk to). The real one can also be thrown at: generator_session does
// that.
#include "stage2_coroutines/small/generator.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

namespace {

// [conversation]
/// Yields numbers, is sent words, and returns a word.
using Talker = small::Generator<int, std::string, std::string>;

/// Prints what it is sent.
Talker conversation() {
    fmt::print("    (begins)\n");
    const std::string first = co_yield 1;
    fmt::print("    (was sent \"{}\")\n", first);
    const std::string second = co_yield 2;
    fmt::print("    (was sent \"{}\")\n", second);
    co_return "done";
}
// [/conversation]

// [print]
/// What came of resuming it.
void print(const Talker& talker, std::optional<int> yielded) {
    if (yielded)
        fmt::print("  yields {}\n", *yielded);
    else
        fmt::print("  has ended, and returns \"{}\"\n", talker.returned());
}
// [/print]

// [session]
void session() {
    fmt::print("call it\n");
    Talker talker = conversation();
    fmt::print("  nothing has run\n");
    fmt::print("next()\n");
    print(talker, talker.next());
    fmt::print("send(\"hello\")\n");
    print(talker, talker.send("hello"));
    fmt::print("send(\"bye\")\n");
    print(talker, talker.send("bye"));
    fmt::print("next()\n");
    print(talker, talker.next());
}
// [/session]

} // namespace

int main() {
    try {
        session();
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "small_session: {}\n", error.what());
        return 1;
    }
}
