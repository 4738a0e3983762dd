// start fails in: the ids
// start fails with: letters is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("the ids") {
    check("letters", &Answers::letters,
          "an id is compared letter by letter, and upper and lower case are different "
          "letters.");
    check("blank", &Answers::blank,
          "if no id is spelled like the fragment, it's decoded, and looked for again.");
    check("percent", &Answers::percent,
          "first, the fragment is looked for as it's written.");
    check(
        "script", &Answers::script,
        "what a script will write isn't on the page yet, and a crawler runs no scripts.");
    check("end", &Answers::end,
          "a browser looks when it has the whole page, so the element may come after the "
          "link.");
}

TEST_CASE("places without an id") {
    check("top", &Answers::top,
          "this one needs no element, in whatever case it's written.");
    check("old", &Answers::old,
          "before there were ids, a place was an `a` with a name, and browsers still go "
          "there.");
    check("logo", &Answers::logo, "only the name of an `a` is a place.");
    check("text", &Answers::text,
          "this is no id: it asks the browser to search the page's text.");
}
