// start fails in: all are ready
// start fails with: all_ready is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("all are ready") {
    check("all_ready", &Answers::all_ready,
          "poll reports the sockets in the order in which they were registered, and not "
          "in the order in which their bytes arrived.");
}

TEST_CASE("one does not read") {
    check("unread", &Answers::unread,
          "a socket with unread bytes is reported again in every turn. Write the turns "
          "down, one by one: which sockets are ready in each?");
}

TEST_CASE("one forbids another") {
    check("forbidden", &Answers::forbidden,
          "2 is on this turn's list already, and is unregistered before the loop gets to "
          "it. See `call_back` in common/simple_crawl/event_loop.cpp.");
}

TEST_CASE("one makes another ready") {
    check("made_ready", &Answers::made_ready,
          "a turn's list is made before its first callback runs. When does the loop ask "
          "again?");
}

TEST_CASE("one stops the loop") {
    check("stopped", &Answers::stopped,
          "`stop` only sets a flag. What happens to the rest of this turn's callbacks, "
          "and to the next turn? See `run` in common/simple_crawl/event_loop.cpp.");
}
