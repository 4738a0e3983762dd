// start fails in: what has run
// start fails with: lines_after_call is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("what has run") {
    check("lines_after_call", &Answers::lines_after_call,
          "a call makes the frame, and this coroutine pauses before its first line (see "
          "initial_suspend).");
    check("lines_after_next", &Answers::lines_after_next,
          "it runs up to the first co_await. Which calls of note come before that?");
}

TEST_CASE("what is in the frame") {
    check("parameter", &Answers::parameter,
          "the coroutine needs it after a pause, and its caller may be gone by then.");
    check("local", &Answers::local,
          "it is needed after the pause. Where else could it survive one?");
    check("string_object", &Answers::string_object,
          "the object is a local variable that is needed after the pause, like `i`.");
    check("characters", &Answers::characters,
          "a long string keeps its characters in a separate allocation, wherever the "
          "string object is.");
    check("plain_local", &Answers::plain_local,
          "helper is a plain function: it can't pause, so its variables can be on the "
          "stack, and are.");
}

TEST_CASE("one function, two calls") {
    check("two_calls", &Answers::two_calls, "each call makes its own frame.");
}
