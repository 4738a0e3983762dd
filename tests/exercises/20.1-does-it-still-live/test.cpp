// start fails in: who waits
// start fails with: awaited is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("who waits") {
    check("awaited", &Answers::awaited,
          "the co_await is in the expression that makes the temporary. So that isn't at "
          "its end before the coroutine is, and the temporary waits, too.");
    check("first_line", &Answers::first_line,
          "a task makes its first step in the next turn, and not a line of it has run "
          "before that. The temporary dies at the semicolon.");
}

TEST_CASE("what is copied") {
    check("view", &Answers::view,
          "the view is copied, and the copy points to where the first one did: into a "
          "function that has returned.");
    check("named", &Answers::named,
          "the captures live as long as the lambda, which is a local variable of a "
          "coroutine that waits for the task.");
    check("handed_out", &Answers::handed_out,
          "a name keeps the lambda until its function returns. The task doesn't keep it, "
          "and runs later.");
}

TEST_CASE("who else runs") {
    check("in_group", &Answers::in_group,
          "the group's run doesn't end before its children have, and whoever awaits it "
          "stands still until then, with its local variables.");
    check("in_list", &Answers::in_list,
          "what a vector does when it grows, a list never does: its elements stay where "
          "they are.");
    check("in_callback", &Answers::in_callback,
          "it was cancelled, so its frame is destroyed, and the local variable with it. "
          "The loop still has the callback.");
}
