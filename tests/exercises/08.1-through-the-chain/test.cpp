// start fails in: what comes out
// start fails with: futures is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("what comes out") {
    check("futures", &Answers::futures,
          "each future that is awaited comes out once, however deep it is awaited.");
    check("value", &Answers::value,
          "what is sent goes to the innermost coroutine. The parcel is the first result "
          "and the letter is the second. Return values go up one level at a time.");
}

TEST_CASE("how often boss resumes") {
    check(
        "boss_goes_on", &Answers::boss_goes_on,
        "the outer coroutine stays suspended meanwhile: it resumes when the one that it "
        "awaits has ended, not each time that one yields.");
}

TEST_CASE("frames") {
    check(
        "depth", &Answers::depth,
        "which coroutine awaits which, down to the one that awaits the future itself? A "
        "future is not a coroutine.");
    check("last_depth", &Answers::last_depth,
          "by the time the second future comes out, the porter has ended.");
    check("frames", &Answers::frames,
          "each call makes another frame, even if the function was called before.");
}
