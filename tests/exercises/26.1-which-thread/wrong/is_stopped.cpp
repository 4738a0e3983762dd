// hint: stopped from outside
#include "exercise.h"

const Answers prediction = {
    .function = another,
    .callback = loops,
    .after = loops,
    .captures = loops,
    .runs_on = no,
    .local = no,
    .shared = yes,
    .closed = yes,
    .begins = no,
};
