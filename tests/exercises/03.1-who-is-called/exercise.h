// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// For each scene, which callbacks run, in order, as one number: 123 means 1, then 2,
/// then 3.
struct Answers {
    int all_ready = unanswered;  ///< "All are ready", registered as 3, 1, 2
    int unread = unanswered;     ///< "One does not read", until 1 has been called 3 times
    int forbidden = unanswered;  ///< "One forbids another"
    int made_ready = unanswered; ///< "One makes another ready"
    int stopped = unanswered;    ///< "One stops the loop"
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays all scenes, and returns what happened. Defined in program.cpp.
Answers run_program();
