// start fails in: which getter is served
// start fails with: orders is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("which getter is served") {
    check("orders", &Answers::orders,
          "fifo: what was put in first leaves first. lifo: the last leaves first.");
    check("newcomer", &Answers::newcomer,
          "the item belongs to the waiting getter from the moment it is put. It is never "
          "in the queue, so a newcomer finds nothing.");
    check("cancelled", &Answers::cancelled,
          "getter 1 was served and gives back its item, which goes to a getter that "
          "waits: which one is that, after 7 and 8 have been put?");
    check("room", &Answers::room,
          "room goes to the waiting putter at once. So the queue is full again before "
          "the newcomer asks; but after that no putter is waiting.");
}

TEST_CASE("when join returns") {
    check("joined", &Answers::joined,
          "taking an item out does not lower the count, only task_done does. join "
          "returns in the turn after the last one.");
    check("links", &Answers::links,
          "the count is 0 before the link has been put in, so join returns, and the "
          "crawl ends without page 2. Links first, task_done last.");
}
