// start fails in: what comes out
// start fails with: futures is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("what comes out") {
    check("futures", &Answers::futures,
          "each future that is awaited comes out once, from whatever depth.");
    check("value", &Answers::value,
          "what is sent goes to the innermost one: the parcel is the first result, the "
          "letter the second. Return values go up, one by one.");
}

TEST_CASE("who goes on") {
    check("boss_goes_on", &Answers::boss_goes_on,
          "The outer one stands still meanwhile: it goes on when what it awaits has "
          "ended, not when that yields.");
}

TEST_CASE("frames") {
    check("depth", &Answers::depth,
          "who awaits whom, down to the one that awaits the future itself? A future is "
          "no coroutine.");
    check("last_depth", &Answers::last_depth,
          "when the second future comes out, the porter has ended.");
    check("frames", &Answers::frames,
          "each call makes another frame, also of a function that was called before.");
}
