// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// Is the thing still alive when it's used?
constexpr int gone = 0;
constexpr int lives = 1;

struct Answers {
    int awaited = unanswered;     ///< "a temporary, for a coroutine that is awaited"
    int first_line = unanswered;  ///< "a temporary, used before the first wait"
    int view = unanswered;        ///< "a view, taken by value"
    int named = unanswered;       ///< "a lambda with a name"
    int handed_out = unanswered;  ///< "a lambda with a name, and its task is returned"
    int in_group = unanswered;    ///< "a local variable, for a child of a group"
    int in_list = unanswered;     ///< "an element of a list that grows"
    int in_callback = unanswered; ///< "a local variable, for a callback"
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays the scenes. Defined in program.cpp.
Answers run_program();
