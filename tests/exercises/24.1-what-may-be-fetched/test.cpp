// start fails in: which rules apply to which crawler
// start fails with: contact is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("which rules apply to which crawler") {
    check("contact", &Answers::contact,
          "no rule matches it, and a path that no rule matches may be fetched. Allow is "
          "meant for exceptions.");
    check("cart", &Answers::cart,
          "the rules for * apply to crawlers that are named nowhere. Heron is named.");
    check("stock", &Answers::stock,
          "Heron is named in two groups. The later one doesn't replace the earlier one.");
    check("forum", &Answers::forum,
          "an empty line ends nothing. A group continues until the next name.");
    check("old", &Answers::old,
          "a crawler that has found its name keeps reading: all groups that name Heron "
          "count, as if they were one.");
    check("egret_stock", &Answers::egret_stock,
          "two names in a row share the rules that follow. Where does a group begin?");
    check(
        "tern_home", &Answers::tern_home,
        "every path begins with the empty path, but a rule without a path matches none.");
    check("tern_cart", &Answers::tern_cart,
          "Tern has a group of its own, even though nothing is forbidden there. So the "
          "group of * isn't for it.");
    check("gull_home", &Answers::gull_home,
          "a crawler's name may be written in any case.");
    check("gull_robots", &Answers::gull_robots,
          "how should it know, unless it reads that file?");
    if (prediction.heron_delay == 20)
        check("heron_delay", &Answers::heron_delay,
              "that delay is for crawlers that are named nowhere, as with /cart.");
    else if (prediction.heron_delay == 10)
        check("heron_delay", &Answers::heron_delay,
              "two delays don't add up. A crawler that waits for the longer one obeys "
              "both.");
    else
        check("heron_delay", &Answers::heron_delay,
              "which groups name Heron? A crawler that waits for the longest delay of "
              "all of them obeys each.");
}

TEST_CASE("which rules match") {
    check("offers", &Answers::offers,
          "a rule matches each path that begins with it, whatever comes after it.");
    check("lower_case", &Answers::lower_case,
          "on a server, /private and /Private may be two different things: in a path, "
          "case counts.");
    check("pdf", &Answers::pdf,
          "two characters in a rule have a special meaning: * and, at the end, $.");
    check("pdf_page", &Answers::pdf_page,
          "$ means that the path ends here, and a rule is compared with the path and the "
          "query.");
    check("tilde", &Answers::tilde,
          "%7E is another way to write ~, and for a URL there is no difference.");
    check("slash", &Answers::slash,
          "%2F is a slash that separates nothing: it belongs to a name. So that is a "
          "different path from /band/AC/DC.");
}

TEST_CASE("which of the matching rules counts") {
    check("book", &Answers::book,
          "two rules match. Which is the longer one? That one counts, not the first one "
          "and not the one that forbids.");
    check("draft", &Answers::draft,
          "two rules match, and the longer one counts, not the one that is further down "
          "and not the one that allows.");
    check("picture", &Answers::picture,
          "two rules match. Count their characters, with the * as one: which wins if "
          "both have the same length?");
}
