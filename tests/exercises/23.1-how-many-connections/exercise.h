// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// How many connections has the server accepted when the scene is over?
struct Answers {
    int in_turn = unanswered;    ///< three pages, one after the other
    int at_once = unanswered;    ///< two at the same time, and then two more
    int redirected = unanswered; ///< a redirect, and then its target
    int unread = unanswered;     ///< a body that is not read, and then a page
    int unfinished = unanswered; ///< a body that does not end, and then a page
    int cancelled = unanswered;  ///< a get that is cancelled, and then a page
    int closed = unanswered;     ///< three pages from a server that closes
    int sessions = unanswered;   ///< two pages, each in a session of its own
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays the scenes. Defined in program.cpp.
Answers run_program();
