// start fails in: near
// start fails with: near_pages is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("near") {
    check("near_pages", &Answers::near_pages,
          "there is one worker, and it does one thing after the other: while it waits, "
          "it doesn't compute. How long does a page take from beginning to end?");
    check("near_with_four", &Answers::near_with_four,
          "while one waits, another can compute, but only one at a time: in a second, a "
          "thread has a second.");
}

TEST_CASE("far") {
    check("far_limit", &Answers::far_limit,
          "at this many pages, for how much of a second is the loop's thread at work? If "
          "it is mostly idle, it is not what you wait for.");
    check("far_pages", &Answers::far_pages,
          "divide a second by the time for one page: each worker fetches that many pages "
          "per second. There are ten of them.");
    check("far_with_hundred", &Answers::far_with_hundred,
          "as long as nothing else is the limit, ten times the workers bring ten times "
          "the pages. Then check whether something else is.");
}

TEST_CASE("many") {
    check("many_limit", &Answers::many_limit,
          "a thousand workers could get so many answers per second that something else "
          "can't keep up. What is that?");
    check("many_pages", &Answers::many_pages,
          "workers divided by latency is what they would bring if everything else took "
          "no time. Compare that with how many pages the loop's thread can handle.");
    check("many_time", &Answers::many_time,
          "the server answers as fast as before, and then the answer waits in line. Turn "
          "the formula around: how long does a worker take for a page, if a thousand of "
          "them bring that many pages per second?");
    check("many_time_twice", &Answers::many_time_twice,
          "twice the workers, and not one more page. So where are they all the time?");
}

TEST_CASE("narrow") {
    check("narrow_limit", &Answers::narrow_limit,
          "how many bytes per second would the workers bring, and how many fit through?");
    check("narrow_pages", &Answers::narrow_pages,
          "divide the bytes that the line carries in a second by the size of a page.");
}

TEST_CASE("reading") {
    check("reading_limit", &Answers::reading_limit,
          "there are three stages, one after the other. For each: how many pages can it "
          "pass on in a second? The slowest one decides.");
    check("reading_pages", &Answers::reading_pages,
          "two threads read twice as many pages as one. At that rate, nothing waits for "
          "the loop's thread.");
    check("reading_with_eight", &Answers::reading_with_eight,
          "eight threads could read four times as many as two. Can everything else keep "
          "up with that?");
    check("eight_limit", &Answers::eight_limit,
          "when one stage is no longer the slowest, another one is.");
}
