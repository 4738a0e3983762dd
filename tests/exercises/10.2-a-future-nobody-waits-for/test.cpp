// start fails in: the one who waits
// start fails with: stands is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(found_by_reader, read_trace);

TEST_CASE("the one who waits") {
    check("stands", &Answers::stands,
          "a task stands where it was suspended last, and that is always a co_await. "
          "Which task was never resumed after that?");
    check("since", &Answers::since,
          "waiting is no event. It begins with one, when the task is suspended, and from "
          "then on there is nothing to be told of that task.");
    check("awaited", &Answers::awaited,
          "its last suspension says the number of the future that it waits for. With "
          "this number, look for where that future was made.");
}

TEST_CASE("the one nobody waits for") {
    check("lost", &Answers::lost,
          "where a future is resolved, the trace says how many wait for it. Two were "
          "ordered under the same name, and the kitchen can remember only one of them: "
          "which one did it resolve?");
    check("turn", &Answers::turn,
          "with nobody waiting, nobody is put into the queue, and nothing comes of it in "
          "the next turn. Look for the turn in which the cook resolves it.");
}
