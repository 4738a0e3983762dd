// start fails in: everyone is ready
// start fails with: all_ready is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("everyone is ready") {
    check("all_ready", &Answers::all_ready,
          "poll reports in the order in which the sockets were registered, whenever "
          "their bytes arrived.");
}

TEST_CASE("one does not read") {
    check("unread", &Answers::unread,
          "what is not read is told again in every turn. Write down the turns, one by "
          "one: who is ready in each?");
}

TEST_CASE("one forbids another") {
    check("forbidden", &Answers::forbidden,
          "2 is in this turn's list already, and is unregistered before its place comes. "
          "See `call_back` in common/simple_crawl/event_loop.cpp.");
}

TEST_CASE("one makes another ready") {
    check("made_ready", &Answers::made_ready,
          "the list of a turn is made before its first callback runs. When does the loop "
          "ask again?");
}

TEST_CASE("one stops the loop") {
    check("stopped", &Answers::stopped,
          "`stop` only makes a note. What happens to the rest of this turn's callbacks, "
          "and to the next turn? See `run` in common/simple_crawl/event_loop.cpp.");
}
