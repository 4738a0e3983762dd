// hint: handed over by the loop
#include "exercise.h"

const Answers prediction = {
    .function = another,
    .callback = another,
    .after = loops,
    .captures = loops,
    .runs_on = yes,
    .local = no,
    .shared = yes,
    .closed = yes,
    .begins = no,
};
