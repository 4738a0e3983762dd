// Where does it live, and what has run? Put a number in place of each `unanswered`.
#include "exercise.h"

const Answers prediction = {
    .lines_after_call = unanswered,
    .lines_after_next = unanswered,
    .parameter = unanswered,
    .local = unanswered,
    .string_object = unanswered,
    .characters = unanswered,
    .plain_local = unanswered,
    .two_calls = unanswered,
};
