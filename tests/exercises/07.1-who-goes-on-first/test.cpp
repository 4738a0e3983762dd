// start fails in: one task
// start fails with: made is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("one task") {
    check("made", &Answers::made,
          "a task of stage 2 takes its first step in its constructor. See `Task` in "
          "stage2_coroutines/task.h.");
    check("resolved", &Answers::resolved,
          "before set_result returns, it calls everything that waits, in the order in "
          "which it came. Which came first?");
}

TEST_CASE("two tasks") {
    check("two", &Answers::two,
          "both tasks take their first step when they are made. Then whatever waits is "
          "called in the order in which it came.");
    check("nested", &Answers::nested,
          "the resolver calls set_result, and that resumes the waiter, from inside the "
          "resolver's own line. The resolver continues when the waiter pauses or ends.");
}

TEST_CASE("too late") {
    check("late", &Answers::late,
          "when the future was resolved, it called those that were waiting then. A task "
          "that comes later waits in vain, because stage 2's future never calls again.");
}
