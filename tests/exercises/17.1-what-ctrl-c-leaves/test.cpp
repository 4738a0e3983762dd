// start fails in: what the crawl has done
// start fails with: asked is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("what the crawl has done") {
    check("asked", &Answers::asked,
          "the three workers take the links in their order, until each of them waits for "
          "a silent server. From then on no worker is free. And a URL that is put off "
          "for 60 s is not requested again so soon.");
    if (prediction.records >= 0 && prediction.records < 3)
        check("records", &Answers::records,
              "there is a record of each fetch that has ended, even if the URL is dead.");
    else
        check("records", &Answers::records,
              "a fetch that is cancelled ends in no record, because nothing that it said "
              "about the page would be true. Nor is there a record yet of a URL that is "
              "put off.");
    check("fetched", &Answers::fetched, "which pages were fetched successfully?");
    if (prediction.dead == 2)
        check("dead", &Answers::dead,
              "502 with Retry-After is not the end: there would have been another try.");
    else
        check("dead", &Answers::dead,
              "three servers are silent, and what they would have sent is unknown. A URL "
              "is dead only if the crawler was certain of that when it was cancelled.");
}

TEST_CASE("what the crawl leaves behind") {
    check("queued", &Answers::queued,
          "a URL is queued from the moment it is put in until its fetch has ended: one "
          "that is begun and not done counts, too. See KnownUrl::State.");
    if (prediction.waiting == 4)
        check("waiting", &Answers::waiting,
              "a worker that is cancelled drops its visit, and the visit gives its URL "
              "back: what was in flight waits once more.");
    else
        check("waiting", &Answers::waiting,
              "every URL that is to be fetched and isn't being fetched waits: those in a "
              "line, and those in the parking lot, too.");
    check("hidden", &Answers::hidden,
          "half a page has come, with a link. But links are read only when the body is "
          "whole: see PageFetch::fetch.");
    check("tasks", &Answers::tasks,
          "crawl passes the cancellation on and waits for its workers, so that none is "
          "left when it returns. The task that pressed Ctrl-C ended before that.");
    check("lost", &Answers::lost,
          "URLs are queued that no worker will fetch: for that check, they are lost. And "
          "that is why join asks only when everything is done.");
}

TEST_CASE("what other tasks see") {
    check("middle", &Answers::middle,
          "the crawl's task was cancelled, but it has caught the request, and ended with "
          "a value. A task that waits for it sees that value.");
    check("early", &Answers::early,
          "the try block that catches the request is in crawl, and it never got so far. "
          "What becomes of a task that is cancelled before its first step?");
    check("early_known", &Answers::early_known,
          "roots are put in by the first line of crawl. Has that line run?");
    check("other", &Answers::other,
          "a task that is cancelled while it waits for another one passes the request on "
          "to it, and then sees how that task ends. You have just said how that is.");
    check("late", &Answers::late,
          "a task that is done stays as it is: cancelling it has no effect.");
}
