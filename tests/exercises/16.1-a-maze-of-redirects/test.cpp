// start fails in: which URLs are requested
// start fails with: asked_news is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("which URLs are requested") {
    check("asked_news", &Answers::asked_news,
          "two chains that meet continue as one. A URL becomes an item of work once, "
          "whatever leads to it: see add in memory_frontier.cpp.");
    check("circle", &Answers::circle,
          "when /there leads back to /here, that URL is known already. So what happens "
          "to it? Redirects in a circle come to an end even without a limit.");
    if (prediction.abroad == outcome::page || prediction.abroad == outcome::file)
        check("abroad", &Answers::abroad,
              "that would be a record of a page, and /abroad is not one. Nor does the "
              "crawler fetch what is out of scope.");
    else
        check(
            "abroad", &Answers::abroad,
            "it leads out of the scope, so the crawler doesn't follow it, but it's no "
            "fault of the page that it leads there. See what read_location sets first.");
}

TEST_CASE("where a URL was found") {
    check("depth_of_news", &Answers::depth_of_news,
          "depth is the number of links from a root, and a redirect is not a link.");
    check("parent_of_shop", &Answers::parent_of_shop,
          "the page that leads to a URL first is its parent. When /moved answered, /shop "
          "was in the queue long before: which page had put it there?");
    check("parent_of_today", &Answers::parent_of_today,
          "the target of a redirect goes to the end of the queue. Write down the queue: "
          "is /shop or /news fetched first?");
    check("depth_of_today", &Answers::depth_of_today,
          "the depth comes from the parent, and that is the page that was first, not the "
          "one nearest to the root.");
}

TEST_CASE("how far a chain is followed") {
    check("third", &Answers::third,
          "count what is left: /1 was found by a link, so it has 2, and the target of a "
          "redirect has one fewer. What happens to a redirect that has 0?");
    check("asked_four", &Answers::asked_four,
          "the way over /3 is closed. But /today links to it, and a link is not a "
          "redirect: it begins with all that max_redirects allows.");
    if (prediction.dead == 1)
        check("dead", &Answers::dead,
              "is_dead in record.h says which outcomes are dead. A redirect whose target "
              "is out of scope is not, and neither are two that meet. But where does a "
              "visitor arrive who follows /here or /there? See read_location.");
    else
        check("dead", &Answers::dead,
              "is_dead in record.h says which outcomes are dead. A redirect whose target "
              "is known or out of scope is not; and a circle is one mistake, which is "
              "counted at its last hop.");
    check("records", &Answers::records,
          "there is a record for each URL that was fetched, and a redirect has a record "
          "of its own. What is out of scope was not fetched.");
}

TEST_CASE("the long chain crawled alone") {
    check("alone", &Answers::alone,
          "the same chain, the same limit: but in this crawl no other page leads to /4.");
}
