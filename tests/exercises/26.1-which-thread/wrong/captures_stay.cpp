// hint: the function travels
#include "exercise.h"

const Answers prediction = {
    .function = another,
    .callback = loops,
    .after = loops,
    .captures = another,
    .runs_on = yes,
    .local = no,
    .shared = yes,
    .closed = yes,
    .begins = no,
};
