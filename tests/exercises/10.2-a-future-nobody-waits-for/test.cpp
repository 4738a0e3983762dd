// start fails in: the guest that still waits
// start fails with: stands is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(found_by_reader, read_trace);

TEST_CASE("the guest that still waits") {
    check("stands", &Answers::stands,
          "a task is at the line where it was last suspended, and that is always a "
          "co_await. Which task was never resumed after that?");
    check("since", &Answers::since,
          "waiting is not an event. It begins with one, when the task is suspended, and "
          "from then on the trace says nothing about that task.");
    check("awaited", &Answers::awaited,
          "its last suspension gives the number of the future that it waits for. Use "
          "this number to find where that future was made.");
}

TEST_CASE("the future that no task waits for") {
    check("lost", &Answers::lost,
          "where a future is resolved, the trace says how many wait for it. Two were "
          "ordered under the same name, and the kitchen can remember only one of them: "
          "which of the two did it resolve?");
    check("turn", &Answers::turn,
          "no task waits, so none is put into the queue, and the next turn shows nothing "
          "of it. Look for the turn in which the cook resolves it.");
}
