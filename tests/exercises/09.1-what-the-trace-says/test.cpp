// start fails in: the way of an exception
// start fails with: plain is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("the way of an exception") {
    check("plain", &Answers::plain, "which coroutines does it leave, from bottom up?");
    check("rethrown", &Answers::rethrown,
          "`throw;` throws nothing new. The same exception continues, and so does its "
          "trace.");
    check("another", &Answers::another,
          "the first exception was caught in middle, so its trace ended there, and the "
          "trace of the other one begins there.");
    check("helper", &Answers::helper,
          "a plain function is not a coroutine: it is on the thread's stack, and not in "
          "the chain.");
}

TEST_CASE("what becomes of the coroutines") {
    check(
        "caught", &Answers::caught,
        "middle has caught it and returned. To top, that is a coroutine that returned.");
    check("destroyed", &Answers::destroyed,
          "the exception has left bottom, so bottom's variables are gone. The coroutines "
          "that wait for bottom still have theirs.");
}
