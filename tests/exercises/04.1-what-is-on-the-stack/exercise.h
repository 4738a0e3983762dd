// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// One number for each question. 1 is yes, and 0 is no.
struct Answers {
    // When `parse` throws, which functions are on the stack? Only those that begin with a
    // `Frame` count.
    int plain_depth = unanswered;        ///< plain calls: how many?
    int plain_fetch = unanswered;        ///< plain calls: is `fetch` one of them?
    int callback_depth = unanswered;     ///< callbacks: how many?
    int callback_fetch = unanswered;     ///< callbacks: is `fetch` one of them?
    int callback_connected = unanswered; ///< callbacks: is `connected` one of them?

    // There is a `try` around `fetch()`. Does it catch what `parse` throws?
    int plain_caught = unanswered;
    int callback_caught = unanswered;

    // A second fetch had begun before that. Does it get its response?
    int callback_second = unanswered;
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Runs both programs, and returns what happened. Defined in program.cpp.
Answers run_program();
