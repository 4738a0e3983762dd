// start fails in: callbacks and futures
// start fails with: soon is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("callbacks and futures") {
    check("soon", &Answers::soon,
          "the loop takes out what is ready and runs it. What a callback queues "
          "meanwhile waits for the next turn, after all of these.");
    check("resolved", &Answers::resolved,
          "set_result runs nothing: it only puts the waiting tasks into the queue, after "
          "what is already there.");
}

TEST_CASE("tasks") {
    check("task", &Answers::task,
          "making a task runs none of it. Its first step waits in the queue like "
          "everything else.");
    check("done", &Answers::done,
          "a future that is done is not waited for: the coroutine doesn't even stop. If "
          "the future is pending, the task resumes one turn after it is resolved.");
}

TEST_CASE("timers") {
    check("timer", &Answers::timer,
          "timers that are due are moved to the end of the queue before anything runs, "
          "so they come after what was ready, even if they are due at once.");
}
