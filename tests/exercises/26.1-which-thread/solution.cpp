// A function is lent to a thread, and comes back with its result.
#include "exercise.h"

const Answers prediction = {
    .function = another,
    .callback = loops,
    .after = loops,
    .captures = loops,
    .runs_on = yes,
    .local = no,
    .shared = yes,
    .closed = yes,
    .begins = no,
};
