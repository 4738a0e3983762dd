// start fails in: the first line of the answer
// start fails with: empty is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("the first line of the answer") {
    if (prediction.empty == page)
        check("empty", &Answers::empty, "nothing was sent that could contain a link.");
    else
        check("empty", &Answers::empty,
              "200 isn't the only good news. RFC 9110, section 15.3: what do all "
              "statuses that begin with a 2 have in common?");
    if (prediction.gone == failed)
        check("gone", &Answers::gone,
              "the answer is complete, and it's clear. RFC 9110, section 15.5.");
    else
        check("gone", &Answers::gone,
              "there is something to read, and it's even friendly, but the first line "
              "says what it is. RFC 9110, section 15.5.");
    check("unchanged", &Answers::unchanged,
          "it answers a request with a condition: send the page, unless it's the one I "
          "have. RFC 9110, section 15.4.5. Has the crawler asked that? What does a "
          "visitor get?");
    check("odd", &Answers::odd,
          "RFC 9110, section 15, says which numbers there are, and what to make of "
          "others. Whatever the number, a server has answered.");
    if (prediction.busy == failed)
        check("busy", &Answers::busy,
              "the answer is complete. RFC 9110, section 15.6.3: what does it say about "
              "the page, today?");
    else
        check("busy", &Answers::busy,
              "perhaps the page is there tomorrow: RFC 9110, section 10.2.3. But a crawl "
              "has an end. What is the last thing that it knows?");
}

TEST_CASE("sent elsewhere") {
    check("abroad", &Answers::abroad,
          "the crawler doesn't look at the target, since it isn't part of this crawl. So "
          "what can be said? RFC 9110, section 15.4, covers what /abroad itself has to "
          "say.");
    check("mail", &Answers::mail,
          "RFC 9110, section 10.2.2, allows any kind of URL there. What does a browser "
          "do with this one? It opens another program, and the visitor has arrived where "
          "they should.");
    if (prediction.script == redirect)
        check("script", &Answers::script,
              "RFC 9110, section 10.2.2, allows any kind of URL there, but no browser "
              "goes where this one leads, and neither does any other program.");
    else
        check("script", &Answers::script,
              "nothing has broken: the answer is complete, and leads nowhere.");
    if (prediction.nowhere == failed)
        check("nowhere", &Answers::nowhere,
              "the answer is complete, though it lacks something. RFC 9110, section "
              "15.4.2.");
    else
        check("nowhere", &Answers::nowhere,
              "RFC 9110, section 15.4.2: which header should be there, and isn't? Where "
              "does a visitor go?");
    if (prediction.itself == page)
        check("itself", &Answers::itself,
              "with a cookie, the second answer might be another. But this crawler keeps "
              "none, and asks for each URL once.");
    else if (prediction.itself == error)
        check("itself", &Answers::itself,
              "each of these answers is fine on its own. It's the path that has no end. "
              "RFC 9110, section 15.4, towards its end.");
    else
        check("itself", &Answers::itself,
              "where does a visitor arrive who follows each redirect? RFC 9110, section "
              "15.4, towards its end.");
}

TEST_CASE("is that all of it") {
    if (prediction.cut == error)
        check(
            "cut", &Answers::cut,
            "the part of the answer that has come doesn't say no. RFC 9112, section 8.");
    else
        check("cut", &Answers::cut,
              "how many bytes were promised, and how many came? RFC 9112, section 8.");
    check("no_promise", &Answers::no_promise,
          "no length is promised. RFC 9112, section 6.3, ends with a rule for that; and "
          "section 8 says when it's complete.");
    check("too_much", &Answers::too_much,
          "RFC 9112, section 6.3: what says where the body ends? What comes after that "
          "isn't part of it.");
    if (prediction.two_lengths == error)
        check("two_lengths", &Answers::two_lengths,
              "the first line is good news, but nothing says for certain where this body "
              "ends. RFC 9112, section 6.3.");
    else
        check("two_lengths", &Answers::two_lengths,
              "two clients can disagree on where it ends, and that may be the purpose. "
              "RFC 9112, section 6.3, on invalid lengths.");
    check("packed", &Answers::packed,
          "RFC 9110, section 8.4: it's a page in a wrapping, which is taken off before "
          "the page is read.");
    if (prediction.packed_cut == error)
        check("packed_cut", &Answers::packed_cut,
              "the first line is good news, but what follows isn't the whole page.");
    else
        check("packed_cut", &Answers::packed_cut,
              "as many bytes came as were promised, so HTTP is content. But RFC 9110, "
              "section 8.4: they are a wrapping, which has its own end. RFC 1952, "
              "section 2.3: how would you know that it has come?");
    check("gone_cut", &Answers::gone_cut,
          "this body lacks something. Could the rest of it change what the first line "
          "has said?");
    check("moved_cut", &Answers::moved_cut,
          "this body lacks something. Does a visitor need it in order to follow the "
          "redirect?");
}

TEST_CASE("how often is it requested") {
    check("asked_cut", &Answers::asked_cut,
          "why was it cut? RFC 9112, section 8, speaks of connections that close too "
          "early. Another time it may all be there, and program.cpp says how many tries "
          "there may be.");
    check("asked_two_lengths", &Answers::asked_two_lengths,
          "a server that answers like this will do so again.");
    if (prediction.asked_busy == 2)
        check("asked_busy", &Answers::asked_busy,
              "RFC 9110, section 10.2.3: it has said when to come back. The crawler "
              "waits for a minute at most, and coming earlier than the server asks would "
              "be rude.");
    else
        check("asked_busy", &Answers::asked_busy, "once, before the crawler knew.");
}
