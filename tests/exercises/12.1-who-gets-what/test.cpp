// start fails in: who is served
// start fails with: orders is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("who is served") {
    check("orders", &Answers::orders,
          "fifo: the first that was put in leaves first. lifo: the last.");
    check("newcomer", &Answers::newcomer,
          "the item belongs to the one who waits from the moment when it is put. It "
          "never lies in the queue, so a newcomer finds nothing.");
    check("cancelled", &Answers::cancelled,
          "1 was served, and gives back its item, which goes to whoever waits: who is "
          "that, after 7 and 8 have been put?");
    check("room", &Answers::room,
          "room goes to the putter who waits, at once. So the queue is full again before "
          "the newcomer asks; but after that nobody waits any more.");
}

TEST_CASE("when it is over") {
    check("joined", &Answers::joined,
          "taking an item out does not lower the count, only task_done does. join "
          "returns in the turn after the last one.");
    check("links", &Answers::links,
          "the count is 0 before the link has been put in, so join returns, and the "
          "crawl is ended without page 2. Links first, task_done last.");
}
