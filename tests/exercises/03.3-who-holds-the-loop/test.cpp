// start fails in: the one who holds it
// start fails with: line is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(found_by_reader, read_trace);

TEST_CASE("the one who holds it") {
    check("line", &Answers::line,
          "what a callback does inside is not in the trace; but at its begin stands "
          "where it was registered. Look for one whose end is far from its begin.");
    check("turn", &Answers::turn,
          "a long time alone says little. In select the loop sleeps, because nobody is "
          "ready, and nobody is kept waiting by that. Look between a callback's begin "
          "and its end.");
    check("milliseconds", &Answers::milliseconds,
          "take the time of its end, and subtract that of its begin. A trace counts in "
          "microseconds, the viewer in milliseconds.");
}

TEST_CASE("those who wait") {
    check("waiting", &Answers::waiting,
          "of those who were ready in this turn, some had been called before it began, "
          "and it does not wait for itself. The others can't be called meanwhile: there "
          "is one thread, and it is inside this callback.");
    check("next_turn", &Answers::next_turn,
          "what arrives while nobody asks is not lost. It lies in the kernel's buffers, "
          "and the next select tells of it, together with what was not read before.");
}
