// hint: what the executor is for
#include "exercise.h"

const Answers prediction = {
    .function = loops,
    .callback = loops,
    .after = loops,
    .captures = loops,
    .runs_on = yes,
    .local = no,
    .shared = yes,
    .closed = yes,
    .begins = no,
};
