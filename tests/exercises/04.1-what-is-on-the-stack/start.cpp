// What does program.cpp find? Put a number in place of each `unanswered`: 1 is yes, and 0
// is no. exercise.h says what each one asks.
#include "exercise.h"

const Answers prediction = {
    .plain_depth = unanswered,
    .plain_fetch = unanswered,
    .callback_depth = unanswered,
    .callback_fetch = unanswered,
    .callback_connected = unanswered,
    .plain_caught = unanswered,
    .callback_caught = unanswered,
    .callback_second = unanswered,
};
