// hint: waits for the calls that have begun
#include "exercise.h"

const Answers prediction = {
    .function = another,
    .callback = loops,
    .after = loops,
    .captures = loops,
    .runs_on = yes,
    .local = no,
    .shared = yes,
    .closed = no,
    .begins = no,
};
