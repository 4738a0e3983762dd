// start fails in: the way of an exception
// start fails with: plain is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("the way of an exception") {
    check("plain", &Answers::plain, "which coroutines does it leave, from bottom up?");
    check(
        "rethrown", &Answers::rethrown,
        "`throw;` throws nothing new: the same exception goes on, and so does its way.");
    check("another", &Answers::another,
          "the first exception was caught in middle: its way ended there, and the other "
          "one begins there.");
    check("helper", &Answers::helper,
          "A plain function is no coroutine: it is on the machine's stack, and not in "
          "the chain.");
}

TEST_CASE("what becomes of the others") {
    check(
        "caught", &Answers::caught,
        "middle has caught it and returned. To top, that is a coroutine which returned.");
    check("destroyed", &Answers::destroyed,
          "the exception has left bottom, and bottom's variables are gone; whoever "
          "awaits it is still there.");
}
