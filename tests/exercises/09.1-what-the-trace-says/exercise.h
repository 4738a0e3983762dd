// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

struct Answers {
    int plain = unanswered; ///< bottom throws, and it is not caught: how many are named?
    int rethrown = unanswered; ///< middle catches it and says `throw;`: how many?
    int another = unanswered;  ///< middle catches it and throws another: how many?
    int helper = unanswered;   ///< a plain function throws, called by bottom: how many?
    int caught = unanswered; ///< middle catches it and returns: does top continue? 0 or 1
    int destroyed = unanswered; ///< bottom throws: when middle's handler begins, how many
                                ///< of the three frames' Witnesses are gone?
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays the scenes. Defined in program.cpp.
Answers run_program();
