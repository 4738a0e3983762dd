// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

struct Answers {
    int lines_after_call = unanswered; ///< How often has `note` been called when the call
                                       ///< of `story` returns?
    int lines_after_next = unanswered; ///< ... and when the first next() returns?

    // Is it inside the frame? 0 or 1.
    int parameter = unanswered; ///< the parameter `from`
    int local = unanswered;     ///< the variable `i`, which is used after a pause
    int string_object =
        unanswered;               ///< the std::string `text`, which is used after a pause
    int characters = unanswered;  ///< the hundred characters of `text`
    int plain_local = unanswered; ///< the variable of the plain function `helper`

    int two_calls = unanswered; ///< How many frames have two calls of `story` made?
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Looks at the coroutine. Defined in program.cpp.
Answers run_program();
