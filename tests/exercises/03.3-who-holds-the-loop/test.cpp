// start fails in: the callback that holds the loop
// start fails with: line is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(found_by_reader, read_trace);

TEST_CASE("the callback that holds the loop") {
    check("line", &Answers::line,
          "the trace doesn't show what a callback does inside, but its begin names the "
          "line where it was registered. Look for one whose end is far from its begin.");
    check("turn", &Answers::turn,
          "a long time alone says little. In select the loop sleeps because no socket is "
          "ready, and that keeps nothing waiting. Look between a callback's begin and "
          "its end.");
    check("milliseconds", &Answers::milliseconds,
          "take the time of its end and subtract the time of its begin. The file counts "
          "in microseconds, and the viewer in milliseconds.");
}

TEST_CASE("the sockets that wait") {
    check("waiting", &Answers::waiting,
          "of the sockets that were ready in this turn, some had been served before it "
          "began, and it does not wait for itself. The others can't be served meanwhile: "
          "there is one thread, and it is inside this callback.");
    check("next_turn", &Answers::next_turn,
          "what arrives while the loop is held up is not lost. It stays in the kernel's "
          "buffers, and the next select reports it, together with what was not read "
          "before.");
}
