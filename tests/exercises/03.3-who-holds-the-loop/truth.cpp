// Finds the true answers in run.trace. You may read it, but the viewer shows more.
#include "common/trace/trace.h"
#include "questions.h"
#include "tests/support/recorded_trace.h"

#include <doctest/doctest.h>

#include <cstddef>

Answers read_trace() {
    const auto trace = tests::recorded_trace();

    // Callbacks of this loop don't call each other, so each end belongs to the begin just
    // before it.
    std::size_t begin = 0;
    std::size_t slowest = 0;
    int longest = 0;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        if (trace[i].is("callback", "begin"))
            begin = i;
        if (!trace[i].is("callback", "end"))
            continue;
        const int microseconds = trace[i].number("t") - trace[begin].number("t");
        if (microseconds > longest) {
            longest = microseconds;
            slowest = begin;
        }
    }

    Answers found{.line = trace[slowest].line("at"),
                  .turn = trace[slowest].number("turn"),
                  .milliseconds = (longest + 5000) / 10'000 * 10,
                  .waiting = 0,
                  .next_turn = 0};
    for (std::size_t i = slowest + 1; i < trace.size(); ++i) {
        const int turn = trace[i].number("turn");
        if (turn == found.turn && trace[i].is("callback", "begin"))
            ++found.waiting; // it was ready before, and is called only now
        if (turn == found.turn + 1 && trace[i].is("awake"))
            found.next_turn = trace[i].number("ready");
    }
    return found;
}

// Not a test: record.py runs it to record run.trace.
TEST_CASE("record" * doctest::skip()) {
    common::Tracer tracer("run.trace", "exercise 03.3");
    play(tracer);
}
