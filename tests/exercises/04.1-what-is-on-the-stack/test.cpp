// start fails in: plain calls
// start fails with: plain_depth is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("plain calls") {
    check("plain_depth", &Answers::plain_depth,
          "count the functions with a Frame that have begun and not ended when parse "
          "throws. connect and receive have ended by then.");
    check("plain_fetch", &Answers::plain_fetch, "who called parse?");
    check("plain_caught", &Answers::plain_caught,
          "parse is called inside fetch, which is called inside the `try`.");
}

TEST_CASE("callbacks") {
    check("callback_fetch", &Answers::callback_fetch,
          "fetch put a callback into the queue and returned, long before parse was "
          "called.");
    check("callback_connected", &Answers::callback_connected,
          "connected put a callback into the queue. What did it do next?");
    check("callback_depth", &Answers::callback_depth,
          "begin with crawl, and ask of each function which one it *called* that has not "
          "returned yet.");
    check("callback_caught", &Answers::callback_caught,
          "a `try` only catches what is thrown while its block runs, and the block had "
          "ended before the loop began.");
    check("callback_second", &Answers::callback_second,
          "an exception that leaves a callback leaves the loop too. What will call the "
          "callbacks that are still in the queue?");
}
