// Read program.cpp, and write your answers here: loops or another, yes or no.
#include "exercise.h"

const Answers prediction = {
    .function = unanswered,
    .callback = unanswered,
    .after = unanswered,
    .captures = unanswered,
    .runs_on = unanswered,
    .local = unanswered,
    .shared = unanswered,
    .closed = unanswered,
    .begins = unanswered,
};
