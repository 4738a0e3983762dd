// start fails in: temporaries and waiting coroutines
// start fails with: awaited is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("temporaries and waiting coroutines") {
    check("awaited", &Answers::awaited,
          "the co_await is in the expression that makes the temporary. That expression "
          "doesn't end before the coroutine does, so the temporary waits, too.");
    check("first_line", &Answers::first_line,
          "a task takes its first step in the next turn, and no line of it has run "
          "before that. The temporary dies at the semicolon.");
}

TEST_CASE("copies and captures") {
    check("view", &Answers::view,
          "the view is copied, and the copy points to where the original did: into a "
          "function that has returned.");
    check("named", &Answers::named,
          "the captures live as long as the lambda, which is a local variable of a "
          "coroutine that waits for the task.");
    check("handed_out", &Answers::handed_out,
          "a lambda with a name lives until its function returns. The task doesn't keep "
          "it, and runs later.");
}

TEST_CASE("code that runs later") {
    check("in_group", &Answers::in_group,
          "the group's run doesn't end before its children have, and the coroutine that "
          "awaits it stays suspended until then, with its local variables.");
    check("in_list", &Answers::in_list,
          "a vector moves its elements when it grows, but a list never does: its "
          "elements stay where they are.");
    check("in_callback", &Answers::in_callback,
          "it was cancelled, so its frame is destroyed, and the local variable with it. "
          "The loop still has the callback.");
}
