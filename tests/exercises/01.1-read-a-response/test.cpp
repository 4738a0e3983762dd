// start fails in: where the body begins
// start fails with: plain_bytes is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("where the body begins") {
    check("plain_bytes", &Answers::plain_bytes,
          "count what stands behind the empty line, and nothing of what is before it.");
    check("empty_line_bytes", &Answers::empty_line_bytes,
          "only the first empty line ends the headers; a line end is two bytes.");
}

TEST_CASE("what a status means") {
    check("not_found_error", &Answers::not_found_error,
          "a page that is missing is an answer, and it came as a whole. `error` is for "
          "responses that can't be read.");
    check("not_found_status", &Answers::not_found_status, "see the first line.");
}

TEST_CASE("where the body ends") {
    check("shorter_bytes", &Answers::shorter_bytes,
          "the length that the server promised is where the body ends.");
    check("shorter_error", &Answers::shorter_error,
          "all that was promised came. What is behind it is no part of the response.");
    check("longer_error", &Answers::longer_error,
          "the server promised more than it sent: did you get the whole page?");
    check("nothing_error", &Answers::nothing_error,
          "a server that closes without a word has not answered.");
}
