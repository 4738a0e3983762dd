// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

constexpr int missing = 0;
constexpr int found = 1;

/// Does the page in program.cpp have the place that this fragment points to?
struct Answers {
    int letters = unanswered; ///< #intro
    int top = unanswered;     ///< #Top
    int old = unanswered;     ///< #old
    int logo = unanswered;    ///< #logo
    int blank = unanswered;   ///< #a%20b
    int percent = unanswered; ///< #50%25
    int script = unanswered;  ///< #later
    int text = unanswered;    ///< #:~:text=word
    int end = unanswered;     ///< #z
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Looks for all of them. Defined in program.cpp.
Answers run_program();
