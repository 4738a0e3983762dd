// hint: keeps it alive
#include "exercise.h"

const Answers prediction = {
    .function = another,
    .callback = loops,
    .after = loops,
    .captures = loops,
    .runs_on = yes,
    .local = no,
    .shared = no,
    .closed = yes,
    .begins = no,
};
