// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// The digits of each scene in the order in which they are recorded, as one number.
struct Answers {
    int polite = unanswered; ///< "it lets the request pass"
    int early = unanswered;  ///< "cancelled before its first step"
    int caught = unanswered; ///< "it catches the request, and returns"
    int late = unanswered;   ///< "cancelled when its result is on the way"
    int itself = unanswered; ///< "it cancels itself, and returns"
    int inner = unanswered;  ///< "it waits for a task that refuses"
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays the scenes. Defined in program.cpp.
Answers run_program();
