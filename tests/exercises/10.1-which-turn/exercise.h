// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// The digits of each scene in the order in which they are recorded, as one number.
struct Answers {
    int soon = unanswered;     ///< "call_soon inside a callback"
    int resolved = unanswered; ///< "a future is resolved"
    int task = unanswered;     ///< "a task is made inside a callback"
    int done = unanswered;     ///< "awaiting what is done"
    int timer = unanswered;    ///< "a timer that is due at once"
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays the scenes. Defined in program.cpp.
Answers run_program();
