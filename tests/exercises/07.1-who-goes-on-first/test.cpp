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
          "set_result calls those who wait before it returns, in the order in which they "
          "came. Who came first?");
}

TEST_CASE("several") {
    check("two", &Answers::two,
          "both take their first steps when they are made. Then those who wait are "
          "called in the order in which they came.");
    check("nested", &Answers::nested,
          "the resolver calls set_result, and that calls the waiter: inside the "
          "resolver, in the middle of its line. It goes on when the waiter has done.");
}

TEST_CASE("too late") {
    check("late", &Answers::late,
          "the future has called those who waited, when it was resolved. Who comes later "
          "waits in vain: nobody calls it any more.");
}
