// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// The digits of each scene in the order in which they are recorded, as one number.
struct Answers {
    int complete = unanswered; ///< "bytes arrive"
    int asked = unanswered;    ///< "asked to end"
    int too_late = unanswered; ///< "bytes arrive, and then it's asked to end"
    int owned = unanswered;    ///< "destroyed; the operation owns the buffer"
    int local = unanswered;    ///< "destroyed; the frame owns the buffer"
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays the scenes. Defined in program.cpp.
Answers run_program();
