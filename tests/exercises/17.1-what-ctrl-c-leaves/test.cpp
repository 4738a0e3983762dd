// start fails in: what was done
// start fails with: asked is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("what was done") {
    check("asked", &Answers::asked,
          "the three workers take the links in their order, until each of them waits for "
          "a silent server. From then on no worker is free. And what is put off for 60 s "
          "is not asked for a second time so soon.");
    if (prediction.records >= 0 && prediction.records < 3)
        check("records", &Answers::records,
              "there is a record of each fetch that has ended, also of what is dead.");
    else
        check("records", &Answers::records,
              "a fetch that is cancelled ends in no record: whatever one wrote about the "
              "page would not be true. Nor is there one yet of what is put off.");
    check("fetched", &Answers::fetched, "pages whose fetch has ended well: which?");
    if (prediction.dead == 2)
        check("dead", &Answers::dead,
              "502 with Retry-After is no end: there would have been another try.");
    else
        check("dead", &Answers::dead,
              "three servers are silent, and nobody knows what would have come. Dead is "
              "only what the crawler was certain of when it was cancelled.");
}

TEST_CASE("what is left") {
    check("queued", &Answers::queued,
          "a URL is queued from the moment when it is put in until its fetch has ended: "
          "whatever is begun and not done counts, too. See KnownUrl::State.");
    if (prediction.waiting == 4)
        check("waiting", &Answers::waiting,
              "a worker that is cancelled drops its visit, and that gives its URL back: "
              "what was in flight waits once more.");
    else
        check("waiting", &Answers::waiting,
              "whatever is to be fetched and isn't being fetched waits: in a line, or in "
              "the parking lot, too.");
    check("hidden", &Answers::hidden,
          "half a page has come, with a link. But links are read when the body is whole: "
          "see PageFetch::fetch.");
    check("tasks", &Answers::tasks,
          "crawl cancels and then waits for its workers, so that none is there when it "
          "returns. The one that pressed Ctrl-C has ended before.");
    check("lost", &Answers::lost,
          "URLs are queued that nobody will fetch: for that check, they are lost. And "
          "that is why join asks only when all were done.");
}

TEST_CASE("what others see") {
    check("middle", &Answers::middle,
          "the crawl's task was cancelled, but it has caught the request, and ended with "
          "a value. Who waits for it sees that value.");
    check("early", &Answers::early,
          "the try block that catches the request is in crawl, and it never got so far. "
          "What becomes of a task that is cancelled before its first step?");
    check("early_known", &Answers::early_known,
          "roots are put in by the first line of crawl. Has that been run?");
    check("other", &Answers::other,
          "a task that is cancelled while it waits for another one passes the request on "
          "to that one, and then sees what comes of it. You have just said what does.");
    check("late", &Answers::late,
          "a task that is done stays as it is: to cancel it has no effect.");
}
