// start fails in: a connection is used again
// start fails with: in_turn is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("a connection is used again") {
    check("in_turn", &Answers::in_turn,
          "when an answer has ended, its connection is kept for the next request.");
    check("at_once", &Answers::at_once,
          "in HTTP/1.1 a connection carries one answer at a time, so two at once need "
          "two connections. But what becomes of these two? They are idle when the second "
          "round begins.");
    check("redirected", &Answers::redirected,
          "a redirect is an answer like any other, and this one has ended. Its target is "
          "on the same server.");
    check("unread", &Answers::unread,
          "libcurl has received the whole answer, whether your code looks at it or not. "
          "Nothing is outstanding on that connection.");
}

TEST_CASE("a connection can't be used again") {
    check("unfinished", &Answers::unfinished,
          "996 bytes of the body are outstanding, and would be in the way of the next "
          "answer. A connection that is given up halfway must be closed.");
    check("cancelled", &Answers::cancelled,
          "the server has the request, and may still answer. libcurl could not tell that "
          "answer from the next one.");
    check("closed", &Answers::closed,
          "the server says Connection: close, and does so. There is nothing to keep.");
    check("sessions", &Answers::sessions,
          "the connections that are kept belong to a session. Another session doesn't "
          "know of them.");
}
