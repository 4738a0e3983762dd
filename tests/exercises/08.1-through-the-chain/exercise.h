// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

struct Answers {
    int futures = unanswered; ///< How many futures does the driver see in all?
    int boss_goes_on =
        unanswered;         ///< How often does the body of boss resume after a co_await?
    int depth = unanswered; ///< How many coroutines are in the chain when the first
                            ///< future comes out?
    int last_depth = unanswered; ///< And when the second one does?
    int value = unanswered;      ///< What does boss return?
    int frames = unanswered;     ///< How many coroutines are called in all?
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Runs `boss` to its end. Defined in program.cpp.
Answers run_program();
