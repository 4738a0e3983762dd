// start fails in: a task cancelled while it waits
// start fails with: polite is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("a task cancelled while it waits") {
    check("polite", &Answers::polite,
          "cancel only asks. In the next turn, Cancelled is thrown at the co_await, and "
          "the destructors run as for any exception.");
    check("caught", &Answers::caught,
          "a coroutine that catches the request and returns has a result and was not "
          "cancelled.");
    check("late", &Answers::late,
          "the result is there, but the task has not had its turn. It gets Cancelled "
          "instead, and the result stays in the future.");
}

TEST_CASE("a task cancelled at other times") {
    check("early", &Answers::early,
          "no line of it has run, so there is no co_await that could throw: it never "
          "begins.");
    check("itself", &Answers::itself,
          "it is running, so it gets Cancelled at its next wait. If there is none, what "
          "it returns is dropped, and it ends as cancelled.");
}

TEST_CASE("a task cancelled while it waits for a task") {
    check("inner", &Answers::inner,
          "the task that it waits for is asked in its place. If that one refuses and "
          "returns a value, the value is all that the outer one ever sees.");
}
