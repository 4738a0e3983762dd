// start fails in: the first conversation
// start fails with: begun_by_call is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("the first conversation") {
    check("begun_by_call", &Answers::begun_by_call,
          "calling a generator makes a frame and runs nothing.");
    check("first", &Answers::first,
          "when it yields for the first time, nothing has been added yet.");
    check(
        "second", &Answers::second,
        "the value that is sent becomes the value of the co_yield at which it is paused. "
        "It runs on from there to the next co_yield, and send returns what is yielded "
        "there.");
    check("third", &Answers::third, "it adds up. What has it been sent so far?");
    check("result", &Answers::result, "0 ends it. What does it co_return?");
}

TEST_CASE("the second conversation") {
    check("after_throw", &Answers::after_throw,
          "the error came out of the co_yield, and was caught inside the loop. What does "
          "the handler do, and what is yielded next?");
    check("second_result", &Answers::second_result,
          "the error set the sum to a new value, and then 1 was sent.");
}

TEST_CASE("the third conversation") {
    check("ended_twice", &Answers::ended_twice,
          "a generator returns its value once, in the reply in which it ends.");
}
