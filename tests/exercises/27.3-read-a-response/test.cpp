// start fails in: where the body begins
// start fails with: plain_bytes is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("where the body begins") {
    check("plain_bytes", &Answers::plain_bytes,
          "count the bytes after the empty line, and none of those before it.");
    check("empty_line_bytes", &Answers::empty_line_bytes,
          "only the first empty line ends the headers; a line end is two bytes.");
}

TEST_CASE("what a status means") {
    check(
        "not_found_error", &Answers::not_found_error,
        "that a page is missing is an answer too, and all of it has arrived. `error` is "
        "for responses that can't be read.");
    check("not_found_status", &Answers::not_found_status, "the first line says it.");
}

TEST_CASE("where the body ends") {
    check("shorter_bytes", &Answers::shorter_bytes,
          "the body ends where the server promised: after `Content-Length` bytes.");
    check("shorter_error", &Answers::shorter_error,
          "everything that was promised has arrived. What follows is no part of the "
          "response.");
    check("longer_error", &Answers::longer_error,
          "the server promised more than it sent: did you get the whole page?");
    check("nothing_error", &Answers::nothing_error,
          "a server that closes without sending anything has not answered.");
}
