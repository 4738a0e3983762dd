// What comes out of the six responses in program.cpp? Put a number in place of each
// `unanswered`. exercise.h says what each one asks.
#include "exercise.h"

const Answers prediction = {
    .plain_bytes = unanswered,
    .empty_line_bytes = unanswered,
    .not_found_error = unanswered,
    .not_found_status = unanswered,
    .shorter_bytes = unanswered,
    .shorter_error = unanswered,
    .longer_error = unanswered,
    .nothing_error = unanswered,
};
