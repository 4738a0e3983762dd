// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// How many links are in each page of program.cpp?
struct Answers {
    int slash = unanswered;     ///< a slash where a blank should be
    int comment = unanswered;   ///< comments that end in odd ways
    int quotes = unanswered;    ///< tags in values
    int text_area = unanswered; ///< tags in a text area
    int no_script = unanswered; ///< for browsers without scripts
    int script = unanswered;    ///< scripts, and what they hide
    int cut_off = unanswered;   ///< a page that ends too early
    int twice = unanswered;     ///< an attribute that is there twice
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Finds the links of all pages. Defined in program.cpp.
Answers run_program();
