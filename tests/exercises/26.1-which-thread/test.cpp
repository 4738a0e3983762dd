// start fails in: threads
// start fails with: function is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("threads") {
    check("function", &Answers::function,
          "that is what the executor is for. If the function were called in the loop's "
          "thread, the loop would stand still meanwhile.");
    check("callback", &Answers::callback,
          "the other thread doesn't touch the future. The result is carried back, and "
          "handed over by the loop.");
    check("after", &Answers::after,
          "a coroutine is resumed by the loop, like any other callback. It never moves "
          "to another thread.");
    check("captures", &Answers::captures,
          "the function travels, too: together with its result it goes back into the "
          "loop's mailbox, and is destroyed where that is opened.");
}

TEST_CASE("cancelled while it runs") {
    check("runs_on", &Answers::runs_on,
          "a thread can't be stopped from outside. Cancelling the future only means that "
          "the result is no longer wanted.");
    check("local", &Answers::local,
          "the coroutine was asked to end, and has ended: its frame is gone, with "
          "everything in it. It doesn't wait for the thread.");
    check("shared", &Answers::shared,
          "a shared_ptr in the function's captures keeps it alive, whatever happens to "
          "the others.");
    check("closed", &Answers::closed,
          "the executor waits for the calls that have begun, because they may use "
          "objects that are destroyed after the loop.");
}

TEST_CASE("cancelled before it begins") {
    check("begins", &Answers::begins,
          "a job that is no longer wanted is passed over when its turn comes.");
}
