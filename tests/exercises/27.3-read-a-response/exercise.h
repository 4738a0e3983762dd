// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// One number for each question. An error is 1 if `error` holds any text, and 0 if it is
/// empty.
struct Answers {
    int plain_bytes = unanswered;      ///< plain: how many bytes are in the body?
    int empty_line_bytes = unanswered; ///< empty_line: how many bytes are in the body?
    int not_found_error = unanswered;  ///< not_found: is it an error? 0 or 1
    int not_found_status = unanswered; ///< not_found: what is its status?
    int shorter_bytes = unanswered;    ///< shorter: how many bytes are in the body?
    int shorter_error = unanswered;    ///< shorter: is it an error? 0 or 1
    int longer_error = unanswered;     ///< longer: is it an error? 0 or 1
    int nothing_error = unanswered;    ///< nothing: is it an error? 0 or 1
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Splits all six responses, and returns what came out. Defined in program.cpp.
Answers run_program();
