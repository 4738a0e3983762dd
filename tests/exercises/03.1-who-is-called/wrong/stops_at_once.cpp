// hint: the rest of this turn's callbacks
#include "exercise.h"

const Answers prediction = {
    .all_ready = 312,
    .unread = 1211,
    .forbidden = 13,
    .made_ready = 132,
    .stopped = 1,
};
