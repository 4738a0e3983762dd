// start fails in: the first conversation
// start fails with: begun_by_call is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("the first conversation") {
    check("begun_by_call", &Answers::begun_by_call,
          "calling a generator runs nothing; it makes a frame.");
    check("first", &Answers::first, "nothing has been added yet when it yields first.");
    check("second", &Answers::second,
          "the value that is sent belongs to the co_yield where it stands. It goes on "
          "with that, up to the next co_yield, and send returns what is yielded there.");
    check("third", &Answers::third, "it adds up: what has come so far?");
    check("result", &Answers::result, "0 ends it. Read what stands behind co_return.");
}

TEST_CASE("the second conversation") {
    check("after_throw", &Answers::after_throw,
          "the error came out of the co_yield, and it was caught inside: what does the "
          "loop do then, and where does it yield next?");
    check("second_result", &Answers::second_result,
          "the sum began anew with the error, and then 1 was sent.");
}

TEST_CASE("the third conversation") {
    check("ended_twice", &Answers::ended_twice,
          "the value that it returned came with the end, once.");
}
