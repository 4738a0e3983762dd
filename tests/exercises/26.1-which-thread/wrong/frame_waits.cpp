// hint: its frame is gone
#include "exercise.h"

const Answers prediction = {
    .function = another,
    .callback = loops,
    .after = loops,
    .captures = loops,
    .runs_on = yes,
    .local = yes,
    .shared = yes,
    .closed = yes,
    .begins = no,
};
