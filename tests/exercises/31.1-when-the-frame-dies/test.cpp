// start fails in: a coroutine that waits
// start fails with: complete is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("a coroutine that waits") {
    check(
        "complete", &Answers::complete,
        "when bytes arrive, nothing runs yet. In its turn, the kernel first writes them, "
        "and then the completion resumes the coroutine.");
    check("asked", &Answers::asked,
          "asking for an end resumes nothing: Cancelled is thrown when the completion "
          "comes, and the kernel has nothing to write.");
    check("too_late", &Answers::too_late,
          "the bytes had arrived, so the kernel writes them all the same, and the "
          "coroutine, which was asked to end, still gets Cancelled.");
}

TEST_CASE("a frame that is destroyed") {
    check("owned", &Answers::owned,
          "the kernel has the operation, and with it the buffer, until the completion: "
          "both outlive the frame. The coroutine itself never resumes.");
    check("local", &Answers::local,
          "destroying a frame destroys its local variables at once. The kernel doesn't "
          "know that, and writes where the buffer was.");
}
