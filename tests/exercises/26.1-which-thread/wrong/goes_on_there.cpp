// hint: never moves to another thread
#include "exercise.h"

const Answers prediction = {
    .function = another,
    .callback = loops,
    .after = another,
    .captures = loops,
    .runs_on = yes,
    .local = no,
    .shared = yes,
    .closed = yes,
    .begins = no,
};
