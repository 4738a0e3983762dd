// hint: the list of a turn is made before its first callback runs
#include "exercise.h"

const Answers prediction = {
    .all_ready = 312,
    .unread = 1211,
    .forbidden = 13,
    .made_ready = 123,
    .stopped = 12,
};
