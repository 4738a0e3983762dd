// start fails in: what has run
// start fails with: lines_after_call is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("what has run") {
    check("lines_after_call", &Answers::lines_after_call,
          "A call makes the frame, and this coroutine stops before its first line "
          "(initial_suspend).");
    check("lines_after_next", &Answers::lines_after_next,
          "it runs up to the first co_await: which calls of note are in front of that?");
}

TEST_CASE("what is in the frame") {
    check("parameter", &Answers::parameter,
          "the coroutine needs it after a pause, and who calls it may be gone by then.");
    check("local", &Answers::local,
          "it is needed after the pause. Where else could it stay?");
    check("string_object", &Answers::string_object,
          "it is needed after the pause. Where else could it stay?");
    check("characters", &Answers::characters,
          "a long string keeps its characters in memory of its own, wherever the string "
          "is.");
    check("plain_local", &Answers::plain_local,
          "helper is a plain function: it can't pause, so its variables can be on the "
          "stack, and are.");
}

TEST_CASE("one function, two calls") {
    check("two_calls", &Answers::two_calls, "each call makes a frame of its own.");
}
