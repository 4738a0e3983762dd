// start fails in: what is asked for
// start fails with: asked_news is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("what is asked for") {
    check("asked_news", &Answers::asked_news,
          "two chains that meet go on as one. A URL becomes an item of work once, "
          "whoever leads to it: see add in memory_frontier.cpp.");
    check("circle", &Answers::circle,
          "when /there leads back to /here, that URL is known already. So what happens "
          "to it? Redirects need no limit to end in a circle.");
    if (prediction.abroad == outcome::page || prediction.abroad == outcome::file)
        check("abroad", &Answers::abroad,
              "that would be a record of a page, and /abroad is none. Nor does anybody "
              "go and fetch what is out of scope.");
    else
        check("abroad", &Answers::abroad,
              "it leads out of the scope, so nobody follows it: but it's no fault of the "
              "page that it leads there. See what read_location sets first.");
}

TEST_CASE("where it was found") {
    check("depth_of_news", &Answers::depth_of_news,
          "depth is the number of links from a root, and a redirect is no link.");
    check("parent_of_shop", &Answers::parent_of_shop,
          "who comes first is the parent. When /moved answered, /shop was in the queue "
          "long before: because of whom?");
    check("parent_of_today", &Answers::parent_of_today,
          "what a redirect leads to goes to the end of the queue. Write down the queue: "
          "is /shop or /news fetched first?");
    check("depth_of_today", &Answers::depth_of_today,
          "the depth goes with the parent, and that was found first, not nearest.");
}

TEST_CASE("how far a chain is followed") {
    check("third", &Answers::third,
          "count what is left: /1 was found by a link, so it has 2, and whatever a "
          "redirect leads to has one fewer. What happens to a redirect that has 0?");
    check("asked_four", &Answers::asked_four,
          "the way over /3 is closed. But /today links to it, and a link is not a "
          "redirect: it begins with all that max_redirects allows.");
    if (prediction.dead == 1)
        check("dead", &Answers::dead,
              "is_dead in record.h says which outcomes are. A redirect whose target is "
              "out of scope is none of these, and two that meet are none. But what of "
              "somebody who follows /here, or /there? See read_location.");
    else
        check("dead", &Answers::dead,
              "is_dead in record.h says which outcomes are. A redirect whose target is "
              "known or out of scope is none of these; and a circle is one mistake, "
              "whose last hop stands for it.");
    check("records", &Answers::records,
          "a record for each URL that was fetched, and a redirect has a record of its "
          "own. What is out of scope was not fetched.");
}

TEST_CASE("the long chain alone") {
    check("alone", &Answers::alone,
          "the same chain, the same limit: but in this crawl nobody else leads to /4.");
}
