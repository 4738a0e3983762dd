// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

struct Answers {
    // The first conversation: called, next(), send(5), send(7), send(0).
    int begun_by_call = unanswered; ///< Has the body begun when the call returns? 0 or 1.
    int first = unanswered;         ///< What does next() yield?
    int second = unanswered;        ///< What does send(5) yield?
    int third = unanswered;         ///< What does send(7) yield?
    int result = unanswered;        ///< What does it return after send(0)?

    // The second: next(), send(5), throw_(an error), send(1), send(0).
    int after_throw = unanswered;   ///< What does throw_ yield?
    int second_result = unanswered; ///< What does it return in the end?

    // The third: next(), send(0), next().
    int ended_twice =
        unanswered; ///< Is there a value in the reply to the last next()? 0 or 1.
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Has the three conversations. Defined in program.cpp.
Answers run_program();
