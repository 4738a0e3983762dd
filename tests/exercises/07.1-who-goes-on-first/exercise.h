// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// In which order are the digits noted, as one number?
struct Answers {
    int made = unanswered;     ///< "A task is made"
    int resolved = unanswered; ///< "A future is resolved"
    int two = unanswered;      ///< "Two tasks wait for one future"
    int nested = unanswered;   ///< "One task resolves what another waits for"
    int late = unanswered;     ///< "A future is resolved before a task waits"
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays the scenes. Defined in program.cpp.
Answers run_program();
